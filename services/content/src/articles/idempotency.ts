import { createHash } from 'node:crypto';
import { lockUntilCommit } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { ContentTables } from '../tables.ts';

/** A request that may be repeated: who sends it, its key, and what it asks for. */
export interface IdempotentRequest {
  /** The public prefix of the API key. */
  sender: string;
  key: string;
  body: object;
}

/** The prefix of the keys that an import makes, from the article itself. */
const IMPORTED = /^import-/;

/** Each lookup removes this many expired keys: more than it can add. */
const REMOVED = 10;

/**
 * The id of the article that this request created the first time; undefined if the request is new. Waits
 * while the same request is in progress. Until this transaction ends, no other caller sees the request as
 * new.
 *
 * @throws Failure `invalid` with code `idempotency_key_reused` if the key belongs to a different request
 */
export async function findRepeated(
  tx: Transaction<ContentTables>,
  request: IdempotentRequest,
): Promise<number | undefined> {
  const key = keptKey(request);
  await lockUntilCommit(tx, 'answer a repeated request', key);
  await removeExpired(tx, key);
  const first = await tx
    .selectFrom('content.idempotency_key as kept')
    .innerJoin('content.article as article', 'article.id', 'kept.article_id')
    .select(['article.id', 'kept.fingerprint'])
    .where('kept.key', '=', key)
    .where('kept.expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  if (first === undefined) return undefined;
  if (first.fingerprint.equals(fingerprintOf(request.body))) return first.id;
  const message =
    'this Idempotency-Key was already used with a different body; use a new key for a new request';
  throw new Failure('invalid', message, { code: 'idempotency_key_reused' });
}

/** Records that a request created the article: for a day, or permanently for an import. */
export async function keepKey(
  tx: Transaction<ContentTables>,
  request: IdempotentRequest,
  articleId: number,
): Promise<void> {
  const end = IMPORTED.test(request.key)
    ? sql<Date>`'infinity'::timestamptz`
    : sql<Date>`clock_timestamp() + interval '24 hours'`;
  await tx
    .insertInto('content.idempotency_key')
    .values({
      key: keptKey(request),
      fingerprint: fingerprintOf(request.body),
      article_id: articleId,
      expires_at: end,
    })
    .execute();
}

/**
 * The key as it is kept: each API key has its own idempotency keys. Those of imports are shared, so that a
 * new API key does not import an article again. No key contains the space in between.
 */
function keptKey({ sender, key }: IdempotentRequest): string {
  return IMPORTED.test(key) ? key : `${sender} ${key}`;
}

/** Removes the key itself if it has expired, and a few others that no one else is removing. */
async function removeExpired(tx: Kysely<ContentTables>, key: string): Promise<void> {
  await sql`delete from content.idempotency_key where key = ${key} and expires_at <= clock_timestamp()`.execute(
    tx,
  );
  await sql`
    delete from content.idempotency_key
    where key in (
      select key from content.idempotency_key where expires_at <= clock_timestamp()
      order by expires_at limit ${REMOVED} for update skip locked
    )
  `.execute(tx);
}

function fingerprintOf(body: object): Buffer {
  return createHash('sha256').update(JSON.stringify(body)).digest();
}
