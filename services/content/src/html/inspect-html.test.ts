import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inspectHtml } from './inspect-html.ts';

const RULES = { html: 'checked', jsonLd: false } as const;

/** The findings in `html`, without their positions. */
async function found(html: string, rules = { ...RULES, jsonLd: false }): Promise<string[]> {
  return [...new Set((await inspectHtml(html, rules)).faults.map(({ what }) => what))];
}

test('lines and columns count from 1, in the order of the text', async () => {
  const html = '<p>fine</p>\n  <b onclick=x>\n<a href="javascript:x">é</a><script>';
  expect((await inspectHtml(html, RULES)).faults).toEqual([
    { what: 'onclick on <b>', line: 2, column: 3 },
    { what: 'href on <a>', line: 3, column: 1 },
    { what: '<script>', line: 3, column: 29 },
  ]);
});

test('every error in an element is reported, and ten in total', async () => {
  expect((await found('<a onclick=x onfocus=y href="javascript:z">')).sort()).toEqual([
    'href on <a>',
    'onclick on <a>',
    'onfocus on <a>',
  ]);
  const many = await inspectHtml('<b onclick=x></b>'.repeat(50), RULES);
  expect(many.faults).toHaveLength(10);
});

describe('markup that the page around the article would close', () => {
  test.each([
    ['<img src=x title="', '<img> whose tag is not closed'],
    ['<a href="https://elsewhere.example/?', '<a> whose tag is not closed'],
    ['text</p', '</p> whose tag is not closed'],
    ['<!-- open', 'a comment that is not closed'],
    ['<iframe src="https://a.example/">', '<iframe> that is not closed'],
    ['<img src=x onerror=alert(1) title=', '<img> whose tag is not closed'],
    ['<img src=x onerror=alert(1) title = ', '<img> whose tag is not closed'],
    ['</p class=', '</p> whose tag is not closed'],
    ['<svg><g>', '<svg> that is not closed'],
    ['<p>x</p><math><mi>', '<math> that is not closed'],
    ['<!doctype html public "', 'a document type'],
  ])('%s', async (html, what) => {
    expect(await found(html)).toEqual([what]);
  });
});

test('a tag is refused wherever it is cut off', async () => {
  const tag = `<img src = x onerror\n=alert(1) alt='a "b"' class="c 'd'" data-x=e data-y = f/ hidden /`;
  for (let length = 2; length <= tag.length; length += 1) {
    expect(await found(`<p>text</p>${tag.slice(0, length)}`), tag.slice(0, length)).not.toEqual([]);
  }
});

describe('markup that a script of the site could mistake for its own', () => {
  test.each([
    ['<a id=settings>x</a><a id=settings name=script href="https://a.example/x.js">x</a>', 'name on <a>'],
    ['<a href="https://a.example/" target=_blank rel="nofollow Opener">x</a>', 'rel on <a>'],
  ])('%s', async (html, what) => {
    expect(await found(html)).toEqual([what]);
  });

  test.each(['<a id=part name=part>x</a>', '<a name=part>x</a>', '<a rel="noopener">x</a>'])(
    'not %s',
    async (html) => {
      expect(await found(html)).toEqual([]);
    },
  );
});

describe('markup that two parsers may read differently', () => {
  test.each([
    ['<iframe src="https://a.example/"><p>x</iframe>', 'markup in <iframe>'],
    ['<!-- <img src=x> -->', 'a comment that contains markup'],
    ['<math><mi>x</math>', '</math> where </mi> should be'],
    ['<math><mtext><b>x</b></mtext></math>', '<b> in <mtext>'],
    ['<math><mrow><![CDATA[x]]></mrow></math>', 'a CDATA section'],
    ['<svg><desc>x</desc></svg>', '<desc> in <svg>'],
    ['x</script>', '</script>'],
    ['<svg></p></svg>', '</p> where </svg> should be'],
  ])('%s', async (html, what) => {
    expect(await found(html)).toContain(what);
  });
});

describe('structured data, where it is allowed', () => {
  const block = (attributes: string, text: string) => `<script ${attributes}>${text}</script>`;

  test.each([
    ['an object', block('type="application/ld+json"', '{"@type": "NewsArticle"}')],
    ['with a class', block('type="application/ld+json" class="seo" data-x', '[]')],
    ['of 100 kB', block('type="application/ld+json"', JSON.stringify('x'.repeat(100_000)))],
  ])('%s', async (_what, html) => {
    expect(await found(html, { html: 'checked', jsonLd: true })).toEqual([]);
    expect(await found(html)).toContain('<script>');
  });

  test.each([
    ['another type', block('type="text/javascript"', '{}')],
    ['no type', block('', '{}')],
    ['two types', block('type="module" type="application/ld+json"', '{}')],
    ['a source', block('type="application/ld+json" src="//a.example"', '{}')],
    ['not JSON', block('type="application/ld+json"', 'alert(1)')],
    ['markup', block('type="application/ld+json"', '"<!--<script>"')],
    ['no end', '<script type="application/ld+json">{}'],
    ['within SVG', `<svg>${block('type="application/ld+json"', '{}')}</svg>`],
  ])('not with %s', async (_what, html) => {
    expect(await found(html, { html: 'checked', jsonLd: true })).not.toEqual([]);
  });
});

test('trusted content is only counted', async () => {
  const html = '<p>four</p><script>no text</script><!-- none -->\u200b';
  expect(await inspectHtml(html, { html: 'trusted', jsonLd: false })).toEqual({ characters: 4, faults: [] });
});

test('escaped text is fine, whatever it says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      expect(await found(`<p>${escaped}</p>`)).toEqual([]);
    }),
  );
});

test('an event handler is found wherever it is', async () => {
  const wrappers = ['p', 'svg', 'math', 'table', 'td', 'select', 'template', 'noscript', 'ul', 'a', 'form'];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...wrappers), { maxLength: 6 }), async (tags) => {
      const open = tags.map((tag) => `<${tag}>`).join('');
      const close = tags.map((tag) => `</${tag}>`).join('');
      expect(await found(`${open}<img src=x onerror=alert(1)>${close}`)).not.toEqual([]);
    }),
  );
});
