import { type Kysely, sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { type DigestReport, digestOf } from './digest.ts';
import type { Lexicon } from './lexicon.ts';

/** How many reports a digest reads, newest first. */
const MOST_REPORTS = 20;

/** How many of them are of one source: it cannot crowd the others out. */
const MOST_OF_A_SOURCE = 3;

/**
 * Rewrites the digests of stories by rules, where a story has two reports or more. A digest that a person
 * wrote stays.
 */
export async function writeDigests(
  tx: Transaction<NewsTables>,
  publicIds: readonly string[],
  lexicon: Lexicon,
  now: Date,
): Promise<void> {
  if (publicIds.length === 0) return;
  const stories = await tx
    .selectFrom('news.story')
    .select(['public_id', 'digest'])
    .where('public_id', '=', sql<string>`any(${publicIds})`)
    .where((where) => where.or([where('digest', 'is', null), where('digest_by', 'is not', null)]))
    .execute();
  const reports = await readReports(
    tx,
    stories.map(({ public_id }) => public_id),
  );
  const changed = stories.flatMap(({ public_id, digest: before }) => {
    const digest = digestOf(reports.get(public_id) ?? [], lexicon);
    return digest === before ? [] : [{ public_id, digest }];
  });
  if (changed.length === 0) return;
  await sql`
    update news.story set digest = row.digest,
      digest_by = case when row.digest is not null then 'rules' end,
      digest_updated_at = case when row.digest is not null then ${now}::timestamptz end,
      updated_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as row (public_id text, digest text)
    where story.public_id = row.public_id collate "C"
  `.execute(tx);
}

/** A report of a story, as digests read it. */
export interface StoryReport extends DigestReport {
  id: string;
  story: string;
}

/** The reports of stories that their digests read, newest first. */
export async function readReports(
  db: Kysely<NewsTables>,
  publicIds: readonly string[],
): Promise<Map<string, StoryReport[]>> {
  const { rows } = await sql<StoryReport>`
    select wanted.story, report.* from unnest(${publicIds}::text[]) as wanted (story)
    cross join lateral (
      select id, title, summary, source, "publishedAt", language from (
        select id, title, summary, source_name as source, published_at as "publishedAt",
          -- A translated title is not in the language of its article.
          case when original_title is null then language end as language,
          row_number() over (partition by source_name order by published_at desc, id desc) as place
        from news.item where item.story = wanted.story collate "C" and withdrawn_at is null
      ) as placed
      where place <= ${MOST_OF_A_SOURCE} order by "publishedAt" desc, id desc limit ${MOST_REPORTS}
    ) as report
  `.execute(db);
  return Map.groupBy(rows, ({ story }) => story);
}
