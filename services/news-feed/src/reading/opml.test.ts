import { expect, test } from 'vitest';
import { readVocabulary } from '../config.ts';
import { opmlSettings, readOpml, writeOpml } from './opml.ts';
import type { Source } from './sources.ts';

const VOCABULARY = readVocabulary({ NEWS_CATEGORIES: 'technology,ai-models=AI 模型' });
const RULES = ['drop if title ~ /"sponsored" <i>/i', 'score +10 if any ~ /a\\.b/'];
const NOW = new Date('2026-11-20T00:00:00Z');

/** Returns the sources imported from a file, by address. */
function imported(opml: string) {
  return Object.fromEntries(readOpml(opml).map((feed) => [feed.url, opmlSettings(feed, VOCABULARY)]));
}

test('what is exported is imported with all its settings', () => {
  const plain = {
    ...{ name: 'Its <own> title', url: 'https://a.example/feed?x=1&y=2', is_named: false, category: null },
    ...{ directions: [], select_rule: 'auto', weight: 1, first_party: false, reads_pages: false },
    ...{ takes_images: true, identity: 'auto', rules: [], list_selectors: null, text_selector: null },
  } as unknown as Source;
  const set = {
    ...{ name: 'Named "by" hand', url: 'https://b.example/', is_named: true, category: 'ai-models' },
    ...{ directions: ['domestic', 'overseas'], select_rule: 'score>=70', weight: 2.5 },
    ...{ first_party: true, reads_pages: true, takes_images: false, identity: 'link' },
    ...{ rules: RULES, list_selectors: 'li > a[href]; title h3', text_selector: '.story > p' },
  } as unknown as Source;
  const opml = writeOpml([plain, set], VOCABULARY, NOW);
  // A folder, as in other readers.
  expect(opml).toMatch(/<outline text="AI 模型">\s*<outline [^>]*xmlUrl="https:\/\/b\.example\/"/);
  expect(imported(opml)).toEqual({
    'https://a.example/feed?x=1&y=2': { select: 'auto', weight: 1 },
    'https://b.example/': {
      ...{ name: 'Named "by" hand', category: 'ai-models', directions: ['domestic', 'overseas'] },
      ...{
        select: 'score>=70',
        weight: 2.5,
        firstParty: true,
        readPages: true,
        textSelector: '.story > p',
        images: false,
        identity: 'link',
      },
      ...{ rules: RULES, page: 'li > a[href]; title h3' },
    },
  });
});

test('without a source there is no file, since one without an outline is no OPML', () => {
  expect(() => writeOpml([], VOCABULARY, NOW)).toThrow('there are no sources to write');
});

test('folders and categories of other readers are categories, by name or label, the innermost first', () => {
  const feed = (name: string, more = '') =>
    `<outline text="${name}" xmlUrl="https://x.example/${name}"${more}/>`;
  const opml = `<opml version="2.0"><body>
    <outline text="Technology">${feed('a')}<outline title="ai 模型">${feed('b')}</outline>
      <outline text="My own">${feed('c')}</outline></outline>
    <outline text="My own">${feed('d')}${feed('e', ' category="/My own/technology,x" title="Its title"')}</outline>
  </body></opml>`;
  expect(imported(opml)).toEqual({
    'https://x.example/a': { name: 'a', category: 'technology' },
    'https://x.example/b': { name: 'b', category: 'ai-models' },
    'https://x.example/c': { name: 'c', category: 'technology' },
    'https://x.example/d': { name: 'd' },
    'https://x.example/e': { name: 'Its title', category: 'technology' },
  });
});
