import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** Leaves out those of the stories that a person has split from one before them. */
export async function withoutSplit(
  tx: Transaction<NewsTables>,
  stories: readonly string[],
): Promise<string[]> {
  if (stories.length === 1) return [...stories];
  const { rows } = await sql<{ one: string; two: string }>`
    with recursive members as (
      select public_id as root, public_id from news.story where public_id = any(${stories})
      union
      select members.root, story.public_id
      from members join news.story as story on story.merged_into = members.public_id
    )
    select one.root as one, two.root as two from news.story_split as split
    join members as one on one.public_id = split.story
    join members as two on two.public_id = split.other
    where one.root <> two.root
  `.execute(tx);
  const areSplit = (a: string, b: string) =>
    rows.some(({ one, two }) => (one === a && two === b) || (one === b && two === a));
  const kept: string[] = [];
  for (const story of stories) {
    if (!kept.some((other) => areSplit(other, story))) kept.push(story);
  }
  return kept;
}
