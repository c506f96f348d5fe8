import { pruneInSteps } from '@pressroom/common/concurrency/background-loop';
import { instant, integerParameter, requiredText } from '@pressroom/common/fields/fields';
import { operation, type Server, withoutApiKeys } from '@pressroom/common/http/operation';
import type { FastifyRequest } from 'fastify';
import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { problemResponses } from './problems.ts';
import type { GalleryTables } from './tables.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request has done, for {@link keepTrail}; null for most. */
    done: Deed[] | null;
  }
}

/** Something that was done: the event, what it was done to, and by whom if nobody is logged in. */
export interface Deed {
  action: string;
  object: object;
  person?: { name: string; id: string | null } | undefined;
}

export type TrailEntry = Selectable<GalleryTables['gallery.trail']>;

/** Which entries are meant. */
export interface TrailQuery {
  /** Part of a person's name, in any case. */
  person?: string | undefined;
  /** The beginning of an action's name, such as `person`. */
  action?: string | undefined;
  since?: Date | undefined;
  /** Those older than the entry with this number. */
  before?: number | undefined;
  limit: number;
}

/** Who did what at the desk. */
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
  read({ person, action, since, before, limit }: TrailQuery): Promise<TrailEntry[]> {
    let query = this.#db.selectFrom('gallery.trail').selectAll();
    if (person !== undefined) query = query.where(sql<boolean>`strpos(lower(person), lower(${person})) > 0`);
    if (action !== undefined) query = query.where(sql<boolean>`starts_with(action, ${action})`);
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
 * Keeps what each request has done before it is answered. What the database does not take then is in the log:
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
  person: requiredText(200).optional().describe('Part of a name.'),
  action: z
    .string()
    .regex(/^[a-z_]{1,100}$/, 'must be the name of an action, or its beginning')
    .optional()
    .describe('An action, or its beginning, such as `person`.'),
  since: instant('must be a time with an offset, such as 2026-11-20T10:00:00Z').optional(),
  before: integerParameter(1).optional().describe('The number of an entry: older ones are shown.'),
  limit: integerParameter(1, 1000).default(100),
});

const entry = z.object({
  id: z.int(),
  at: z.iso.datetime({ offset: true }),
  person: z.string().nullable().describe('The name that the person had; null where nobody was logged in.'),
  action: z.string(),
  object: z.looseObject({}),
  address: z.string().nullable(),
  requestId: z.string().nullable(),
});

const trailAnswer = z.object({
  success: z.literal(true),
  data: z.object({ entries: z.array(entry) }),
});

const TAGS = ['trail'];

/** The trail for owners: an addition to `docs/spec/gallery-admin.md`. */
export function trailOperations(trail: Trail) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'readTrail',
      summary: 'Say who did what, the newest first',
      querystring: trailQuery,
      response: { 200: trailAnswer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async ({ query }) => ({
      success: true as const,
      data: { entries: (await trail.read(query)).map(shown) },
    }),
  });
  const download = operation({
    schema: {
      tags: TAGS,
      operationId: 'downloadTrail',
      summary: 'The same as CSV (RFC 4180)',
      querystring: trailQuery,
      response: {
        200: { description: 'The entries.', content: { 'text/csv': { schema: z.string() } } },
        ...problemResponses(400, 401, 403, 503),
      },
    },
    handler: async ({ query }, reply) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="trail.csv"')
        .send(csvOf(await trail.read(query))),
  });
  return { list, download };
}

function shown({ id, at, person, action, object, address, request_id }: TrailEntry) {
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
function csvOf(entries: readonly TrailEntry[]): string {
  const lines = entries.map(({ at, person, action, object, address, request_id }) => [
    at.toISOString(),
    person ?? '',
    action,
    JSON.stringify(object),
    address ?? '',
    request_id ?? '',
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
