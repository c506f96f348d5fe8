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
