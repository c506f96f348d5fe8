import type { Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { type DigestReport, digestOf } from './digest.ts';
import type { Lexicon } from './lexicon.ts';

/** How many reports a digest reads, newest first. */
const MOST_REPORTS = 20;

/**
 * Rewrites the digest of a story by rules, if the story has two reports or more. A digest that a person wrote
 * stays.
 */
export async function writeDigest(
  tx: Transaction<NewsTables>,
  publicId: string,
  lexicon: Lexicon,
  now: Date,
): Promise<void> {
  const story = await tx
    .selectFrom('news.story')
    .select(['digest', 'digest_by'])
    .where('public_id', '=', publicId)
    .executeTakeFirst();
  if (story === undefined || (story.digest !== null && story.digest_by === null)) return;
  const digest = digestOf(await readReports(tx, publicId), lexicon);
  if (digest === story.digest) return;
  await tx
    .updateTable('news.story')
    .set({
      digest,
      digest_by: digest === null ? null : 'rules',
      digest_updated_at: digest === null ? null : now,
      updated_at: now,
    })
    .where('public_id', '=', publicId)
    .execute();
}

/** The reports of a story that a digest reads, newest first. */
export async function readReports(tx: Transaction<NewsTables>, publicId: string): Promise<DigestReport[]> {
  const rows = await tx
    .selectFrom('news.item')
    .select(['title', 'summary', 'source_name', 'published_at'])
    .where('story', '=', publicId)
    .where('withdrawn_at', 'is', null)
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_REPORTS)
    .execute();
  return rows.map(({ title, summary, source_name, published_at }) => ({
    title,
    summary,
    source: source_name,
    publishedAt: published_at,
  }));
}
