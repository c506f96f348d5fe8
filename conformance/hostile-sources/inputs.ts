/** A publisher's site that keeps a worker busy. */
export interface HostileSource {
  readonly name: string;
  readonly feed: string;
  /** The answer of its robots.txt; without one, pages are not read. */
  readonly robots?: string;
  /** The answer of each of its pages. */
  readonly page?: string;
}

/** As many bytes as an answer may have, with room for what is around them. */
const BYTES = 9_000_000;

/** A feed in which every entry has `html`, as often as an answer may hold it. */
function feedOf(html: string): string {
  const text = html.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const count = Math.max(1, Math.floor(BYTES / (text.length + 200)));
  return rss(
    Array.from({ length: count }, (_, index) => entry(index, `https://source.example/${index}`, text)),
  );
}

function entry(index: number, link: string, text = ''): string {
  return `<item><guid>${index}</guid><title>Entry ${index}</title><link>${link}</link><description>${text}</description></item>`;
}

function rss(items: readonly string[]): string {
  return `<rss version="2.0"><channel><title>Hostile</title>${items.join('')}</channel></rss>`;
}

/** `html` until a text is as long as what is read of one. */
function long(html: string): string {
  return html.repeat(200_000 / html.length);
}

/** A feed of five pages of the same host, whose address is put in for `HOST`. */
const PAGES = rss(Array.from({ length: 5 }, (_, index) => entry(index, `HOST/${'a'.repeat(1000)}${index}`)));

const attributes = (count: number) => Array.from({ length: count }, (_, index) => `a${index}=""`).join(' ');

/** Texts of entries that are slow to convert. */
const TEXTS = {
  'nested drawings': long('<svg>'),
  'nested lists': long('<ul><li>'),
  'nested numbered lists': long('<ol><li>'),
  'nested tables': long('<table><tr><td>'),
  'nested quotations': long('<blockquote>'),
  'formatting that is never closed': long('<b><i>'),
  'end tags without a beginning': long('<p>x</b>'),
  'tags without an end': long('<a'),
  'comments without an end': long('<!--'),
  'many attributes': `<p ${attributes(18_000)}>`,
  'references to characters': long('&amp;amp;'),
};

const DOCUMENTS = {
  'elements without an end': `<rss><channel>${'<a>'.repeat(BYTES / 3)}`,
  'empty entries': `<rss><channel>${'<item/>'.repeat(BYTES / 7)}</channel></rss>`,
  'attributes of an entry': `<rss><channel><item ${attributes(900_000).slice(0, BYTES)}/></channel></rss>`,
  'signs of a tag': `<rss><channel>${'<'.repeat(BYTES)}`,
  'sections of text': `<rss><channel>${'<![CDATA['.repeat(BYTES / 9)}`,
  'nested JSON': `{"version":"https://jsonfeed.org/version/1.1","items":${'['.repeat(BYTES)}`,
  'entries of JSON': `{"version":"https://jsonfeed.org/version/1.1","items":[${'{},'.repeat(BYTES / 3)}{}]}`,
  'a page of links': `<html>${'<link rel=alternate type=text/plain href=x>'.repeat(BYTES / 44)}`,
  'a page of nested tags': `<html>${'<div>'.repeat(BYTES / 5)}`,
};

const ALL = 'User-agent: *\n';

/** Files of rules, for pages with long addresses. */
const ROBOTS = {
  'a rule of wildcards': `${ALL}Disallow: /${'*a'.repeat(BYTES / 2)}`,
  'rules of wildcards': ALL + `Disallow: /${'*a'.repeat(20)}b\n`.repeat(200_000),
  'rules for everyone': 'User-agent: a\n'.repeat(300_000) + 'Disallow: /b\n'.repeat(300_000),
};

const ARTICLES = {
  'nested elements': '<div>'.repeat(29_000),
  'nested lists': '<ul><li>'.repeat(14_000),
  'paragraphs in depth': '<div>'.repeat(90) + '<p>One, two, three.</p>'.repeat(28_000),
  'attributes of an element': `<html ${attributes(200_000)}>`,
  'text alone': 'One, two, three. '.repeat(500_000),
};

export const HOSTILE_SOURCES: readonly HostileSource[] = [
  ...Object.entries(TEXTS).map(([name, html]) => ({ name: `entries: ${name}`, feed: feedOf(html) })),
  ...Object.entries(DOCUMENTS).map(([name, feed]) => ({ name: `feed: ${name}`, feed })),
  ...Object.entries(ROBOTS).map(([name, robots]) => ({
    name: `robots.txt: ${name}`,
    feed: PAGES,
    robots,
    page: '',
  })),
  ...Object.entries(ARTICLES).map(([name, page]) => ({
    name: `page: ${name}`,
    feed: PAGES,
    robots: '',
    page,
  })),
];
