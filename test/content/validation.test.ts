import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody, CONTENT, type ContentClient, wholeArticle } from '../support/content-client.ts';
import type { Answer, JsonBody } from '../support/http.ts';

let fixture: ContentFixture;
let client: ContentClient;

beforeAll(async () => {
  fixture = await contentFixture();
  client = fixture.client;
});

afterAll(() => fixture.close());

/** `field` and `code` of every error in an answer that must be 422. */
function faults({ status, headers, body }: Answer): [field: string, code: string][] {
  expect([status, body.code, headers.get('content-type')]).toEqual([
    422,
    'validation_failed',
    'application/problem+json',
  ]);
  for (const { message } of body.errors) expect(message).toMatch(/\w/);
  return body.errors.map(({ field, code }: JsonBody) => [field, code]);
}

const postArticle = (more: JsonBody) => client.post('/api/articles', articleBody(more));
const postCategory = (more: JsonBody) => client.post('/api/categories', { name: 'Name', ...more });

/** A URL of exactly `length` characters. */
const urlOf = (length: number) => 'https://a.example/'.padEnd(length, 'x');

/** Text of exactly `length` code points. */
const textOf = (character: string) => (length: number) => character.repeat(length);

describe.each([
  ['one code unit', 'x'],
  ['two code units', '😀'],
])('limits count code points of %s', (_what, character) => {
  test.each([
    ['title', 255, textOf(character)],
    ['excerpt', 500, textOf(character)],
    ['featured_image', 500, urlOf],
    ['alt_text', 255, textOf(character)],
    ['meta_title', 255, textOf(character)],
    ['meta_description', 320, textOf(character)],
    ['canonical_url', 500, urlOf],
    ['author', 255, textOf(character)],
  ])('%s of an article accepts %i', async (field, limit, make) => {
    const at = await postArticle({ [field]: make(limit) });
    expect(at.status).toBe(201);
    expect((await client.detail(at.body.data.id))[field]).toBe(make(limit));
    expect(faults(await postArticle({ [field]: make(limit + 1) }))).toEqual([[field, 'too_long']]);
    const path = `/api/articles/${at.body.data.id}`;
    expect(faults(await client.patch(path, { [field]: make(limit + 1) }))).toEqual([[field, 'too_long']]);
    const whole = wholeArticle({ [field]: make(limit + 1) });
    expect(faults(await client.put(path, whole))).toEqual([[field, 'too_long']]);
  });

  test.each([
    ['name', 100],
    ['description', 500],
  ])('%s of a category accepts %i', async (field, limit) => {
    const at = await postCategory({ [field]: character.repeat(limit) });
    expect(at.status).toBe(201);
    const path = `/api/categories/${at.body.data.id}`;
    expect((await client.anonymously(path)).body.data[field]).toBe(character.repeat(limit));
    const beyond = { [field]: character.repeat(limit + 1) };
    expect(faults(await postCategory(beyond))).toEqual([[field, 'too_long']]);
    expect(faults(await client.patch(path, beyond))).toEqual([[field, 'too_long']]);
    const whole = { name: 'Name', description: null, ...beyond };
    expect(faults(await client.put(path, whole))).toEqual([[field, 'too_long']]);
  });

  test('content needs 50, not counting tags', async () => {
    const of = (length: number) => ({
      content: `<p title="not text">${character.repeat(length)}</p><!-- no -->`,
    });
    expect((await postArticle(of(50))).status).toBe(201);
    expect(faults(await postArticle(of(49)))).toEqual([['content', 'too_short']]);
    const { id } = await client.article();
    expect(faults(await client.patch(`/api/articles/${id}`, of(49)))).toEqual([['content', 'too_short']]);
    expect(faults(await client.put(`/api/articles/${id}`, wholeArticle(of(49))))).toEqual([
      ['content', 'too_short'],
    ]);
  });
});

describe('content counts its text', () => {
  test.each([
    ['tags alone', '<p></p>'.repeat(50)],
    ['white space alone', ' \n'.repeat(50)],
    ['a comment', `<!-- ${'x'.repeat(50)} -->`],
    ['zero-width characters', '\u200b'.repeat(60)],
    ['soft hyphens and joiners among letters', 'x\u00ad\u200d\ufe0f'.repeat(49)],
    ['attributes', `<img alt="${'x'.repeat(50)}">`],
    ['character references, one character each', '&amp;'.repeat(49)],
    ['nothing', ''],
  ])('%s is not enough', async (_what, content) => {
    expect(faults(await postArticle({ content }))).toEqual([['content', 'too_short']]);
  });

  test.each([
    ['plain text', 'x'.repeat(50)],
    ['character references', '&amp;'.repeat(50)],
    ['text between many tags', '<b>x</b>'.repeat(50)],
    ['text after an unclosed tag', `<p>${'x'.repeat(50)}`],
  ])('%s is', async (_what, content) => {
    expect((await postArticle({ content })).status).toBe(201);
  });
});

describe('a body that breaks rules', () => {
  test('reports every error at once', async () => {
    const answer = await client.post('/api/articles', {
      title: 'x'.repeat(256),
      content: 'short',
      excerpt: 7,
      category_id: 'one',
      featured_image: 'not a url',
      is_published: 'yes',
      surprise: true,
      another: 1,
    });
    expect(faults(answer).sort()).toEqual([
      ['another', 'unknown_member'],
      ['category_id', 'invalid_type'],
      ['content', 'too_short'],
      ['excerpt', 'invalid_type'],
      ['featured_image', 'invalid_format'],
      ['is_published', 'invalid_type'],
      ['surprise', 'unknown_member'],
      ['title', 'too_long'],
    ]);
    expect(answer.body.detail).toContain('7 more');
  });

  test('an article needs title and content, a category its name', async () => {
    expect(faults(await client.post('/api/articles', {}))).toEqual([
      ['title', 'required'],
      ['content', 'required'],
    ]);
    expect(faults(await client.post('/api/categories', {}))).toEqual([['name', 'required']]);
  });

  test.each(['title', 'author'])('%s is not only white space', async (field) => {
    for (const blank of ['', ' ', '\u3000\u00a0']) {
      expect(faults(await postArticle({ [field]: blank }))).toEqual([[field, 'required']]);
    }
  });

  test('the name of a category is not only white space', async () => {
    for (const blank of ['', ' \u2003']) {
      expect(faults(await postCategory({ name: blank }))).toEqual([['name', 'required']]);
    }
  });

  const wrong = {
    string: [null, 7, true, [], {}, ['x']],
    'string or null': [7, true, [], {}],
    boolean: [null, 0, 1, 'true', [], {}],
    'id or null': ['1', 1.5, true, [], {}],
  };
  test.each([
    ...[['title', 'string'] as const, ['content', 'string'] as const, ['author', 'string'] as const],
    ...(
      ['excerpt', 'featured_image', 'alt_text', 'meta_title', 'meta_description', 'canonical_url'] as const
    ).map((field) => [field, 'string or null'] as const),
    ...[['is_published', 'boolean'] as const, ['category_id', 'id or null'] as const],
  ])('%s is a %s', async (field, type) => {
    for (const value of wrong[type]) {
      expect(faults(await postArticle({ [field]: value })), JSON.stringify(value)).toEqual([
        [field, 'invalid_type'],
      ]);
    }
  });

  test.each(['id', 'published_at', 'created_at', 'category', 'related_articles'])(
    '%s is not writable in an article',
    async (field) => {
      expect(faults(await postArticle({ [field]: null }))).toEqual([[field, 'unknown_member']]);
    },
  );

  test.each([
    ['an array', []],
    ['null', null],
    ['a string', 'text'],
    ['a number', 7],
  ])('%s is neither an article nor a category', async (_what, json) => {
    for (const path of ['/api/articles', '/api/categories']) {
      const answer = await client.post(path, json);
      expect(faults(answer)).toEqual([['', 'invalid_type']]);
      expect(answer.body.errors[0].message).toMatch(/object/);
    }
  });

  test.each([
    ...[
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      '',
      'a.b',
      'a/b',
      '\0',
      '\ud800',
    ],
  ])('a member named %j is unknown', async (name) => {
    const raw = `${JSON.stringify(articleBody()).slice(0, -1)},${JSON.stringify(name)}:{"prototype":{"x":1}}}`;
    const headers = { 'content-type': 'application/json' };
    const answer = await client.send('/api/articles', { method: 'POST', raw, headers });
    expect(faults(answer)).toEqual([[name, 'unknown_member']]);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });
});

describe('category_id', () => {
  test.each([2_147_483_647, 2_147_483_648, 2 ** 53 - 1])('%i, which does not exist, is 422', async (id) => {
    const { id: article } = await client.article();
    const missing = [['category_id', 'not_found']];
    expect(faults(await postArticle({ category_id: id }))).toEqual(missing);
    expect(faults(await client.patch(`/api/articles/${article}`, { category_id: id }))).toEqual(missing);
    const whole = wholeArticle({ category_id: id });
    expect(faults(await client.put(`/api/articles/${article}`, whole))).toEqual(missing);
  });

  test.each([0, -1, 1e300])('%d is not an id', async (id) => {
    const answer = await postArticle({ category_id: id });
    expect(faults(answer)).toHaveLength(1);
    expect(answer.body.errors[0]).toMatchObject({
      field: 'category_id',
      message: expect.stringMatching(/id/),
    });
    expect(answer.body.errors[0].code).not.toMatch(/long|short/);
  });
});

describe('text that cannot be stored', () => {
  test.each([
    ['NUL', 'a\0b'],
    ['a lone high surrogate', 'a\ud83d'],
    ['a lone low surrogate', '\ude00b'],
  ])('%s is refused wherever it occurs', async (_what, text) => {
    for (const field of ['title', 'excerpt', 'alt_text', 'meta_title', 'meta_description', 'author']) {
      expect(faults(await postArticle({ [field]: text }))).toEqual([[field, 'invalid_characters']]);
    }
    expect(faults(await postArticle({ content: CONTENT + text }))).toEqual([
      ['content', 'invalid_characters'],
    ]);
    expect(faults(await postCategory({ name: text }))).toEqual([['name', 'invalid_characters']]);
    expect(faults(await postCategory({ description: text }))).toEqual([
      ['description', 'invalid_characters'],
    ]);
  });
});

describe('URLs', () => {
  test.each([
    ...[
      'javascript:alert(1)',
      '/relative.jpg',
      'ftp://a.example/x',
      'data:image/png;base64,AAAA',
      'a.jpg',
      '',
    ],
    ...[
      'https://',
      'https://exa mple.org/',
      ' https://a.example/',
      'https://a.example/\n',
      'https://a.example/a b',
    ],
    ...['http:a.example', 'https:/a.example', '//a.example/x'],
    // Addresses that a page could not show as they are, or a reader would misread.
    ...['https://a.example/"onerror="alert(1)', "https://a.example/'><script>", 'https://a.example/новости'],
    ...['https://user:word@a.example/', 'https://bank.example@a.example/', 'https://a.example/\u202egpj.exe'],
  ])('%j is refused', async (url) => {
    for (const field of ['featured_image', 'canonical_url']) {
      expect(faults(await postArticle({ [field]: url }))).toEqual([[field, 'invalid_format']]);
    }
  });

  test.each([
    ...['http://a.example', 'HTTPS://A.example/%7Ex?y=1#z', 'https://xn--e1afmkfd.example/%D0%BA.jpg'],
    ...['https://a.example:8443/a_(b).jpg', 'https://[2001:db8::1]/a'],
  ])('%j is kept as written', async (url) => {
    const { id } = await client.article({ featured_image: url, canonical_url: url });
    expect(await client.detail(id)).toMatchObject({ featured_image: url, canonical_url: url });
  });
});

describe.each([
  ['category', '/api/categories', { name: 'Slugged' }],
  ['article', '/api/articles', articleBody()],
])('the slug of a %s', (_what, path, body) => {
  const post = (slug: unknown) => client.post(path, { ...body, slug });

  test.each(['', 'Upper', '-a', 'a-', 'a--b', 'a_b', 'a b', 'é', 'a\n', 'x/y'])(
    '%j is refused',
    async (slug) => {
      expect(faults(await post(slug))).toEqual([['slug', 'invalid_format']]);
    },
  );

  test('has at most 100 characters', async () => {
    expect((await post('a'.repeat(100))).status).toBe(201);
    expect(faults(await post('a'.repeat(101)))).toEqual([['slug', 'too_long']]);
  });

  test('is not null in a change', async () => {
    const { id } = (await post(null)).body.data;
    expect(faults(await client.patch(`${path}/${id}`, { slug: null }))).toEqual([['slug', 'invalid_type']]);
  });
});

describe('a body that cannot be read', () => {
  const json = { 'content-type': 'application/json' };
  const post = (raw: string | Uint8Array<ArrayBuffer> | undefined, headers: Record<string, string>) =>
    client.send('/api/articles', { method: 'POST', headers, ...(raw !== undefined && { raw }) });

  test.each([
    ['malformed JSON', '{"title":', json],
    ['JSON and more', '{} x', json],
    ['an empty body', '', json],
    ['no body', undefined, {}],
    ['no body, with a type', undefined, json],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), json],
  ])('%s is 400', async (_what, raw, headers) => {
    const { status, body } = await post(raw, headers);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.detail).toMatch(/body/);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/merge-patch+json',
    'text/json',
    'nonsense',
  ])('%s is 415', async (type) => {
    const { status, body } = await post(JSON.stringify(articleBody()), { 'content-type': type });
    expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
    expect(body.detail).toContain('application/json');
  });

  test('bytes without a type are 415', async () => {
    const raw = new TextEncoder().encode(JSON.stringify(articleBody()));
    const { status, body } = await post(raw, {});
    expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
  });

  test.each(['application/json; charset=utf-8', 'APPLICATION/JSON'])('%s is read', async (type) => {
    const { status } = await post(JSON.stringify(articleBody()), { 'content-type': type });
    expect(status).toBe(201);
  });

  test('is 413 over the limit and accepted at the limit', async () => {
    const limit = 2 * 2 ** 20;
    const of = (size: number) => {
      const frame = JSON.stringify(articleBody({ content: '' })).length;
      return JSON.stringify(articleBody({ content: 'x'.repeat(size - frame) }));
    };
    expect((await post(of(limit), json)).status).toBe(201);
    const { status, body } = await post(of(limit + 1), json);
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
  });
});

describe('unsafe HTML', () => {
  test('is 422 unsafe_html, naming what and where, and nothing is written', async () => {
    const content = `${CONTENT}\n<p>ok</p> <script>alert(1)</script>\n<img src=x onerror=alert(1)>`;
    const answer = await postArticle({ title: 'Unsafe', content });
    expect([answer.status, answer.body.code]).toEqual([422, 'unsafe_html']);
    expect(answer.body.errors).toEqual([
      {
        field: 'content',
        code: 'unsafe_html',
        message: '<script> is not allowed (line 2, column 11)',
      },
      {
        field: 'content',
        code: 'unsafe_html',
        message: 'onerror on <img> is not allowed (line 3, column 1)',
      },
    ]);
    expect(answer.body.detail).toContain('<script> is not allowed (line 2, column 11)');
    const { text } = await client.send('/api/articles?status=all&per_page=100');
    expect(text).not.toContain('"Unsafe"');
  });

  test('is reported together with every other error', async () => {
    const answer = await postArticle({ title: '', content: '<b onclick=x>short</b>', surprise: 1 });
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    expect(faults(answer).sort()).toEqual([
      ['content', 'too_short'],
      ['content', 'unsafe_html'],
      ['surprise', 'unknown_member'],
      ['title', 'required'],
    ]);
  });

  test('is structured data too, unless the site allows it', async () => {
    const content = `${CONTENT}<script type="application/ld+json">{"@type": "NewsArticle"}</script>`;
    expect((await postArticle({ content })).body.code).toBe('unsafe_html');
    const allowing = await contentFixture({ CONTENT_JSON_LD: 'allowed' });
    try {
      const { id } = await allowing.client.article({ content });
      expect((await allowing.client.detail(id)).content).toBe(content);
      const code = content.replace('application/ld+json', 'module');
      expect((await allowing.client.post('/api/articles', articleBody({ content: code }))).status).toBe(422);
    } finally {
      await allowing.close();
    }
  });

  test.each([
    ['62,000 paragraphs', '<p>word word'.repeat(62_000)],
    ['130,000 line breaks', `${'word '.repeat(20)}${'<br>'.repeat(130_000)}`],
    ['250 levels', `${'<div>'.repeat(250)}${'word '.repeat(20)}${'</div>'.repeat(250)}`],
  ])('is not merely long HTML: %s', async (_what, content) => {
    const { id } = await client.article({ content });
    expect((await client.detail(id)).content).toBe(content);
  });

  test('is refused in formatting that a browser would multiply by millions, and the service goes on', async () => {
    const open = Array.from({ length: 700 }, (_, index) => `<b a=${index}>`).join('');
    const answer = await postArticle({ content: `<p>${open}${'<p>word '.repeat(3500)}` });
    expect([answer.status, answer.body.code]).toEqual([422, 'unsafe_html']);
    expect((await client.anonymously('/api/articles')).status).toBe(200);
  });

  test('is refused in PUT and PATCH too', async () => {
    const { id } = await client.article();
    const content = `${CONTENT}<base href="https://evil.example/">`;
    const put = await client.put(`/api/articles/${id}`, wholeArticle({ content }));
    const patch = await client.patch(`/api/articles/${id}`, { content });
    expect([put.status, put.body.code]).toEqual([422, 'unsafe_html']);
    expect([patch.status, patch.body.code]).toEqual([422, 'unsafe_html']);
    expect((await client.detail(id)).content).toBe(CONTENT);
  });

  test('is accepted byte for byte if HTML is trusted', async () => {
    const trusting = await contentFixture({ CONTENT_HTML: 'trusted' });
    try {
      const content = `${CONTENT}<script>alert(1)</script><a href="javascript:x()">x</a><base href=/>`;
      const { id } = await trusting.client.article({ content });
      expect((await trusting.client.detail(id)).content).toBe(content);
    } finally {
      await trusting.close();
    }
  });
});

describe('text that would turn or break the lines around it', () => {
  const TURNED = ['gnp\u202egpj', 'a\u2066b', 'two\nlines', 'two\u2028lines', 'a\u0007'];

  test.each(['title', 'meta_title', 'author'])('%s of an article', async (field) => {
    for (const text of TURNED)
      expect(faults(await postArticle({ [field]: text })), text).toEqual([[field, 'invalid_characters']]);
  });

  test('the name of a category', async () => {
    for (const name of TURNED)
      expect(faults(await client.post('/api/categories', { name }))).toEqual([
        ['name', 'invalid_characters'],
      ]);
  });
});

describe('any text', () => {
  /** Text in any script, quotes and control characters, without characters that cannot be stored. */
  const anyText = (constraints: fc.StringConstraints) =>
    fc
      .string({ unit: 'binary', ...constraints })
      .map((text) => text.replaceAll('\0', '\u0001'))
      .filter((text) => text.isWellFormed());

  /** Without what no title may have. */
  const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '_');

  test('comes back byte for byte', async () => {
    const texts = fc.record({
      title: anyText({ minLength: 1, maxLength: 100 }).map((text) => oneLine(`T${text}`)),
      content: anyText({ maxLength: 500 }).map((text) => `${CONTENT}${text.replaceAll('<', '&lt;')}`),
      excerpt: anyText({ maxLength: 250 }),
      alt_text: anyText({ maxLength: 120 }),
      meta_title: anyText({ maxLength: 120 }).map(oneLine),
      meta_description: anyText({ maxLength: 160 }),
    });
    await fc.assert(
      fc.asyncProperty(texts, async (sent) => {
        const { id, slug } = await client.article({ ...sent, is_published: true });
        expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        const { body } = await client.anonymously(`/api/articles/${id}`);
        expect(body.data).toMatchObject(sent);
        const changed = await client.patch(`/api/articles/${id}`, { excerpt: sent.meta_title });
        expect(changed.body.data).toEqual(
          sent.excerpt === sent.meta_title ? { id } : { id, excerpt: sent.meta_title },
        );
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ['a byte order mark', '\ufeffx'],
    ['line separators', 'a\u2028b\u2029c\r\nd\re'],
    ['NFD and NFC', 'e\u0301\u00e9'],
    ['right to left', '\u202eשלום\u202c'],
    ['emoji with joiners', '👩‍👩‍👧‍👦🏳️‍🌈'],
    ['the last code point', '\u{10ffff}\uffff'],
    ['text that looks like escapes', '\\u0000 %00 &#0; $x {{y}} \' " `'],
  ])('%s is kept', async (_what, text) => {
    const title = oneLine(`x${text}`);
    const { id } = await client.article({ title, excerpt: text, content: CONTENT + text });
    expect(await client.detail(id)).toMatchObject({
      title,
      excerpt: text,
      content: CONTENT + text,
    });
  });
});

test.each(['[]', 'null', '"x"', '1', '[{"title": "x"}]'])(
  'a body that is %s is refused in a sentence',
  async (raw) => {
    for (const [method, path] of [
      ['POST', '/api/articles'],
      ['PATCH', '/api/categories/1'],
      ['PUT', '/api/releases/a'],
    ] as const) {
      const { status, body } = await client.send(path, {
        method,
        raw,
        headers: { 'content-type': 'application/json' },
      });
      expect([status, body.detail]).toEqual([422, expect.stringMatching(/^the body must be a JSON object/)]);
    }
  },
);

test('a slug that is null in a create is made, as if it were left out', async () => {
  const { status, body } = await client.post(
    '/api/articles',
    articleBody({ title: 'Without a slug', slug: null }),
  );
  expect([status, body.data.slug]).toEqual([201, 'without-a-slug']);
  for (const kind of ['categories', 'tags', 'authors']) {
    const made = await client.post(`/api/${kind}`, { name: 'Null slug', slug: null });
    expect([made.status, made.body.data.slug]).toEqual([201, 'null-slug']);
  }
});

test.each(['1', '2'])('page %s with a cursor is refused', async (page) => {
  for (const cursor of ['', 'x']) {
    const { status, body } = await client.anonymously(`/api/articles?page=${page}&cursor=${cursor}`);
    expect([status, body.detail]).toEqual([400, expect.stringContaining('"page" does not go with cursor')]);
  }
});

test('the description says which bodies may be left out', async () => {
  const { paths } = (await client.anonymously('/openapi.json')).body;
  const optional = Object.entries<Record<string, { requestBody?: { required: boolean } }>>(paths).flatMap(
    ([path, methods]) =>
      Object.values(methods).flatMap((one) => (one.requestBody?.required === false ? [path] : [])),
  );
  expect(optional).toEqual([
    '/api/articles/{id}/restore',
    '/api/articles/{id}/revisions/{revision}/restore',
    '/api/imports/{id}/check',
  ]);
});
