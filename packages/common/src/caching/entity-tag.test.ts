import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNotModified, namesState, represent, stateOf } from './conditional.ts';

const TAG = '"current"';

/** The characters of an opaque tag (RFC 9110, section 8.8.3): visible ASCII but the quote, and obs-text. */
const opaque = fc
  .array(
    fc.integer({ min: 0x21, max: 0xff }).filter((code) => code !== 0x22 && code !== 0x7f),
    { maxLength: 12 },
  )
  .map((codes) => String.fromCharCode(...codes.map((code) => (code < 0x7f || code >= 0x80 ? code : 0x21))));
const tag = opaque.map((text) => `"${text}"`);
const member = fc.record({ weak: fc.boolean(), tag });
const gap = fc.constantFrom('', ' ', '\t', '  ');
const list = fc.array(fc.tuple(gap, member, gap), { minLength: 1, maxLength: 6 }).map((members) => ({
  tags: members.map(([, { weak, tag: text }]) => ({ weak, text })),
  header: members
    .map(([before, { weak, tag: text }, after]) => `${before}${weak ? 'W/' : ''}${text}${after}`)
    .join(','),
}));

test('a list matches its members weakly, and names the states of its members without W/', () => {
  fc.assert(
    fc.property(list, tag, ({ header, tags }, other) => {
      for (const etag of [other, ...tags.map(({ text }) => text)]) {
        expect(isNotModified(header, etag)).toBe(tags.some(({ text }) => text === etag));
      }
    }),
  );
  const tags = ['"a.one"', 'W/"b.two"', '"three"'].join(', ');
  expect(['one', 'two', 'three'].map((state) => namesState(tags, state))).toEqual([true, false, false]);
});

test.each(['*', ' * '])('%j matches anything that exists', (header) => {
  expect(isNotModified(header, TAG)).toBe(true);
  expect(namesState(header, 'any')).toBe(true);
});

test('an absent If-None-Match never makes a 304', () => {
  expect(isNotModified(undefined, TAG)).toBe(false);
});

test.each([
  ['', false],
  ['current', false],
  ['"current', false],
  ['current"', false],
  ['w/"current"', false],
  ['W /"current"', false],
  ['x"current"', false],
  ['"current"x', false],
  ['"current""other"', false],
  ['"a,b", "current"', true],
  [', ,"current",,', true],
  ['"unfinished, "current"', true],
  ['garbage, "current", garbage', true],
  ['"other", *', false],
])('members of %j that are not entity tags are ignored', (header, expected) => {
  expect(isNotModified(header, TAG)).toBe(expected);
  const withStates = header.replaceAll('current', 'shown.current');
  expect(namesState(withStates, 'current')).toBe(expected);
});

test('no header takes long to evaluate, however it is crafted', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', ',', ' ', 'W', '/', 'a') }), (piece) => {
      const header = piece.repeat(Math.ceil(16_384 / Math.max(1, piece.length)));
      expect(namesState(header, 'none of these')).toBe(false);
    }),
  );
});

test('equal texts have equal tags, different texts different ones, and all are strong entity tags of the UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      const { body, etag } = represent(one);
      expect(String(body)).toBe(one);
      expect(etag).toMatch(/^"[\w-]{27}"$/);
      expect(represent(other).etag === etag).toBe(one === other);
      expect(isNotModified(`W/${etag}`, etag)).toBe(true);
    }),
  );
});

test('a tag with a state names that state whatever else was shown, and still distinguishes the bytes', () => {
  const [one, other] = [stateOf({ title: 'One' }), stateOf({ title: 'Other' })];
  const [shown, shownAgain] = [
    represent('neighbour A', undefined, one),
    represent('neighbour B', undefined, one),
  ];
  expect(shown.etag).not.toBe(shownAgain.etag);
  expect(shown.etag).toMatch(/^"[\w-]{27}\.[\w-]{27}"$/);
  expect([namesState(shown.etag, one), namesState(shownAgain.etag, one)]).toEqual([true, true]);
  expect(namesState(shown.etag, other)).toBe(false);
});
