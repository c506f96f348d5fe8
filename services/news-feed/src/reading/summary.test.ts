import { expect, test } from 'vitest';
import { firstSentences } from './text.ts';

test.each([
  'Dr. Chen found a gauge.',
  'U.S. President signs the law.',
  'J.K. Rowling writes about tides.',
  'At 3 p.m. Monday the bridge opened.',
  'No. 10 denies the report.',
  'Am 3. Oktober öffnet die Brücke.',
  'Im 19. Jahrhundert war sie aus Holz.',
  'z. B. Gezeitenkraft wird billiger.',
  'Yahoo! buys a startup.',
  'M. Dupont et Mme. Durand ouvrent le pont.',
  'El Sr. López abre el puente.',
  'La Sig.ra Rossi apre il ponte.',
  'Dhr. Jansen opent de brug.',
  'На ул. Ленина открыт мост.',
  'Na ul. Długiej otwarto most.',
  'Bl.a. Anna öppnar bron.',
  'Prof. Dr. med. Weber forscht.',
  'EE. UU. Firma el acuerdo.',
  'Op. 27 No. 2 Is played at night.',
  'TP. Hồ Chí Minh mở cầu.',
  'PGS. TS. Trần nói.',
])('%j is one sentence', (sentence) => {
  expect(firstSentences(`${sentence} More follows soon. And more.`, 1, 300)).toBe(sentence);
});

test.each([
  ['They met Dr. No. They spoke.', 'They met Dr. No.'],
  ['He works at Apple Inc. The firm grew.', 'He works at Apple Inc.'],
  ['It opened at 5 p.m. They came.', 'It opened at 5 p.m.'],
  ['He lives in the U.S. He likes it.', 'He lives in the U.S.'],
  ['They agree with me. You do not.', 'They agree with me.'],
  ['We lay in the sun. It was hot.', 'We lay in the sun.'],
  ['Is it? It is.', 'Is it?'],
  ['In 2026. Then it ended.', 'In 2026.'],
  ['桥今日通车。市民欢庆。', '桥今日通车。'],
])('%j ends where it does', (text, first) => {
  expect(firstSentences(text, 1, 300)).toBe(first);
});
