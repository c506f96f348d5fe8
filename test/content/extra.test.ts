import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readExtraSchema } from '@pressroom/content/articles/extra-schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody, CONTENT, type ContentClient, wholeArticle } from '../support/content-client.ts';
import { contentCli } from '../support/content-import.ts';
import type { JsonBody } from '../support/http.ts';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';

const branch = { type: 'object', required: ['node'], properties: { node: { $ref: '#/$defs/node' } } };

const inner = { not: { type: 'object', properties: { a: { $ref: '#/$defs/deep' } } } };

/** Any member, and rules for some. */
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    price: {
      type: 'object',
      required: ['amount', 'currency'],
      additionalProperties: false,
      properties: {
        amount: { type: 'number', minimum: 0 },
        currency: { enum: ['EUR', 'USD'] },
      },
    },
    place: { type: 'string', 'x-searchable': true },
    ingredients: { type: 'array', items: { type: 'string', 'x-searchable': true } },
    kitchen: { type: 'string' },
    code: { type: 'string', pattern: '^(a+)+$' },
    web: { type: 'string', format: 'uri' },
    'a/b': { type: 'number' },
    tree: { $ref: '#/$defs/node' },
    deep: { $ref: '#/$defs/deep' },
  },
  // Each level doubles what has to be tried, of `node` in memory, of `deep` in time alone.
  $defs: {
    node: { anyOf: [branch, { ...branch, title: 'the same again' }] },
    deep: { allOf: [{ not: inner }, { not: inner }] },
  },
};

let fixture: ContentFixture;
let client: ContentClient;
let folder: string;
let file: string;
beforeAll(async () => {
  folder = await temporaryHome();
  file = path.join(folder, 'extra.json');
  await writeFile(file, JSON.stringify(SCHEMA));
  fixture = await contentFixture({ CONTENT_EXTRA_SCHEMA: file });
  client = fixture.client;
});
afterAll(() => fixture.close());

const EXTRA = { price: { amount: 4.5, currency: 'EUR' }, place: 'Łódź', open: [true, null, { at: '18:00' }] };

const extraOf = async (at: string | number): Promise<JsonBody> =>
  (await client.anonymously(`/api/articles/${at}?include=extra`)).body.data.extra;

/** The body of a create with this text for `extra`. */
const rawBody = (extra: string) => `${JSON.stringify(articleBody()).slice(0, -1)}, "extra": ${extra}}`;

const sendRaw = (extra: string) =>
  client.send('/api/articles', {
    method: 'POST',
    raw: rawBody(extra),
    headers: { 'content-type': 'application/json' },
  });

test('extra is written with the article, and shown where it is asked for', async () => {
  const { id, slug } = (await client.publish({ title: 'With extra', extra: EXTRA })).body.data;
  const { id: without } = (await client.publish({ title: 'With nothing' })).body.data;
  expect((await client.anonymously(`/api/articles/${id}`)).body.data).not.toHaveProperty('extra');
  expect(await extraOf(id)).toEqual(EXTRA);
  expect(await extraOf(`by-slug/${slug}`)).toEqual(EXTRA);
  expect(await extraOf(without)).toBeNull();
  const found = async (query: string) => {
    const path = `/api/articles?ids=${id},${without}&include=extra${query}`;
    const { body } = await client.anonymously(path);
    return new Map(body.data.map((one: JsonBody) => [one.id, one.extra]));
  };
  await until('both are found', async () => (await found('&q=with')).size === 2);
  for (const query of ['', '&q=with', '&cursor=', '&fields=title,content&cursor=']) {
    expect(await found(query), query).toEqual(
      new Map([
        [id, EXTRA],
        [without, null],
      ]),
    );
  }
  expect((await client.anonymously(`/api/articles?ids=${id}`)).text).not.toContain('"extra"');

  const next = { ...EXTRA, price: { amount: 5, currency: 'USD' } };
  expect((await client.patch(`/api/articles/${id}`, { extra: next })).body.data).toEqual({ id, extra: next });
  expect((await client.patch(`/api/articles/${id}`, { extra: next })).body.data).toEqual({ id });
  // A client of the contract does not know it.
  const body = wholeArticle({ title: 'With extra', is_published: true });
  expect((await client.put(`/api/articles/${id}`, body)).status).toBe(200);
  expect(await extraOf(id)).toEqual(next);
  const { headers } = await client.send(`/api/articles/${id}`);
  expect((await client.put(`/api/articles/${id}`, { ...body, extra: null })).status).toBe(200);
  expect(await extraOf(id)).toBeNull();
  const late = await client.send(`/api/articles/${id}`, {
    method: 'PATCH',
    json: { extra: {} },
    headers: { 'if-match': String(headers.get('etag')) },
  });
  expect(late.status).toBe(412);

  const revisions = await client.send(`/api/articles/${id}/revisions`);
  expect(revisions.body.data[0].changed).toEqual(['extra']);
  const restored = await client.post(`/api/articles/${id}/revisions/1/restore`, {});
  expect(restored.body.data).toEqual({ id, extra: EXTRA });
  await client.delete(`/api/articles/${id}`);
  await client.post(`/api/articles/${id}/restore`, {});
  expect(await extraOf(id)).toEqual(EXTRA);

  const copy = `/api/articles/${id}/working-copy`;
  expect((await client.put(copy, { extra: next })).body.data.changes).toEqual({ extra: next });
  expect((await client.put(copy, { extra: { price: 1 } })).status).toBe(422);
  const { token } = (await client.post(`/api/articles/${id}/previews`, {})).body.data;
  const preview = await client.anonymously(`/api/articles/${id}?include=extra&preview=${token}`);
  expect([preview.body.data.extra, await extraOf(id)]).toEqual([next, EXTRA]);
  expect((await client.post(`${copy}/publish`, undefined)).status).toBe(200);
  expect(await extraOf(id)).toEqual(next);
  const synced = await client.anonymously('/api/sync/snapshot?fields=full');
  const item = synced.body.data.find((one: JsonBody) => one.kind === 'article' && one.id === id);
  expect(item.extra).toEqual(next);
  expect((await client.anonymously('/api/sync/snapshot')).text).not.toContain('"extra"');
});

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const kilobytes = (bytes: number) =>
  JSON.stringify({ a: 'x'.repeat(bytes - JSON.stringify({ a: '' }).length) });

test.each([
  ['"text"', 'extra', 'invalid_type'],
  ['[]', 'extra', 'invalid_type'],
  ['{"a": ["x\\u0000"]}', 'extra.a.0', 'invalid_characters'],
  ['{"a": "\\ud800"}', 'extra.a', 'invalid_characters'],
  ['{"a": {"\\ud800": 1}}', 'extra.a', 'invalid_characters'],
  ['{"a": {"__proto__": {"b": 1}}}', 'extra.a', 'invalid_characters'],
  ['{"a": 1e400}', 'extra.a', 'invalid_value'],
  ['{"a": 9007199254740993}', 'extra.a', 'invalid_value'],
  ['{"a": 1e-300}', 'extra.a', 'invalid_value'],
  [nested(33), 'extra', 'too_deep'],
  [nested(20_000), 'extra', 'too_deep'],
  [kilobytes(16_385), 'extra', 'too_long'],
  [`{"a": "${'ä'.repeat(8190)}"}`, 'extra', 'too_long'],
])('what could not be kept as it was sent is refused: %.40s', async (extra, field, code) => {
  const { status, body } = await sendRaw(extra);
  expect([status, body.errors]).toEqual([422, [{ field, code, message: expect.any(String) }]]);
});

test('what can be kept is, however odd it is', async () => {
  const odd = [
    '{}',
    nested(32),
    kilobytes(16_384),
    '{"constructor": {"prototype": {"a": 1}}, "toJSON": 1, "toPostgres": "x", "": 0, "0": -0.1, "1": 9007199254740991}',
    '{"a": [1e-20, 1.5, 0.1, true, null, "\\u2028\\u0001😀"]}',
  ];
  for (const extra of odd) {
    const { status, text, body } = await sendRaw(extra);
    expect([status, text]).toEqual([201, text]);
    const shown = await client.send(`/api/articles/${body.data.id}?include=extra`);
    expect(shown.body.data.extra).toEqual(JSON.parse(extra));
  }
});

test('patterns that together take long are given up, while everything else is answered', async () => {
  const heavy = path.join(folder, 'heavy.json');
  const anyOf = Array.from({ length: 180 }, (_, n) => ({
    pattern: `(?:(a)|(b)|(ab)| ){0,120}[xy]{${n + 1}}$`,
  }));
  await writeFile(heavy, JSON.stringify({ type: 'object', properties: { a: { type: 'string', anyOf } } }));
  const schema = await readExtraSchema(heavy);
  let answered = 0;
  const others = setInterval(() => {
    answered += 1;
  });
  expect(await schema?.faults({ a: `${'ab '.repeat(5000)}c` }, 'writer')).toEqual([
    { field: 'extra', code: 'invalid', message: expect.stringContaining('500 ms') },
  ]);
  clearInterval(others);
  await schema?.close();
  expect(answered).toBeGreaterThan(1);
});

test('what the schema refuses is 422 naming every place', async () => {
  const extra = {
    price: { amount: -1, currency: 'GBP', tax: 1 },
    place: 7,
    web: 'no address',
    code: 'b',
    'a/b': 'x',
  };
  const refused = await client.publish({ title: '', extra });
  expect(refused.status).toBe(422);
  expect(refused.body.errors.map(({ field, code }: JsonBody) => `${field} ${code}`).sort()).toEqual([
    'extra.a/b invalid_type',
    'extra.code invalid_format',
    'extra.place invalid_type',
    'extra.price.amount too_small',
    'extra.price.currency invalid_value',
    'extra.price.tax unknown_member',
    'extra.web invalid_format',
    'title required',
  ]);
  expect(refused.text).toContain('EUR, USD');
  const missing = await client.publish({ extra: { price: { amount: 1 } } });
  expect(missing.body.errors).toEqual([
    { field: 'extra.price.currency', code: 'required', message: 'is required' },
  ]);
  // A backtracking engine, or a naive check, would never end on these.
  const linear = await client.publish({ extra: { code: `${'a'.repeat(16_000)}!` } });
  expect(linear.body.errors).toEqual([expect.objectContaining({ field: 'extra.code' })]);
  const tree = JSON.parse(`${'{"node":'.repeat(30)}1${'}'.repeat(30)}`);
  for (const extra of [{ tree }, { deep: JSON.parse(nested(30)) }]) {
    expect((await client.publish({ extra })).body.errors).toEqual([
      { field: 'extra', code: 'invalid', message: expect.stringContaining('500 ms') },
    ]);
  }
});

test('what the schema marks is searched, also after a change, and anew by reindex', async () => {
  const find = async (q: string) =>
    (await client.anonymously(`/api/articles?q=${q}&highlight=1`)).body.data.map(({ id }: JsonBody) => id);
  const { id } = (
    await client.publish({ extra: { place: 'Zanzibar', ingredients: ['Saffron'], kitchen: 'Swahili' } })
  ).body.data;
  await until('the article is found', async () => (await find('saffron')).includes(id));
  expect([await find('zanzi'), await find('swahili')]).toEqual([[id], []]);
  await client.patch(`/api/articles/${id}`, { extra: { place: 'Mombasa', kitchen: 'Swahili' } });
  await until('the article is found again', async () => (await find('mombasa')).includes(id));
  expect(await find('zanzibar')).toEqual([]);

  const other = path.join(folder, 'other.json');
  const properties = { kitchen: { type: 'string', 'x-searchable': true }, place: { type: 'number' } };
  await writeFile(other, JSON.stringify({ type: 'object', properties }));
  const { code, stdout } = await contentCli(fixture, ['reindex'], { env: { CONTENT_EXTRA_SCHEMA: other } });
  expect([code, stdout]).toEqual([0, expect.stringContaining('searchable')]);
  await until('the search is not cached any more', async () => (await find('mombasa')).length === 0);
  // Although it does not fit the schema as it is now.
  expect(await find('swahili')).toEqual([id]);
});

test('an import holds extra to the schema', async () => {
  const extras = ['{"place": "Łódź"}', '{"place": 1}', '{"__proto__": 1}', '7', 'null'];
  const lines = extras.map(
    (extra, n) =>
      `{"title": "Imported ${n}", "author": "Test", "is_published": false, "html": ${JSON.stringify(CONTENT)}, "extra": ${extra}}`,
  );
  const settings = { input: lines.join('\n'), env: { CONTENT_EXTRA_SCHEMA: file } };
  const { stdout } = await contentCli(fixture, ['import', '-'], settings);
  expect(stdout.split('\n').slice(0, -1)).toEqual([
    'line 2: extra.place: must be string',
    expect.stringMatching(/^line 3: extra: .*__proto__/),
    'line 4: extra: must be an object',
    '2 created, 0 already there, 3 refused',
  ]);
});

const unreadable: [schema: string, fault: RegExp][] = [
  ['{', /which is not JSON: /],
  ['[]', /which is not an object/],
  ['{"type": "objekt"}', /\/type.* must be/],
  ['{"type": "object", "properties": {"a": {"typo": 1}}}', /at \/properties\/a\/typo\): .*unknown keyword/],
  [
    '{"type": "object", "properties": {"a": {"type": "string", "format": "colour"}}}',
    /colour.*properties\/a/,
  ],
  [
    '{"type": "object", "properties": {"a": {"type": "string", "pattern": "(?:(?:a|b|ab| ){0,30}){0,30}x0"}}}',
    /at \/properties\/a\/pattern\): the pattern takes \d+ steps/,
  ],
  [
    '{"type": "object", "patternProperties": {"(?:(?:a|b|ab){0,30}){0,30}x": true}}',
    /at \/patternProperties\/.*\): the pattern takes \d+ steps/,
  ],
  [
    '{"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=x)y"}}}',
    /at \/properties\/a\/pattern\): .*\(\?=/,
  ],
  ['{"$ref": "https://elsewhere.example/s.json"}', /at \/\$ref\): .*https:\/\/elsewhere\.example/],
  ['{"$schema": "http://json-schema.org/draft-07/schema#"}', /at \/\$schema\)/],
  ['{"$async": true}', /\$async/],
  ['{"type": "number", "x-searchable": true}', /x-searchable/],
];

test('a schema that cannot be used is refused at the start, with the place of its fault', async () => {
  const none = readExtraSchema(path.join(folder, 'none.json'));
  await expect(none).rejects.toThrow(/CONTENT_EXTRA_SCHEMA is ".*none\.json", which cannot be read: ENOENT/);
  for (const [text, fault] of unreadable) {
    const at = path.join(folder, 'bad.json');
    await writeFile(at, text);
    await expect(readExtraSchema(at), text).rejects.toThrow(fault);
  }
});
