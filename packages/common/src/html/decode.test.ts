import { expect, test } from 'vitest';
import { decodeDocument } from './decode.ts';

/** 「日本」in ISO-2022-JP. */
const JAPAN = '\x1b$BF|K\\\x1b(B';

test.each([
  ['header', JAPAN, 'text/html; charset=ISO-2022-JP'],
  ['header, by its other name', JAPAN, 'text/html; charset="csISO2022JP"'],
  ['XML declaration', `<?xml version="1.0" encoding="iso-2022-jp"?>${JAPAN}`, 'text/xml; charset=utf-8'],
  ['meta', `<!doctype html><meta charset="iso-2022-jp">${JAPAN}`, undefined],
])('ISO-2022-JP is read as such though it is valid UTF-8, by its %s', (_where, text, contentType) => {
  expect(decodeDocument(Buffer.from(text, 'latin1'), contentType)).toMatch(/日本$/);
});

test('what is not ISO-2022-JP is read as UTF-8, whatever it says', () => {
  const text = '<!doctype html><meta charset="iso-2022-jp">Größe';
  expect(decodeDocument(Buffer.from(text), 'text/html; charset=iso-2022-jp')).toBe(text);
});

/** The same words in encodings that nothing names, as their bytes. */
test.each([
  ['GB18030', 'd0c2c7c5bdf1c8d5cda8b3b5a3accad0c3f1bbb6c7eca1a3', '新桥今日通车，市民欢庆。'],
  ['Big5', 'b773bef4a4b5a4e9b371a8aea141a5aba5c1bc79afaca143', '新橋今日通車，市民慶祝。'],
  ['Shift_JIS', '905682b582a28bb482aa8da193fa8a4a92ca82b582dc82b582bd8142', '新しい橋が今日開通しました。'],
  ['windows-1251', 'cdeee2fbe920eceef1f220eef2eaf0fbf220f1e5e3eee4edff2e', 'Новый мост открыт сегодня.'],
])('%s that nothing declares is recognised', (_encoding, hex, words) => {
  const item = (text: string) => `<item><title>${text}</title></item>`;
  const text = Buffer.from(hex, 'hex').toString('latin1');
  const feed = `<rss version="2.0"><channel>${item(text)}${item(text)}</channel></rss>`;
  for (const declaration of ['<?xml version="1.0"?>', '<?xml version="1.0" encoding="utf-8"?>']) {
    for (const type of [undefined, 'text/xml; charset=utf-8']) {
      expect(decodeDocument(Buffer.from(`${declaration}${feed}`, 'latin1'), type)).toContain(words);
    }
  }
});

test.each([
  ['cp932', '905682b582a28bb4', '新しい橋'],
  ['cp936', 'd0c2c7c5', '新桥'],
  ['GB_18030-2000', 'd0c2c7c5', '新桥'],
  ['CP949', 'b4d9b8ae', '다리'],
  ['cp950', 'b773bef4', '新橋'],
  ['win-1251', 'cceef1f2', 'Мост'],
])('a program may call it %s, and a server whatever it likes', (name, hex, words) => {
  const feed = `<?xml version="1.0" encoding="${name}"?><rss>${Buffer.from(hex, 'hex').toString('latin1')}</rss>`;
  for (const type of [undefined, 'text/xml; charset=ISO-8859-1']) {
    expect(decodeDocument(Buffer.from(feed, 'latin1'), type)).toContain(words);
  }
});

test('half a character makes UTF-8 no other encoding', () => {
  const feed = Buffer.from(`<?xml version="1.0" encoding="utf-8"?><rss>${'新桥今日通车。'.repeat(9)}</rss>`);
  const cut = Buffer.concat([feed, Buffer.from('桥').subarray(0, 2)]);
  expect(decodeDocument(cut, 'text/xml; charset=utf-8')).toContain('新桥今日通车');
});

test('what looks like no other encoding is windows-1252', () => {
  const text = '<rss><title>Die Brücke öffnet – “bald”</title></rss>';
  const bytes = Buffer.from(text.replace('–', '\x96').replace('“', '\x93').replace('”', '\x94'), 'latin1');
  expect(decodeDocument(bytes, undefined)).toBe(text);
});
