import { expect, test } from 'vitest';
import { languageOf } from './edit-entries.ts';

const of = (title: string, declared: string | null = null) =>
  languageOf(declared, { title, summary: null, text: null });

const PORTUGUESE = 'Câmara de Lisboa aprova o orçamento para as obras nas escolas do concelho';

test.each([
  ['zh', '国务院常务会议部署进一步促进就业的若干措施，要求各地抓紧落实'],
  ['zh', '台灣總統府今日宣布新的經濟政策，盼能帶動明年成長'],
  ['ja', '日本政府は新たな経済対策を来月までにまとめる方針を決めた'],
  ['ko', '정부는 다음 달까지 새로운 경제 대책을 마련하기로 했다고 밝혔다'],
  ['pt', PORTUGUESE],
  ['de', 'Der Bundestag stimmt heute über die Reform der gesetzlichen Krankenkassen ab'],
  ['ru', 'Правительство утвердило новую программу поддержки малого бизнеса в регионах'],
])('a text in %s is recognised', async (language, title) => {
  expect(await of(title)).toBe(language);
});

test.each(['iPhone 17 Pro Max', 'GPT-5.5', '東京', '2026-11-23 19:05', 'OpenAI 发布 GPT-5.5', ''])(
  'what may be in many languages is in none: %s',
  async (title) => {
    expect(await of(title)).toBeNull();
    expect(await of(title, 'pt-BR')).toBe('pt-BR');
  },
);

test('a declared language counts, unless the text is surely in another one that could be recognised', async () => {
  expect(await of(PORTUGUESE, 'pt-PT')).toBe('pt-PT');
  expect(await of(PORTUGUESE, 'en-US')).toBe('pt');
  // Galician is not known: it would be taken for Portuguese.
  expect(await of(PORTUGUESE, 'gl')).toBe('gl');
});
