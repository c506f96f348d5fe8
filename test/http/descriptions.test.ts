import { validate } from '@readme/openapi-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentFixture } from '../support/content.ts';
import { galleryFixture } from '../support/gallery.ts';
import { type JsonBody, type JsonValue, send } from '../support/http.ts';
import { newsFeedFixture } from '../support/news-feed.ts';

const FIXTURES = { content: contentFixture, 'news feed': newsFeedFixture, gallery: galleryFixture };

/** Services whose answers say how many requests are left. */
const COUNTED = new Set(['content', 'news feed']);

/** Schemas that clients of each service know by name. */
const NAMED: Readonly<Record<string, string[]>> = {
  content: [
    'Article',
    'ArticleListItem',
    'ArticleReference',
    'Author',
    'AuthorReference',
    'Category',
    'PageMeta',
    'Problem',
    'Revision',
    'Tag',
    'TermReference',
  ],
  'news feed': ['DailyReport', 'HotTopic', 'Item', 'ListPage', 'Problem', 'Story', 'StoryReference'],
  gallery: ['Batch', 'GalleryFile', 'GalleryFolder', 'Picture', 'Problem'],
};

/** Text that only the limit of the body bounds. */
const UNBOUNDED_TEXT = /^(post|put|patch) \/api\/(articles|drafts)(\/\{id\}\S*)?: content$/;

/** A schema of the description and where it stands. */
interface Place {
  where: string;
  schema: JsonBody;
}

interface Operation {
  name: string;
  method: string;
  described: JsonBody;
  isHealth: boolean;
}

describe.each(Object.entries(FIXTURES))('the description of the %s service', (service, fixture) => {
  let running: { url: string; close: () => Promise<void> };
  let description: JsonBody;
  let operations: Operation[];
  beforeAll(async () => {
    running = await fixture();
    description = (await send(`${running.url}/openapi.json`)).body;
    operations = operationsOf(description);
  });
  afterAll(() => running.close());

  /** The names of the headers that a response or a request refers to. */
  function headersOf(response: JsonBody): string[] {
    for (const { $ref } of Object.values<JsonBody>(response.headers)) {
      expect(resolve(description, $ref).schema, $ref).toBeTruthy();
    }
    return Object.keys(response.headers);
  }

  function requestHeadersOf({ described }: Operation): string[] {
    return (described.parameters ?? [])
      .map((parameter: JsonBody) => (parameter.$ref ? resolve(description, parameter.$ref) : parameter))
      .filter((parameter: JsonBody) => parameter.in === 'header')
      .map(({ name }: JsonBody) => name);
  }

  test('is valid, and names the server', async () => {
    const copy = structuredClone(description) as unknown as Parameters<typeof validate>[0];
    expect(await validate(copy)).toEqual({ valid: true, warnings: [], specification: 'OpenAPI' });
    expect(description.servers).toEqual([{ url: '/', description: expect.any(String) }]);
  });

  test('has the resources first and health last, and says what each tag is about', () => {
    const paths = Object.keys(description.paths);
    expect(paths.slice(-2)).toEqual(['/healthz', '/readyz']);
    expect(description.tags.at(-1).name).toBe('health');
    for (const { name, description: about } of description.tags)
      expect(about, name).toEqual(expect.any(String));
    const named = new Set(description.tags.map(({ name }: JsonBody) => name));
    for (const { name, described } of operations) {
      expect(described.tags, name).toHaveLength(1);
      expect(named, name).toContain(described.tags[0]);
    }
  });

  test('introduces itself, and says of every operation more than its summary', () => {
    for (const word of ['**Errors**', 'docs/']) expect(description.info.description).toContain(word);
    for (const { name, described } of operations) {
      expect(described.description, name).toEqual(expect.any(String));
      expect(described.description, name).not.toBe(described.summary);
    }
  });

  test('names every operation once, as code would', () => {
    const ids = operations.map(({ described }) => described.operationId);
    expect(ids.length).toBeGreaterThan(8);
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('says of every operation who may ask', () => {
    const schemes = Object.keys(description.components.securitySchemes ?? {});
    for (const { name, described } of operations) {
      expect(described.security, name).toEqual(expect.any(Array));
      for (const scheme of described.security.flatMap(Object.keys)) expect(schemes, name).toContain(scheme);
      const isLogin = ['login', 'passkeyLogin'].includes(described.operationId);
      const refuses = '401' in described.responses && !isLogin;
      expect(described.security.length > 0, name).toBe(refuses || described.security.length > 0);
    }
  });

  test('describes the headers of every answer', () => {
    for (const operation of operations) {
      for (const [status, given] of Object.entries<JsonBody>(operation.described.responses)) {
        const response = given.$ref ? resolve(description, given.$ref) : given;
        const where = `${operation.name} ${status}`;
        const headers = headersOf(response);
        expect(headers, where).toEqual(expect.arrayContaining(['X-Request-Id', 'Cache-Control']));
        expect(headers.includes('Location'), where).toBe(['201', '302', '303', '308'].includes(status));
        expect(headers.includes('Retry-After'), where).toBe(status === '429' || status === '503');
        expect(headers.includes('Allow'), where).toBe(status === '405');
        expect(headers.includes('WWW-Authenticate'), where).toBe(status === '401');
        for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
          expect(headers.includes(name), where).toBe(COUNTED.has(service) && !operation.isHealth);
        }
        expect(response.description, where).not.toBe('Default Response');
        if (['302', '304', '308'].includes(status)) expect(response.content, where).toBeUndefined();
      }
    }
  });

  test('describes an ETag, If-None-Match and 304 together, on every read that has a validator, and an ETag on the writes of content', () => {
    for (const operation of operations) {
      const { name, method, described, isHealth } = operation;
      const hasValidator = '304' in described.responses;
      const isConditional = hasValidator || '412' in described.responses;
      expect(requestHeadersOf(operation).includes('If-None-Match'), name).toBe(isConditional);
      if (!('200' in described.responses)) continue;
      // A merge leaves nothing that could be changed, nor does a check of links; hooks, imports and redirects
      // have no text that two may edit.
      const isEdit = !/\/(merge|links(\/external)?)$|\/(hooks|imports|redirects)\b/.test(name);
      const isOfSettings = service === 'gallery' && name.endsWith(' /api/settings');
      const isWrite = service === 'content' && ['post', 'put', 'patch'].includes(method) && isEdit;
      expect(headersOf(described.responses['200']).includes('ETag'), name).toBe(
        hasValidator || isWrite || isOfSettings,
      );
      // A file of everything is made anew for each that asks.
      const isRead = method === 'get' && !isHealth && !name.includes('/exports/content');
      if (service !== 'gallery') expect(hasValidator, name).toBe(isRead);
    }
  });

  test('describes If-Match and 412 together', () => {
    for (const operation of operations) {
      const { name, described } = operation;
      expect(requestHeadersOf(operation).includes('If-Match'), name).toBe('412' in described.responses);
    }
  });

  test('describes numbers as integers, with bounds where a client sends them', () => {
    let parameters = 0;
    for (const { where, schema } of requestSchemas(operations)) {
      expect(String(schema.pattern), where).not.toMatch(/\\d/);
      if (schema.type !== 'integer' && schema.type !== 'number') continue;
      if (schema.enum !== undefined) continue;
      parameters += 1;
      expect(schema, where).toMatchObject({
        type: 'integer',
        minimum: expect.any(Number),
        maximum: expect.any(Number),
      });
      expect(schema, where).not.toHaveProperty('pattern');
    }
    expect(parameters).toBeGreaterThan(3);
    const text = JSON.stringify(description.paths);
    expect(text).not.toContain(String(Number.MIN_SAFE_INTEGER));
  });

  test('says of every parameter what it is', () => {
    for (const { name, described } of operations) {
      for (const given of described.parameters ?? []) {
        const parameter = given.$ref ? resolve(description, given.$ref) : given;
        expect(parameter.description, `${name}: ${parameter.name}`).toMatch(/\.( |$|\))/);
      }
    }
  });

  test('gives every limit and page its default', () => {
    for (const { name, described } of operations) {
      for (const parameter of described.parameters ?? []) {
        if (!/^(limit|page|per_page|maxKeys)$/.test(parameter.name)) continue;
        if (parameter.schema.type !== 'integer') continue;
        const { default: value, minimum, maximum } = parameter.schema;
        expect(value, `${name}: ${parameter.name}`).toBeGreaterThanOrEqual(minimum);
        expect(value, `${name}: ${parameter.name}`).toBeLessThanOrEqual(maximum);
      }
    }
  });

  test('bounds every text that a client sends', () => {
    for (const { where, schema } of requestSchemas(operations)) {
      if (![schema.type].flat().includes('string') || UNBOUNDED_TEXT.test(where)) continue;
      const bounds = ['maxLength', 'enum', 'pattern', 'format'].filter((name) => name in schema);
      expect(bounds, where).not.toEqual([]);
    }
  });

  test('says everything once: refusals that are the same, and large objects of answers', () => {
    const places = new Map<string, string[]>();
    const note = (value: JsonValue, where: string) => {
      const text = JSON.stringify(value);
      places.set(text, [...(places.get(text) ?? []), where]);
    };
    for (const { name, described } of operations) {
      for (const [status, response] of Object.entries<JsonBody>(described.responses)) {
        if (Number(status) >= 300)
          expect(response, `${name} ${status}`).toEqual({ $ref: expect.any(String) });
        const schema = response.content?.['application/json']?.schema;
        for (const { where, schema: part } of schema ? within(schema, `${name} ${status}`) : []) {
          if (Object.keys(part.properties ?? {}).length > 5) note(part, where);
        }
      }
    }
    for (const [name, response] of Object.entries<JsonBody>(description.components.responses)) {
      note(response, name);
    }
    expect([...places.values()].filter((of) => of.length > 1)).toEqual([]);
  });

  test('names what sites are made of', () => {
    expect(Object.keys(description.components.schemas)).toEqual(expect.arrayContaining(NAMED[service] ?? []));
  });

  test('contains nothing unused', () => {
    const text = JSON.stringify(description);
    for (const kind of ['schemas', 'headers', 'parameters', 'responses']) {
      for (const name of Object.keys(description.components[kind] ?? {})) {
        expect(text, name).toContain(`"#/components/${kind}/${name}"`);
      }
    }
  });
});

test('reads of the content service take a key and need none; its writes need one', async () => {
  const content = await contentFixture();
  const { paths } = (await send(`${content.url}/openapi.json`)).body;
  for (const path of ['/api/articles', '/api/articles/{id}', '/api/categories', '/api/categories/{id}']) {
    for (const [method, { security }] of Object.entries<JsonBody>(paths[path])) {
      const scope = method === 'get' ? [] : [expect.stringMatching(/^(write|publish)$/)];
      const holder = [{ apiKey: scope }, { bearer: scope }];
      expect(security, `${method} ${path}`).toEqual(method === 'get' ? [{}, ...holder] : holder);
    }
  }
  const { parameters, responses } = paths['/api/articles'].post;
  expect(parameters).toEqual([{ $ref: '#/components/parameters/IdempotencyKey' }]);
  expect(responses['201'].headers).toHaveProperty('Idempotent-Replayed');
  await content.close();
});

test('every operation of the news feed but health takes a User-Agent of at most 2048 characters', async () => {
  const feed = await newsFeedFixture();
  const { paths, components } = (await send(`${feed.url}/openapi.json`)).body;
  const reference = { $ref: '#/components/parameters/UserAgent' };
  for (const [path, { get }] of Object.entries<JsonBody>(paths)) {
    const isHealth = ['/healthz', '/readyz'].includes(path);
    if (isHealth) expect(get.parameters, path).toBeUndefined();
    else expect(get.parameters, path).toContainEqual(reference);
  }
  expect(components.parameters.UserAgent).toMatchObject({ in: 'header', schema: { maxLength: 2048 } });
  await feed.close();
});

test('a described bound is the bound: one step beyond it is refused, in every other spelling too', async () => {
  const content = await contentFixture();
  const { paths } = (await send(`${content.url}/openapi.json`)).body;
  const described = paths['/api/articles'].get.parameters.find(({ name }: JsonBody) => name === 'per_page');
  expect(described.schema).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 20 });
  const statusOf = async (value: string) =>
    (await send(`${content.url}/api/articles?per_page=${value}`)).status;
  for (const value of ['1', '100']) expect(await statusOf(value), value).toBe(200);
  for (const value of ['0', '101', '01', '1e1', '%201', '1.0', '+1', '0x1', '']) {
    expect(await statusOf(value), value).toBe(400);
  }
  await content.close();
});

function operationsOf(description: JsonBody): Operation[] {
  return Object.entries<JsonBody>(description.paths).flatMap(([path, methods]) =>
    Object.entries<JsonBody>(methods).map(([method, described]) => ({
      name: `${method} ${path}`,
      method,
      described,
      isHealth: path === '/healthz' || path === '/readyz',
    })),
  );
}

/** Resolves a pointer of the description. */
function resolve(description: JsonBody, pointer: string): JsonBody {
  return pointer
    .slice(2)
    .split('/')
    .reduce<JsonValue>((value, member) => value[member], description);
}

/** Every schema of a request, with those inside it. */
function requestSchemas(operations: Operation[]): Place[] {
  return operations.flatMap(({ name, described }) => {
    const parameters = (described.parameters ?? []).filter(({ schema }: JsonBody) => schema);
    const body = described.requestBody?.content['application/json'].schema;
    return [
      ...parameters.flatMap((parameter: JsonBody) => within(parameter.schema, `${name}: ${parameter.name}`)),
      ...(body ? within(body, `${name}:`) : []),
    ];
  });
}

function within(schema: JsonBody, where: string): Place[] {
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  const members = Object.entries<JsonBody>(properties).map(([name, member]) => ({
    where: `${where} ${name}`,
    schema: member,
  }));
  const others = [...anyOf, ...oneOf, ...allOf, ...(items ? [items] : [])].map((other) => ({
    where,
    schema: other,
  }));
  return [
    { where, schema },
    ...[...members, ...others].flatMap((child) => within(child.schema, child.where)),
  ];
}
