import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { asNoEdit } from '../edits.ts';
import { writeDigests } from './digest-writer.ts';
import type { Lexicon } from './lexicon.ts';

/** What stories are renewed with. */
export interface RenewalParts {
  lexicon: Lexicon;
  now: Date;
}

/**
 * Makes stories say what their present reports say, after one of these was changed, withdrawn, restored or
 * moved: the digest, unless a person wrote it, and a title that was that of a report which has gone or has
 * another one now (`formerTitles`). It is written by the rules at once, and a model begins anew, because its
 * previous digest may tell what no report says any more.
 */
export async function renewStories(
  tx: Transaction<NewsTables>,
  publicIds: readonly string[],
  formerTitles: readonly string[],
  renewal: RenewalParts,
): Promise<void> {
  if (publicIds.length === 0) return;
  await asNoEdit(tx, () => renew(tx, publicIds, formerTitles, renewal));
}

async function renew(
  tx: Transaction<NewsTables>,
  publicIds: readonly string[],
  formerTitles: readonly string[],
  { lexicon, now }: RenewalParts,
): Promise<void> {
  // First, so that no report is added between the reading of the others and the writing of the digest.
  await sql`
    select from news.story where public_id = any(${publicIds}) order by public_id for no key update
  `.execute(tx);
  await sql`
    update news.story set title = earliest.title, updated_at = ${now}
    from unnest(${publicIds}::text[]) as wanted (story)
    cross join lateral (
      select title from news.item where item.story = wanted.story collate "C" and withdrawn_at is null
      order by published_at, id limit 1
    ) as earliest
    where public_id = wanted.story collate "C"
      and not exists (
        select from news.item where item.story = public_id and withdrawn_at is null and item.title = story.title
      )
      and (story.title = any(${formerTitles}) or exists (
        select from news.item where item.story = public_id and withdrawn_at is not null and item.title = story.title
      ))
  `.execute(tx);
  await sql`delete from news.story_model_digest where story = any(${publicIds})`.execute(tx);
  await writeDigests(tx, publicIds, lexicon, now);
}
