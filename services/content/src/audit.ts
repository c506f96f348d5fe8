import { pruneInSteps } from '@pressroom/common/concurrency/background-loop';
import { idParameter, instant, integerParameter, text } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { cursorEnvelope, deskPrefix, successCursorPage } from './envelope.ts';
import { replyPrivately } from './requests.ts';
import type { ContentTables } from './tables.ts';

export type AuditEntry = Selectable<ContentTables['content.audit']>;

interface AuditQuery {
  /** Entries from this time on. */
  since?: Date | undefined;
  /** Entries of the key with this prefix. */
  key?: string | undefined;
  article?: number | undefined;
  /** Part of the name of a person at the desk, in any case. */
  person?: string | undefined;
  /** The beginning of an action's name, such as `article.`. */
  action?: string | undefined;
  /** Part of the detail, in any case. */
  object?: string | undefined;
  /** Entries older than this one. */
  before?: Place | undefined;
  /** The most entries. */
  limit: number;
}

type Place = Pick<AuditEntry, 'at' | 'id'>;

/** The latest entries of the audit trail, the newest first. */
export function readTrail(
  db: Kysely<ContentTables>,
  { since, key, article, person, action, object, before, limit }: AuditQuery,
): Promise<AuditEntry[]> {
  let query = db.selectFrom('content.audit').selectAll();
  if (since !== undefined) query = query.where('at', '>=', since);
  if (key !== undefined) query = query.where('key', '=', key);
  if (article !== undefined) query = query.where('article_id', '=', article);
  if (person !== undefined) {
    const desk = deskPrefix('');
    query = query
      .where(sql<boolean>`starts_with(key, ${desk})`)
      .where(sql<boolean>`strpos(lower(substr(key, ${desk.length + 1})), lower(${person})) > 0`);
  }
  if (action !== undefined) query = query.where(sql<boolean>`starts_with(action, ${action})`);
  if (object !== undefined)
    query = query.where(sql<boolean>`strpos(lower(detail::text), lower(${object})) > 0`);
  if (before !== undefined) query = query.where(sql<boolean>`(at, id) < (${before.at}, ${before.id})`);
  return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

const REMOVED = 1000;

/** Removes the entries of more than `days` ago in small steps, and returns how many there were. */
export function pruneTrail(db: Kysely<ContentTables>, days: number, signal?: AbortSignal): Promise<number> {
  const step = async () => {
    const query = sql<{ removed: number }>`select content.prune_audit(${days}, ${REMOVED}) as removed`;
    return (await query.execute(db)).rows[0]?.removed ?? 0;
  };
  return pruneInSteps(REMOVED, step, signal);
}

const auditQuery = z.strictObject({
  person: text(200).optional().describe('Part of the name of somebody at the desk.'),
  action: z
    .string()
    .regex(/^[a-z_.]{1,100}$/, 'must be the name of an action, or its beginning')
    .optional()
    .describe('An action, or its beginning, such as `article.`.'),
  object: text(200).optional().describe('Part of what the detail says.'),
  article: idParameter().optional().describe('The id of an article: what is about it.'),
  since: instant('must be a time with an offset, such as 2026-11-20T10:00:00Z').optional(),
  per_page: integerParameter(1, 1000).default(100),
  cursor: z
    .string()
    .regex(/^[0-9]{1,14}_[1-9][0-9]{0,14}$/, 'must be `meta.next_cursor` of the page before')
    .transform((cursor): Place => {
      const [at, id] = cursor.split('_').map(Number);
      return { at: new Date(at ?? 0), id: id ?? 0 };
    })
    .optional()
    .describe('`meta.next_cursor` of the page before.'),
});

const auditEntry = z.object({
  at: z.iso.datetime({ offset: true }),
  action: z.string().describe('Such as `article.published`.'),
  article: z.int().nullable().describe('Its id.'),
  key: z
    .string()
    .nullable()
    .describe('The prefix of the API key, `desk:` and a name, or null for what a command did, or the time.'),
  program: z.string().describe('The program that was connected to the database.'),
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  detail: z.looseObject({}),
});

const auditAnswer = cursorEnvelope(auditEntry, z.string());

/** The operation that reads the trail. */
export function auditOperations(db: Kysely<ContentTables>) {
  const list = operation({
    schema: {
      tags: ['audit'],
      operationId: 'listAudit',
      summary: 'Say who published, deleted or planned what, and who changed keys and hooks, the newest first',
      description:
        'In pages by cursor, for keys with the scope `full`. Filters combine. Nothing that lets' +
        ' somebody in is in it.',
      querystring: auditQuery,
      response: { 200: auditAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { per_page: perPage, cursor: before, ...asked } = request.query;
        const found = await readTrail(db, { ...asked, before, limit: perPage + 1 });
        const cursorOf = ({ at, id }: AuditEntry) => `${at.getTime()}_${id}`;
        return { value: successCursorPage('Entries found', found, perPage, { cursorOf, shown }) };
      }),
  });
  return { list };
}

function shown({ id: _, at, article_id: article, detail, ...entry }: AuditEntry) {
  return { ...entry, article, at: at.toISOString(), detail: detail as Record<string, unknown> };
}
