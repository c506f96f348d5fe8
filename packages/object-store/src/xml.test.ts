import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildXml, elementsOf, parseXml, textOf, textsOf } from './response.ts';

test('any text comes back as it was written', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 }).filter((value) => value.isWellFormed());
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (keys) => {
      expect(textsOf(parseXml(buildXml('R', { Key: keys }), 'R'), 'Key')).toEqual(keys);
    }),
  );
});

test('spaces, entities and character references are read as XML means them', () => {
  const xml =
    '<?xml version="1.0"?>\n<R xmlns="urn:x">\n <Key> a&amp;b&lt;&gt;&quot;&apos;&#x20;&#13;&#128512; </Key>\n</R>';
  expect(textOf(parseXml(xml, 'R'), 'Key')).toBe(` a&b<>"' \r😀 `);
});

test('repeated elements are a list, and empty ones are elements', () => {
  const document = parseXml('<R><O><K>1</K></O><O/><O><K>2</K></O></R>', 'R');
  expect(elementsOf(document, 'O').map((element) => textOf(element, 'K'))).toEqual(['1', undefined, '2']);
});

test.for([
  '',
  'text',
  '<R>',
  '<R><K></R>',
  '<Other/>',
  '<R><K>&unknown;</K></R>',
  '<R><K>&#x110000;</K></R>',
  '<!DOCTYPE R [<!ENTITY e "x">]><R><K>&e;</K></R>',
])('%s is malformed', (xml) => {
  expect(() => parseXml(xml, 'R')).toThrow(expect.objectContaining({ code: 'MalformedXML' }));
});
