import { JSDOM } from 'jsdom';
import { describe, expect, test } from 'vitest';
import { EMPTY, type Fields } from './fields.ts';
import { mergeFields } from './merge.ts';
import { mergeTexts, textFrom } from './merge-text.ts';

const { document } = new JSDOM('').window;

const texts = (base: string, mine: string, theirs: string) => mergeTexts(base, mine, theirs, document);

/** The merged text, where nothing in it is disputed. */
function merged(base: string, mine: string, theirs: string): string {
  const parts = texts(base, mine, theirs);
  expect(parts.filter((part) => typeof part !== 'string')).toEqual([]);
  return parts.join('');
}

const disputed = (base: string, mine: string, theirs: string) =>
  texts(base, mine, theirs).filter((part) => typeof part !== 'string');

const BASE = '<h2>A</h2><p>one</p><p>two</p><ul><li>x</li></ul><p>three</p>';

describe('a text', () => {
  test.each([
    [
      'blocks apart',
      '<p>one!</p><p>two</p><p>3</p>',
      '<p>one</p><p>two</p><p>3?</p>',
      '<p>one!</p><p>two</p><p>3?</p>',
    ],
    [
      'neighbours',
      '<p>one!</p><p>two</p><p>3</p>',
      '<p>one</p><p>two?</p><p>3</p>',
      '<p>one!</p><p>two?</p><p>3</p>',
    ],
    [
      'one added before a changed one',
      '<p>one</p><p>new</p><p>two</p><p>3</p>',
      '<p>one</p><p>two?</p><p>3</p>',
      '<p>one</p><p>new</p><p>two?</p><p>3</p>',
    ],
    [
      'one changed, one added behind it',
      '<p>one</p><p>two</p><p>3!</p>',
      '<p>one</p><p>two</p><p>3</p><p>new</p>',
      '<p>one</p><p>two</p><p>3!</p><p>new</p>',
    ],
    [
      'one gone, its neighbour changed',
      '<p>two</p><p>3</p>',
      '<p>one</p><p>two?</p><p>3</p>',
      '<p>two?</p><p>3</p>',
    ],
    [
      'the same change',
      '<p>one!</p><p>two</p><p>3</p>',
      '<p>one!</p><p>two</p><p>3?</p>',
      '<p>one!</p><p>two</p><p>3?</p>',
    ],
    [
      'two of mine beside one of theirs',
      '<p>one!</p><p>two!</p><p>3</p>',
      '<p>one</p><p>two</p><p>3?</p>',
      '<p>one!</p><p>two!</p><p>3?</p>',
    ],
  ])('has what both have done to it: %s', (_name, mine, theirs, both) => {
    const base = '<p>one</p><p>two</p><p>3</p>';
    expect([merged(base, mine, theirs), merged(base, theirs, mine)]).toEqual([both, both]);
  });

  test('is disputed in the blocks that both have changed, and in no others', () => {
    const mine = BASE.replace('two', 'two!').replace('>x<', '>x!<');
    const theirs = BASE.replace('two', 'two?').replace('three', 'three?');
    expect(disputed(BASE, mine, theirs)).toEqual([{ mine: '<p>two!</p>', theirs: '<p>two?</p>' }]);
    const parts = texts(BASE, mine, theirs);
    const with_ = (two: string) => `<h2>A</h2><p>one</p>${two}<ul><li>x!</li></ul><p>three?</p>`;
    expect((['mine', 'theirs', 'both'] as const).map((choice) => textFrom(parts, choice))).toEqual(
      ['<p>two!</p>', '<p>two?</p>', '<p>two?</p><p>two!</p>'].map(with_),
    );
  });

  test.each([
    [
      'a list is a whole',
      '<ul><li>a</li><li>b</li></ul>',
      '<ul><li>a!</li><li>b</li></ul>',
      '<ul><li>a</li><li>b?</li></ul>',
    ],
    [
      'so is a figure',
      '<figure><img src="/a" alt=""><figcaption>a</figcaption></figure>',
      '<figure><img src="/b" alt=""><figcaption>a</figcaption></figure>',
      '<figure><img src="/a" alt=""><figcaption>b</figcaption></figure>',
    ],
    ['one deletes what the other changes', '<p>a</p><p>b</p>', '<p>b</p>', '<p>a?</p><p>b</p>'],
    ['both add at one place', '<p>a</p>', '<p>a</p><p>mine</p>', '<p>a</p><p>theirs</p>'],
    [
      'one merges two, the other changes one of them',
      '<p>a</p><p>b</p><p>c</p>',
      '<p>ab</p><p>c</p>',
      '<p>a</p><p>b?</p><p>c</p>',
    ],
    ['tags that do not match make one block', '<p>a<p>b', '<p>a!<p>b', '<p>a<p>b?'],
  ])('is disputed: %s', (_name, base, mine, theirs) => {
    expect(disputed(base, mine, theirs)).toHaveLength(1);
    expect(texts(base, theirs, base).join('')).toBe(theirs);
  });

  test('is compared as readers see it, and stays mine byte for byte where nobody has changed it', () => {
    const base = '<!-- wp:paragraph -->\n<p>one<br />x</p>\n\n<p>two</p>\n<hr/>\nlast';
    const mine = '<p>one<br>x</p><p>two</p><hr>last <b>line</b>';
    const theirs = '<p>one<br>x</p><p>two?</p><hr>last';
    expect(merged(base, mine, theirs)).toBe('<p>one<br>x</p><p>two?</p><hr>last <b>line</b>');
    expect(merged(mine, base, theirs.replace('last', 'last <b>line</b>'))).toBe(
      base.replace('<p>two</p>\n', '<p>two?</p>'),
    );
  });

  test('keeps a line without an element apart from theirs', () => {
    expect(textFrom(texts('a<p>b</p>', 'mine<p>b</p>', 'theirs<p>b</p>'), 'both')).toBe(
      'theirs<p>mine</p><p>b</p>',
    );
  });
});

describe('fields', () => {
  const base: Fields = {
    ...EMPTY,
    title: 'T',
    content: '<p>a</p><p>b</p>',
    tags: ['x'],
    featuredImage: '/1',
  };
  const merge = (mine: Partial<Fields>, theirs: Partial<Fields>) =>
    mergeFields(base, { ...base, ...mine }, { ...base, ...theirs }, texts);

  test('come from whoever has changed them', () => {
    const { fields, taken, disputed } = merge({ title: 'Mine' }, { tags: ['x', 'y'], excerpt: 'Theirs' });
    expect(fields).toEqual({ ...base, title: 'Mine', tags: ['x', 'y'], excerpt: 'Theirs' });
    expect([taken, disputed]).toEqual([['excerpt', 'tags'], []]);
  });

  test('are disputed only where both have changed them, each in another way', () => {
    const same = { excerpt: 'The same' };
    const { fields, disputed } = merge({ ...same, title: 'Mine' }, { ...same, title: 'Theirs', tags: [] });
    expect([fields.title, fields.tags, disputed]).toEqual(['Mine', [], ['title']]);
  });

  test('have a text with both changes, and say that some of it is theirs', () => {
    const both = merge({ content: '<p>a!</p><p>b</p>' }, { content: '<p>a</p><p>b?</p>' });
    expect([both.fields.content, both.taken, both.disputed]).toEqual(['<p>a!</p><p>b?</p>', ['content'], []]);
    const again = merge({ content: '<p>a!</p><p>b?</p>' }, { content: '<p>a</p><p>b?</p>' });
    expect([again.fields.content, again.taken, again.disputed]).toEqual(['<p>a!</p><p>b?</p>', [], []]);
  });

  test('of a picture go together: no description is given to another one', () => {
    expect(merge({ altText: 'A pier' }, { featuredImage: '/2' }).disputed).toEqual([
      'featuredImage',
      'altText',
    ]);
  });
});
