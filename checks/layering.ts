import { type Import, type ImportGraph, importGraph } from './import-graph.ts';
import type { Sources } from './sources.ts';

/**
 * Modules for HTTP: a file that imports one of them, directly or indirectly, knows HTTP. `/*` is any name in
 * a scope.
 */
const HTTP_MODULES: readonly string[] = [
  'fastify',
  'fastify-plugin',
  'fastify-type-provider-zod',
  '@fastify/*',
  'node:http',
  'node:http2',
  'node:https',
  '@pressroom/common/http/create-server',
  '@pressroom/common/http/server',
  '@pressroom/common/http/rate-limit',
];

/** Modules for tables: a file that imports one of them knows a database. */
const TABLE_MODULES: readonly string[] = ['kysely', 'pg'];

/** Files of this repository that handle HTTP without importing such a module. */
const HTTP_FILES: readonly string[] = ['packages/common/src/problems/problem.ts'];

/** The package that starts everything, and so the only one that knows the other two. */
const START = 'packages/start';

/** The client of the three services, and the library by which it verifies events. */
const CLIENT = 'packages/client';
const SIGNATURES = 'standardwebhooks';

/** The reader of other systems' exports, and the modules that it does not know. */
const MOVING = 'packages/moving';
const NOT_FOR_MOVING = /^(?:kysely|pg|packages\/common\/src\/(?:database|http)\/.*)$/;

/** The server of the Model Context Protocol. */
const MCP = 'packages/mcp';

/** The judge of the news, by texts alone. */
const STORIES = 'packages/stories';

/** The modules of `packages/common` that it uses, under the same rule. */
const FOR_STORIES: readonly string[] = [
  'packages/common/src/failures/failure.ts',
  'packages/common/src/fields/fields.ts',
  'packages/common/src/files/json-lines.ts',
  'packages/common/src/log/logging.ts',
];

const EMBEDDED: readonly string[] = [START, 'packages/embedded-postgres', 'packages/object-store'];

/** The news feed: the public reads, the newsroom that fills them, and next to these what both share. */
const NEWS_FEED = 'services/news-feed/src';
const API = 'api';
const NEWSROOM: readonly string[] = ['reading', 'grouping', 'work', 'editing'];

/** Files that start one of the halves, check the settings of both, or show both to editors. */
const NEWS_FEED_PROGRAMS: readonly string[] = [
  'main.ts',
  'cli.ts',
  'run-worker.ts',
  'check-config.ts',
  'desk-app.ts',
];

interface LayeringRule {
  readonly rule: string;
  forbids(from: string, to: string): boolean;
}

const RULES: readonly LayeringRule[] = [
  {
    rule: 'services do not import each other',
    forbids: (from, to) => isService(from) && isService(to) && member(from) !== member(to),
  },
  {
    rule: 'packages/common knows no service',
    forbids: (from, to) => member(from) === 'packages/common' && isService(to),
  },
  {
    rule: 'packages/common knows no other package',
    forbids: (from, to) => member(from) === 'packages/common' && isEmbedded(to),
  },
  {
    rule: 'a service sees only addresses of its dependencies, never an embedded one',
    forbids: (from, to) => isService(from) && isEmbedded(to),
  },
  {
    rule: 'what is embedded knows no service',
    forbids: (from, to) => isEmbedded(from) && isService(to),
  },
  {
    rule: 'PostgreSQL and the object store are started by others and know neither them nor each other',
    forbids: (from, to) =>
      isEmbedded(from) && isEmbedded(to) && member(from) !== member(to) && member(from) !== START,
  },
  {
    rule: 'packages/client stands alone: it is for other sites, in browsers too',
    forbids: (from, to) => member(from) === CLIENT && member(to) !== CLIENT && to !== SIGNATURES,
  },
  {
    rule: 'packages/mcp reaches the services by packages/client, as anybody does',
    forbids: (from, to) =>
      member(from) === MCP &&
      (isService(to) || isEmbedded(to) || to.startsWith('packages/common/src/database/')),
  },
  {
    rule: 'packages/moving reads exports: it knows no table, no HTTP server and no other package than common',
    forbids: (from, to) =>
      member(from) === MOVING &&
      (NOT_FOR_MOVING.test(to) ||
        isHttpModule(to) ||
        (/^(?:packages|services)\//.test(to) && ![MOVING, 'packages/common'].includes(member(to)))),
  },
  {
    rule: 'packages/stories knows texts alone: no HTTP, no editor, no tables',
    forbids: (from, to) => (member(from) === STORIES || FOR_STORIES.includes(from)) && !isForStories(to),
  },
  {
    rule: "the news feed's api and newsroom know what they share, and not each other",
    forbids: (from, to) => half(from) !== undefined && half(to) !== undefined && half(from) !== half(to),
  },
  {
    rule: "what the news feed's api and newsroom share knows neither",
    forbids: (from, to) => isSharedNews(from) && half(to) !== undefined,
  },
];

/** Finds the imports that break a layering rule, each as `file: imports X: RULE`. */
export function layeringFaults(sources: Sources): string[] {
  const graph = importGraph(sources);
  const faults: string[] = [];
  for (const [file, imports] of graph) {
    for (const { specifier, target } of imports) {
      const broken = RULES.filter((rule) => rule.forbids(file, target));
      faults.push(...broken.map(({ rule }) => `${file}: imports ${specifier}: ${rule}`));
    }
    faults.push(...httpFaults(graph, file, imports));
  }
  return faults;
}

/** A store may not know HTTP, directly or through the files that it imports. */
function httpFaults(graph: ImportGraph, file: string, imports: readonly Import[]): string[] {
  if (!isBelowHttp(file)) return [];
  const faults: string[] = [];
  for (const start of imports.filter(({ runs }) => runs)) {
    const chain = chainToHttp(graph, start, new Set([file]));
    if (chain === undefined) continue;
    const through = chain.length > 1 ? ` (through ${chain.slice(1).join(', ')})` : '';
    faults.push(`${file}: imports ${start.specifier}${through}: a store knows no HTTP`);
  }
  return faults;
}

/** The specifiers from `start` to an HTTP module; undefined if it does not reach one. */
function chainToHttp(graph: ImportGraph, start: Import, seen: Set<string>): string[] | undefined {
  const { target } = start;
  if (isHttpModule(start.specifier) || HTTP_FILES.includes(target)) return [start.specifier];
  // A file that must not know HTTP itself is reported only under its own name.
  if (seen.has(target) || isBelowHttp(target)) return undefined;
  seen.add(target);
  for (const next of graph.get(target) ?? []) {
    if (!next.runs) continue;
    const chain = chainToHttp(graph, next, seen);
    if (chain !== undefined) return [start.specifier, ...chain];
  }
  return undefined;
}

function isHttpModule(specifier: string): boolean {
  return HTTP_MODULES.some((name) =>
    name.endsWith('/*') ? specifier.startsWith(name.slice(0, -1)) : specifier === name,
  );
}

/** True for the stores of the services (`store.ts`, `X-store.ts`), and for what groups the news. */
function isBelowHttp(file: string): boolean {
  return /^services\/.*[/-]store\.ts$/.test(file) || file.startsWith(`${NEWS_FEED}/grouping/`);
}

/** True for its own files, what any library may use, and modules that know neither HTTP nor tables. */
function isForStories(to: string): boolean {
  if (/^(?:packages|services)\//.test(to)) return member(to) === STORIES || FOR_STORIES.includes(to);
  return !isHttpModule(to) && !TABLE_MODULES.includes(to);
}

/** The half of the news feed that a file belongs to. */
function half(file: string): string | undefined {
  const isBelow = (folder: string) => file.startsWith(`${NEWS_FEED}/${folder}/`);
  if (isBelow(API)) return API;
  return NEWSROOM.some(isBelow) ? 'newsroom' : undefined;
}

function isSharedNews(file: string): boolean {
  return (
    file.startsWith(`${NEWS_FEED}/`) &&
    half(file) === undefined &&
    !NEWS_FEED_PROGRAMS.includes(file.slice(NEWS_FEED.length + 1))
  );
}

function isService(file: string): boolean {
  return file.startsWith('services/');
}

/**
 * True for the packages that replace a deployment's infrastructure: PostgreSQL, the object store, `pnpm
 * start`.
 */
function isEmbedded(file: string): boolean {
  return EMBEDDED.includes(member(file));
}

/** The workspace member that a file belongs to, as in `services/content`. */
function member(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}
