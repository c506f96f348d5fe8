import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inspectHtml } from './article-parser.ts';
import type { InspectionRules } from './inspection.ts';

const RULES = { html: 'checked', jsonLd: false, overlays: false } as const;

/** The findings in `html`, without their positions. */
async function found(html: string, changed: Partial<InspectionRules> = {}): Promise<string[]> {
  const rules = { ...RULES, ...changed };
  return [...new Set((await inspectHtml(html, rules)).faults.map(({ what }) => what))];
}

test('lines and columns count from 1, in the order of the text', async () => {
  const html = '<p>fine</p>\n  <b onclick=x>\n<a href="javascript:x">é</a></b><script>';
  expect((await inspectHtml(html, RULES)).faults).toEqual([
    { what: 'onclick on <b>', line: 2, column: 3 },
    { what: 'href on <a> with the scheme javascript:', line: 3, column: 1 },
    { what: '<script>', line: 3, column: 33 },
  ]);
});

test('every error in an element is reported, and ten in total', async () => {
  expect((await found('<a onclick=x onfocus=y href="javascript:z"></a>')).sort()).toEqual([
    'href on <a> with the scheme javascript:',
    'onclick on <a>',
    'onfocus on <a>',
  ]);
  const many = await inspectHtml('<b onclick=x></b>'.repeat(50), RULES);
  expect(many.faults).toHaveLength(10);
});

test.each([
  ['<span for=part>x</span>', 'for on <span>'],
  ['<p patchsrc="https://elsewhere.example/">x</p>', 'patchsrc on <p>'],
  ['<svg><g patchsrc="x"></g></svg>', 'patchsrc on <g>'],
])('what another part of the page could be patched by: %s', async (html, what) => {
  expect(await found(html)).toEqual([what]);
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

describe('elements that are not closed, closed too often, or of what the article does not have', () => {
  test.each([
    ['<p>x <a href="https://elsewhere.example/">read on</p>', '<a> that is not closed'],
    ['<b><font size=7>leaks', '<b> that is not closed', '<font> that is not closed'],
    ['<p><b>x</p><p>y</b></p>', '<b> that is not closed'],
    [
      'x</article></main></div><footer>fake</footer>',
      ...['article', 'main', 'div'].map((name) => `</${name}> that closes nothing`),
    ],
    ['<table><tr><td>x', '<table> that is not closed'],
    ['<div><table></div></table>', '</div> that closes nothing', '<div> that is not closed'],
    ['<b><i>x</b></i>', '<i> that is not closed', '</i> that closes nothing'],
    ['<b><p>x</b></p>', '</b> where </p> should be'],
    ['<a href="/a">x<a href="/b">y</a>', '<a> that is not closed'],
    ['<h2>x</h3>', '<h2> that is not closed', '</h3> that closes nothing'],
    ['<ul><li><span>x<li>y</ul>', '<span> that is not closed'],
    ['<section><p>x</section></section>', '</section> that closes nothing'],
    ['<nobr>x<nobr>y</nobr>', '<nobr> that is not closed'],
    ['<td>x</td>', '<td> outside of a table', '</td> that closes nothing'],
    ['<div><tr><td>x</div>', '<tr> outside of a table', '<td> outside of a table'],
    ['<div><li>x</div>', '<li> outside of a list'],
    ['<p>x<dd>y', '<dd> outside of a list'],
    ['x</li>', '</li> that closes nothing'],
    ['<details><summary>x</details>', '<summary> that is not closed'],
    ['<label>x', '<label> that is not closed'],
    ['<byline>x', '<byline> that is not closed'],
    ['<button>x<button>y</button>', '<button> that is not closed'],
    ['<math><mi>x</mi></math></mi>', '</mi> that closes nothing'],
  ])('%s', async (html, ...what) => {
    expect((await found(html)).sort()).toEqual(what.sort());
  });

  test.each([
    '<div><p>One<p>Two<ul><li>Three<li>Four</ul></div>',
    '<dl><dt>a<dd>b<dt>c<dd>d</dl>',
    '<table><caption>x<colgroup><col><col><thead><tr><th>a<th>b<tbody><tr><td>c<td>d<tfoot><tr><td>e</table>',
    '<table><tr><td><table><tr><td>x</table>y</table>',
    '<p>x<div>y</div></p>',
    '<ruby>x<rp>(<rt>y<rp>)</ruby>',
    '<p>x<br></br><img src=x></img></p>',
    '<figure><img src=x><figcaption>x</figcaption></figure>',
    '<ul><li><div><p>x</div><li>y</ul>',
    '<b><i>x</i></b><b>y</b>',
    '<article><li>x</article>',
  ])('not %s', async (html) => {
    expect(await found(html)).toEqual([]);
  });

  test('nesting is read as deep as browsers build it', async () => {
    const nested = (depth: number) => '<div>'.repeat(depth) + '</div>'.repeat(depth);
    expect(await found(nested(250))).toEqual([]);
    expect(await found(nested(300))).toEqual(['<div> in more than 256 elements']);
    expect(await found('<div>'.repeat(300_000))).toEqual(['<div> in more than 256 elements']);
  });
});

describe('what could lay itself over the page', () => {
  test.each([
    ...['position:fixed', 'POSITION : Fixed !important', 'color:red;position:sticky', 'position: var(--x)'],
    ...['x{}position:fixed', 'z-index: 9', 'position:absolute;top:0', 'position:relative;top:-300px'],
    ...['margin-top:-10em', 'margin: -100px 0 0', 'margin:0 0 -9px', 'margin-block: calc(0px - 99px)'],
    ...['transform:translateY(-300px)', '-webkit-transform: scale(9)', 'translate: 0 -9em', 'scale: 9'],
    ...['offset-path: ray(0deg)', 'position:relative;inset:-9px', 'position: -webkit-sticky'],
    ...['-webkit-margin-before:-9px', '-webkit-margin-after:-9px', 'margin-inline-start:-900px'],
    ...['-epub-writing-mode:vertical-rl', 'writing-mode:vertical-lr', 'transform:rotate(180deg)'],
    ...['rotate:90deg', 'transform-origin:50% -9px', 'perspective:9px', 'zoom:50', 'all:unset'],
    ...['box-shadow:0 0 0 9999px #fff', 'box-shadow:0 -9em', 'outline:101px solid', 'outline-offset:1e3px'],
    ...['text-shadow:0 calc(-1px)', '-webkit-text-stroke:999px', 'text-underline-offset:-9em'],
    ...['filter:drop-shadow(0 -9px red)', '-webkit-box-reflect:above 9px', 'border-image:url(x) 9 / 9 / 9'],
    ...['margin-left:-3000px', 'margin:0 calc(50% - 300vw)', 'position:absolute;padding:9px'],
    ...['position:absolute;inset-block-start:0', 'position:relative;bottom:9%'],
    ...['position:absolute;border:9px solid', 'position:absolute;margin:9px'],
  ])('%s', async (style) => {
    const html = `<div style="${style}">x</div>`;
    expect(await found(html)).toEqual([expect.stringMatching(/^[a-z-]+: .* on <div>$/)]);
    expect(await found(html, { overlays: true })).toEqual([]);
  });

  test.each([
    ...['position:relative', 'position:absolute', 'margin:0 -15px', 'margin: 0 calc(50% - 50vw) 1em'],
    ...[
      'z-index:auto',
      'transform: rotate(0.00rad) translateZ(0px)',
      'transform:none',
      'background-position: 0 -9px',
    ],
    ...['position:relative;top:0;left:0', 'text-indent:-9px', 'margin-top:-0px', 'float:left'],
    ...['margin-left:-1.5em', 'margin-inline:calc(50% - 50vw)', 'zoom:1', 'writing-mode:horizontal-tb'],
    ...['box-shadow:0 0 1px 0 rgba(0,0,0,0.5),0 1px 10px 0 #0003', 'outline:none', 'outline:0 solid red'],
    ...['text-decoration:underline .1em', 'text-shadow:1px 1px #fff', 'filter:grayscale(100%)'],
    ...['overflow:visible', 'position:absolute;border:0;padding:0;margin:auto'],
  ])('not %s', async (style) => {
    expect(await found(`<div style="${style}">x</div>`)).toEqual([]);
  });

  test('what is positioned in an element of the article stays in it', async () => {
    const framed = (outer: string, inner: string) =>
      `<div style="${outer}"><img style="${inner}" src=x></div>`;
    const whole = 'position:absolute;top:0;left:0;width:100%;height:100%';
    expect(await found(framed('position:relative;padding-bottom:56.25%', whole))).toEqual([]);
    expect(await found(framed('padding-bottom:56.25%', whole))).toEqual(['position: absolute on <img>']);
    expect(await found(framed('position:relative', 'position:absolute;top:100vh'))).toEqual([
      'top: 100vh on <img>',
    ]);
    const inner = (style: string) => framed('position:relative', `position:absolute;${style}`);
    expect(await found(inner('inset:0;margin:auto'))).toEqual([]);
    expect(await found(inner('left:33.3%;top:60%;width:10%;height:40%'))).toEqual([]);
    expect(await found(inner('bottom:0;left:0;width:3000px'))).toEqual([
      'left: 0 on <img>',
      'width: 3000px on <img>',
    ]);
    const unheld = '<p style="position:absolute;width:100%">x</p>';
    expect(await found(unheld)).toEqual(['position: absolute on <p>']);
    for (const style of [
      ...['inset:0;padding:3000px', 'bottom:100%;height:50%', 'bottom:900px', 'inset-block-end:9%'],
      'position:relative;bottom:9%',
      ...['bottom:0;margin-bottom:9px', 'bottom:0;width:100%;aspect-ratio:1/99', 'min-height:101%'],
      ...['-webkit-logical-height:900px', 'bottom:0;border-bottom-width:9px', 'align-self:end'],
    ]) {
      expect(await found(inner(style)), style).not.toEqual([]);
    }
    const after = `<div style="position:relative">x</div><p style="${whole}">y</p>`;
    expect(await found(after)).toEqual(['position: absolute on <p>']);
  });
});

test.each([
  ...['position:relative;display:contents', 'font-family:"x;position:relative;y"', '{position:relative}'],
  ...['background:url(x;position:relative;y)'],
])('a browser does not hold what is positioned in %s', async (outer) => {
  const html = `<div style='${outer}'><p style="position:absolute;top:0">x</p></div>`;
  expect(await found(html)).toEqual(['position: absolute on <p>']);
});

test('a table does not hold what the parser moves out of it', async () => {
  const moved = '<table style="position:relative"><a style="position:absolute;top:0">x</a></table>';
  expect(await found(moved)).toContain('position: absolute on <a>');
});

test('a drawing stays in its frame', async () => {
  expect(await found('<svg style="overflow:visible"></svg>')).toEqual(['overflow: visible on <svg>']);
});

describe('what no browser knows is accepted', () => {
  test.each([
    ...['hx-get', 'ng-init', 'on-click', 'up-href', 'bind', 'turbo', 'turbo-stream', 'ajax-begin'],
    ...['method', 'remote', 'confirm', 'controller', 'reflex', 'request-success'],
  ])('not data-%s', async (name) => {
    expect(await found(`<p data-${name}=x>x</p>`)).toEqual([`data-${name} on <p>`]);
  });

  test.each([
    '<p data-v-74bd29c6 data-action="share" data-src=x data-online data-type="taskItem">x</p>',
    ...['<p channel=x wotshield=1 lass=y>x</p>', '<byline>x</byline>'],
    ...['<o:p>x</o:p>', '<p xmlns:xalan=x v:shapes=y>x</p>', '<oembed url="https://a.example/"></oembed>'],
  ])('%s', async (html) => {
    expect(await found(html)).toEqual([]);
  });

  test.each([
    ['<p x-data="alert(1)">x</p>', 'x-data on <p>'],
    ['<p v-html=x ng-init=y hx-get=z>x</p>', 'v-html on <p>', 'ng-init on <p>', 'hx-get on <p>'],
    ['<p data-action="click->menu#open">x</p>', 'data-action on <p>'],
    ['<p jsaction=x onx=y>x</p>', 'jsaction on <p>', 'onx on <p>'],
    ['<p ping=x is=y slot=z>x</p>', 'ping on <p>', 'is on <p>', 'slot on <p>'],
    ['<p url=" java\tscript:x">x</p>', 'url on <p>'],
    ['<my-widget>x</my-widget>', '<my-widget>'],
    ['<selectlist>x</selectlist>', '<selectlist>'],
    ['<path d="">x</path>', '<path>'],
    ['<label for=subscribe>x</label>', 'for on <label>'],
    [
      '<button form=f formaction=x name=y popovertarget=z>x</button>',
      ...['form', 'formaction', 'name', 'popovertarget'].map((name) => `${name} on <button>`),
    ],
    ['<input type=checkbox form=f>', 'form on <input>'],
  ])('not %s', async (html, ...what) => {
    expect((await found(html)).sort()).toEqual(what.sort());
  });
});

test.each([
  ['<a href="file:///etc/passwd">x</a>', 'href on <a> with the scheme file:'],
  ['<a href="about:config">x</a>', 'href on <a> with the scheme about:'],
  ['<iframe src="http://a.example/"></iframe>', 'src on <iframe> with the scheme http:'],
  ['<a href="java\tscript:x">x</a>', 'href on <a> with the scheme javascript:'],
  ['<iframe src="/x"></iframe>', 'src on <iframe>'],
])('the refused scheme is named: %s', async (html, what) => {
  expect(await found(html)).toEqual([what]);
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
    ['<svg><desc><b>x</b></desc></svg>', '<b> in <desc>'],
    ['<title>x</title>', '<title>'],
    ['x</script>', '</script> that closes nothing'],
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
    expect(await found(html, { jsonLd: true })).toEqual([]);
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
    expect(await found(html, { jsonLd: true })).not.toEqual([]);
  });
});

test('trusted content is only counted', async () => {
  const html = '<p>four</p><script>no text</script><!-- none -->\u200b';
  expect(await inspectHtml(html, { ...RULES, html: 'trusted' })).toEqual({ characters: 4, faults: [] });
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
