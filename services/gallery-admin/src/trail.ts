import type { ContentClient } from '@pressroom/client';
import { pruneInSteps } from '@pressroom/common/concurrency/background-loop';
import { instant, integerParameter, text } from '@pressroom/common/fields/fields';
import { operation, type Server, withoutApiKeys } from '@pressroom/common/http/operation';
import { invalidRequest } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { notAnswering, notConfigured } from './desk.ts';
import { logWrite, problemResponses } from './problems.ts';
import type { GalleryTables } from './tables.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The deeds of the request, for {@link keepTrail}; null for most. */
    done: Deed[] | null;
  }
}

/** A deed: the event, its object, and the person if nobody is logged in. */
export interface Deed {
  action: string;
  object: object;
  person?: { name: string; id: string | null } | undefined;
}

export type TrailEntry = Selectable<GalleryTables['gallery.trail']>;

export interface TrailQuery {
  /** Part of a person's name, in any case. */
  person?: string | undefined;
  /** The beginning of an action's name, such as `person`. */
  action?: string | undefined;
  /** Part of the object, in any case. */
  object?: string | undefined;
  since?: Date | undefined;
  /** Those older than the entry with this number. */
  before?: number | undefined;
  limit: number;
}

export class Trail {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  async add({ id, ip, person }: FastifyRequest, done: readonly Deed[]): Promise<void> {
    const rows = done.map(({ action, object, person: own }) => ({
      action,
      object: JSON.stringify(object),
      person: own?.name ?? person?.name ?? null,
      person_id: own?.id ?? person?.id ?? null,
      address: ip,
      request_id: withoutApiKeys(id),
    }));
    await this.#db.insertInto('gallery.trail').values(rows).execute();
  }

  /** The newest first. */
  read({ person, action, object, since, before, limit }: TrailQuery): Promise<TrailEntry[]> {
    let query = this.#db.selectFrom('gallery.trail').selectAll();
    if (person !== undefined) query = query.where(sql<boolean>`strpos(lower(person), lower(${person})) > 0`);
    if (action !== undefined) query = query.where(sql<boolean>`starts_with(action, ${action})`);
    if (object !== undefined)
      query = query.where(sql<boolean>`strpos(lower(object::text), lower(${object})) > 0`);
    if (since !== undefined) query = query.where('at', '>=', since);
    if (before !== undefined) query = query.where('id', '<', before);
    return query.orderBy('id', 'desc').limit(limit).execute();
  }

  /** Removes the entries of more than `days` ago in small steps, and returns how many there were. */
  prune(days: number, signal?: AbortSignal): Promise<number> {
    const step = async () => {
      const query = sql<{ removed: number }>`select gallery.prune_trail(${days}, ${STEP}) as removed`;
      return (await query.execute(this.#db)).rows[0]?.removed ?? 0;
    };
    return pruneInSteps(STEP, step, signal);
  }
}

const STEP = 1000;

/**
 * Records what each request has done before it is answered. If the database does not take it, the log has it:
 * what was done stays done.
 */
export function keepTrail(app: Server, trail: Trail): void {
  app.decorateRequest('done', null);
  app.addHook('onSend', async (request) => {
    const { done } = request;
    if (done === null) return;
    request.done = null;
    await trail.add(request, done).catch((error: unknown) => {
      request.log.error({ err: error, done }, 'trail_not_written');
    });
  });
}

const trailQuery = z.strictObject({
  of: z
    .enum(['desk', 'articles'])
    .default('desk')
    .describe(
      '`desk` is what people did in the media, the news and with accounts; `articles` what was published, deleted' +
        ' and planned, and which keys and hooks were changed, by whomever.',
    ),
  person: text(200).optional().describe('Part of a name.'),
  action: z
    .string()
    .regex(/^[a-z_.]{1,100}$/, 'must be the name of an action, or its beginning')
    .optional()
    .describe('An action, or its beginning, such as `person`.'),
  object: text(200).optional().describe('Part of what it was done to, such as a path.'),
  since: instant('must be a time with an offset, such as 2026-11-20T10:00:00Z').optional(),
  before: z
    .string()
    .regex(/^[1-9][0-9]{0,14}(?:_[1-9][0-9]{0,14})?$/, 'must be `next` of the page before')
    .optional()
    .describe('`next` of the page before, or the id of an entry of the desk: older ones are shown.'),
  limit: integerParameter(1, 1000).default(100),
});

type TrailRequest = z.infer<typeof trailQuery>;

const entry = z.object({
  id: z.int().optional().describe('Of an entry of the desk.'),
  at: z.iso.datetime({ offset: true }),
  person: z.string().nullable().describe('The name that the person had; null where nobody was logged in.'),
  action: z.string(),
  object: z.looseObject({}),
  address: z.string().nullable(),
  requestId: z.string().nullable(),
});

type ShownEntry = z.infer<typeof entry>;

const page = z.object({
  entries: z.array(entry),
  next: z.string().nullable().describe('Leads to older entries as `before`; null at the end.'),
});

const trailAnswer = z.object({ success: z.literal(true), data: page });

const TAGS = ['trail'];

/** The trail for owners: an addition to `docs/spec/gallery-admin.md`. */
export function trailOperations(trail: Trail, content: ContentClient | undefined) {
  const read = (query: TrailRequest) =>
    query.of === 'articles' ? articlesPage(content, query) : deskPage(trail, query);
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'readTrail',
      summary: 'Say who did what, the newest first',
      description:
        'For owners; filters combine. `next` is the `before` of the next page. With `of=articles`,' +
        ' the trail of the content service. No secret is in it.',
      querystring: trailQuery,
      response: { 200: trailAnswer, ...problemResponses(400, 401, 403, 404, 503) },
    },
    handler: async ({ query }) => ({ success: true as const, data: await read(query) }),
  });
  const download = operation({
    schema: {
      tags: TAGS,
      operationId: 'downloadTrail',
      summary: 'The same as CSV (RFC 4180)',
      description: 'With the same filters.',
      querystring: trailQuery,
      response: {
        200: { description: 'The entries.', content: { 'text/csv': { schema: z.string() } } },
        ...problemResponses(400, 401, 403, 404, 503),
      },
    },
    handler: async (request, reply) => {
      const { entries } = await read(request.query);
      logWrite(request, 'trail_downloaded', { of: request.query.of, entries: entries.length });
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="trail.csv"')
        .send(csvOf(entries));
    },
  });
  return { list, download };
}

async function deskPage(trail: Trail, { before, limit, ...query }: TrailRequest) {
  const [number] = before?.split('_').map(Number) ?? [];
  const rows = await trail.read({ ...query, before: number, limit: limit + 1 });
  const entries = rows.slice(0, limit).map(shown);
  return { entries, next: rows.length > limit ? String(entries.at(-1)?.id) : null };
}

async function articlesPage(content: ContentClient | undefined, query: TrailRequest) {
  const { person, action, object, since, before: cursor, limit: per_page } = query;
  if (cursor?.includes('_') === false) throw invalidRequest('before must be `next` of the page before');
  if (content === undefined) throw notConfigured('content');
  const { data, meta } = await content
    .get('/api/audit', { query: { person, action, object, since: since?.toISOString(), cursor, per_page } })
    .catch((error: unknown) => {
      throw notAnswering('content', error);
    });
  const entries = data.map(
    ({ at, action: done, article, key, program, address, request_id, detail }): ShownEntry => ({
      at,
      person: key?.startsWith(DESK) ? key.slice(DESK.length) : null,
      action: done,
      object: {
        ...(article !== null && { article }),
        ...detail,
        ...(key === null ? { program } : key.startsWith(DESK) ? {} : { key }),
      },
      address,
      requestId: request_id,
    }),
  );
  return { entries, next: meta.next_cursor };
}

/** The prefix of a person at the desk in content's trail. */
const DESK = 'desk:';

function shown({ id, at, person, action, object, address, request_id }: TrailEntry): ShownEntry {
  return {
    id,
    at: at.toISOString(),
    person,
    action,
    object: object as Record<string, unknown>,
    address,
    requestId: request_id,
  };
}

/** RFC 4180. */
function csvOf(entries: readonly ShownEntry[]): string {
  const lines = entries.map(({ at, person, action, object, address, requestId }) => [
    at,
    person ?? '',
    action,
    JSON.stringify(object),
    address ?? '',
    requestId ?? '',
  ]);
  return [['time', 'person', 'action', 'object', 'address', 'request'], ...lines]
    .map((line) => `${line.map(cell).join(',')}\r\n`)
    .join('');
}

/** Spreadsheets take what begins like a formula for one. */
function cell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
