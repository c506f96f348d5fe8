import { createHash } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { ContentTables } from '../tables.ts';
import type { WrittenArticle } from './written-article.ts';

/** A request that may come again: its key, and what it asks for. */
export interface IdempotentRequest {
  key: string;
  body: object;
}

/** What the keys of an import begin with. */
const IMPORTED = /^import-/;

/** How many keys past their end are removed whenever one is looked for: more than are kept meanwhile. */
const REMOVED = 10;

/**
 * The article that the request created when it came for the first time; undefined when it is new. It waits for the same
 * request under way, and from then on until the transaction ends nobody else is told that the request is new.
 *
 * @throws Failure `invalid` with code `idempotency_key_reused` when the key was that of another request
 */
export async function findRepeated(
  tx: Transaction<ContentTables>,
  { key, body }: IdempotentRequest,
): Promise<WrittenArticle | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx);
  await removeExpired(tx, key);
  const first = await tx
    .selectFrom('content.idempotency_key as kept')
    .innerJoin('content.article as article', 'article.id', 'kept.article_id')
    .select(['article.id', 'article.title', 'article.slug', 'article.is_published', 'kept.fingerprint'])
    .where('kept.key', '=', key)
    .executeTakeFirst();
  if (first === undefined) return undefined;
  const { fingerprint, ...article } = first;
  if (fingerprint.equals(fingerprintOf(body))) return article;
  const message = 'this Idempotency-Key came with another body before; send a new key with a new request';
  throw new Failure('invalid', message, { code: 'idempotency_key_reused' });
}

/** Remembers that a request created the article: for a day, or for good when it is imported. */
export async function keepKey(
  tx: Transaction<ContentTables>,
  { key, body }: IdempotentRequest,
  articleId: number,
): Promise<void> {
  const end = IMPORTED.test(key)
    ? sql<Date>`'infinity'::timestamptz`
    : sql<Date>`clock_timestamp() + interval '24 hours'`;
  await tx
    .insertInto('content.idempotency_key')
    .values({ key, fingerprint: fingerprintOf(body), article_id: articleId, expires_at: end })
    .execute();
}

/** The key itself if its end has come, and a few others that nobody else is removing. */
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
