import { PRIVATE } from '@pressroom/common/caching/conditional';
import { checkSchema } from '@pressroom/common/database/migrations';
import { type DeskKeys, isDeskKey } from '@pressroom/common/desk/desk-key';
import { NEWSROOM_OWNER_ROUTES, NEWSROOM_ROUTES } from '@pressroom/common/desk/newsroom-routes';
import { deskPersonOf } from '@pressroom/common/desk/person';
import { createServer } from '@pressroom/common/http/create-server';
import { addRoutes, type Guard, type Operation, type Server } from '@pressroom/common/http/operation';
import type { Logger } from '@pressroom/common/log/logging';
import { forbidden, Problem, unauthorized } from '@pressroom/common/problems/problem';
import { SearchGate } from '@pressroom/common/search/search';
import type { SecretBox } from '@pressroom/common/secrets/secret-box';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { archiveQuery } from './api/archive.ts';
import { ArchiveStore } from './api/archive-store.ts';
import { searchableStories } from './api/stories.ts';
import { listStories } from './api/story-list.ts';
import { addDays } from './calendar.ts';
import { type EditorParts, toWire } from './editing/desk/editors.ts';
import { importOperations } from './editing/desk/import.ts';
import { itemOperations } from './editing/desk/items.ts';
import { overviewOperations } from './editing/desk/overview.ts';
import { reportOperations } from './editing/desk/reports.ts';
import { settingsOperations } from './editing/desk/settings.ts';
import { sourceOperations } from './editing/desk/sources.ts';
import { storyOperations } from './editing/desk/stories.ts';
import { MEMBER_COLUMNS } from './editing/items.ts';
import type { NewsTables } from './tables.ts';
import type { Schedule } from './work/schedules.ts';
import type { TryParts } from './work/try-source.ts';

export interface DeskParts extends EditorParts {
  /** The keys that the desk may send. */
  keys: DeskKeys;
  host: string;
  schedules: readonly Schedule[];
  /** The worker's own means of trying a source. */
  trying: TryParts;
  /** The names of the proxies that sources can be asked through. */
  proxies: readonly string[];
  /** Seals what sources keep secret; undefined without a key. */
  secrets?: SecretBox | undefined;
  log: Logger;
}

const DESCRIPTION = {
  title: 'Pressroom newsroom',
  version: '1.0.0',
  description: 'Edits of the news, for the desk of gallery-admin alone: never for the public.',
  tags: {
    overview: 'The state of the newsroom.',
    items: 'News items.',
    edits: 'Edits, and their undoing.',
    stories: 'One event, with all reports on it.',
    sources: 'The feeds that the worker reads.',
    reports: 'Daily, weekly and monthly reports.',
    settings: 'What owners set of the news.',
    'hot topics': 'Stories that many sources are reporting on now.',
    import: 'Items from a file.',
  },
  securitySchemes: { deskKey: { type: 'apiKey', name: 'X-API-Key', in: 'header' } },
} as const;

/** The largest request body, in bytes: that of content. */
const BODY_LIMIT = 2 * 2 ** 20;

/** Days of items that are put in order by their scores. */
const SCORED_DAYS = 31;

/** Searches by editors that run at once. */
const SEARCHES = 2;

/** Builds the editing API of the newsroom, ready to listen on a separate port. */
export async function buildDesk(parts: DeskParts): Promise<Server> {
  const { db, host, keys, log } = parts;
  const gate = new SearchGate(db, SEARCHES);
  const app = await createServer({
    // A worker may be busy: whoever edits waits.
    config: { HOST: host, TRUST_PROXY: undefined, METRICS_PORT: undefined, EVENT_LOOP_DELAY_LIMIT_MS: 0 },
    description: DESCRIPTION,
    log,
    bodyLimit: BODY_LIMIT,
    readiness: { database: await checkSchema(db) },
  });
  const groups = [
    overviewOperations(parts),
    itemOperations(parts, archiveOf(parts, gate)),
    storyOperations(parts, { query: searchableStories, read: (query) => storiesOf(db, gate, query) }),
    sourceOperations(parts),
    reportOperations(parts),
    settingsOperations(parts),
    importOperations(parts),
  ];
  const operations = new Map(
    groups.flatMap((group) => Object.values<Operation>(group)).map((one) => [one.schema.operationId, one]),
  );
  app.addHook('preValidation', async ({ url }) => {
    if (url.startsWith('/api/')) await parts.vocabulary.settings.follow(db);
  });
  const guard = deskGuard(keys);
  addRoutes(
    app,
    [...NEWSROOM_ROUTES, ...NEWSROOM_OWNER_ROUTES].map(([method, path, id]) => {
      const found = operations.get(id);
      if (found === undefined) throw new Error(`${path}: there is no operation ${id}`);
      return [method, path, found, guard];
    }),
  );
  return app;
}

/** The archive, with the members that only editors see. */
function archiveOf({ db, vocabulary, clock }: DeskParts, gate: SearchGate<NewsTables>) {
  const { calendar } = vocabulary;
  const archive = new ArchiveStore({ db, gate, calendar, clock });
  const firstScored = () => addDays(calendar.date(clock()), -SCORED_DAYS);
  const query = archiveQuery(vocabulary)
    .extend({
      order: z
        .enum(['published', 'score'], 'must be published or score')
        .default('published')
        .describe(`\`score\`: the highest first, of at most ${SCORED_DAYS} days, which \`from\` bounds.`),
    })
    .refine(({ order, from }) => order === 'published' || (from !== undefined && from >= firstScored()), {
      path: ['from'],
      message: `must be at most ${SCORED_DAYS} days ago for the order by score`,
    });
  return {
    query,
    read: async (given: ReturnType<typeof query.parse>) => {
      const { order, ...rest } = given;
      const { items, nextCursor } = await (order === 'score'
        ? archive.pageByScore(rest)
        : archive.page(rest));
      const known = await db
        .selectFrom('news.item')
        .select(['id', ...MEMBER_COLUMNS])
        .where('id', 'in', items.map(({ id }) => id).concat(''))
        .execute();
      const byId = new Map(known.map((item) => [item.id, item]));
      const shown = items.flatMap(({ id }) => byId.get(id) ?? []);
      return { items: toWire(shown), nextCursor };
    },
  };
}

async function storiesOf(
  db: Kysely<NewsTables>,
  gate: SearchGate<NewsTables>,
  query: Parameters<typeof listStories>[1],
) {
  const { stories, nextCursor } = await (query.q === undefined
    ? listStories(db, query)
    : gate.run((searchDb) => listStories(searchDb, query)));
  const shown = stories.map(({ public_id: publicId, title, status, digest, reports, ...latest }) => ({
    ...{ publicId, title, status, digest, reportCount: reports },
    latest: { id: latest.latest_id, title: latest.latest, publishedAt: latest.latest_at },
  }));
  return { stories: toWire(shown), nextCursor };
}

/** Requires the key of the desk, before the body is read: 401 without one, 403 with another. */
function deskGuard(keys: DeskKeys): Guard {
  return {
    security: [{ deskKey: [] }],
    check: async ({ headers, method }, reply) => {
      reply.header('cache-control', PRIVATE);
      const given = headers['x-api-key'];
      if (!given) throw unauthorized('the key of the desk is required: send DESK_KEY in X-API-Key');
      if (!isDeskKey(String(given), keys)) throw forbidden('this is not the key of the desk');
      // Before any work is done for an unauthenticated caller.
      const { scope } = deskPersonOf(headers);
      if (scope !== 'full' && method !== 'GET' && method !== 'HEAD') {
        const detail = `this needs the scope full; this person has ${scope}`;
        throw new Problem(403, 'insufficient_scope', detail);
      }
    },
  };
}
