import { sql, type Transaction } from 'kysely';
import type { NewsTables, StoredReport } from '../../tables.ts';
import { evidenceOf, likenessOf, RELATED, SAME_EVENT, type WeighedReport } from './likeness.ts';
import type { RenewalParts } from './renew-stories.ts';
import { weighedReport } from './report-terms.ts';
import { splitStory } from './split.ts';

/** With how many reports a story is looked at as a whole. */
const LOOKED_AT = [8, 16, 32];

/** How many reports an event has at least that a story is split by. */
const LEAST_PART = 3;

/** A report of a story. */
interface Member {
  itemId: string;
  report: WeighedReport;
}

/** Splits those of the stories that have grown apart. What a person has merged stays one. */
export async function splitGrownApart(
  tx: Transaction<NewsTables>,
  stories: readonly string[],
  renewal: RenewalParts,
): Promise<void> {
  for (const story of stories) {
    const leaving = partOf(await membersOf(tx, story));
    if (leaving.length > 0) await splitStory(tx, story, leaving, renewal);
  }
}

/** The reports of a story, oldest first, if it has just so many that it is looked at. */
async function membersOf(tx: Transaction<NewsTables>, story: string): Promise<Member[]> {
  const { rows } = await sql<{ item_id: string; published_at: Date; report: StoredReport }>`
    with member as (
      select id from news.item where story = ${story} and withdrawn_at is null limit ${Math.max(...LOOKED_AT) + 1}
    )
    select terms.item_id, terms.published_at, terms.report
    from member join news.report_terms as terms on terms.item_id = member.id
    where (select count(*) from member) = any(${LOOKED_AT})
      and not exists (select from news.story where merged_into = ${story})
    order by terms.published_at, terms.item_id
  `.execute(tx);
  return rows.map(({ item_id, published_at, report }) => ({
    itemId: item_id,
    report: weighedReport(report, published_at),
  }));
}

/**
 * The reports that leave a story: those of one event, if there are two that have next to nothing in common.
 * The first two are those that are least alike; each other report goes with what it is more like, and the
 * larger part stays. A pure function.
 */
function partOf(members: readonly Member[]): string[] {
  const likenesses = members.map(({ report: one }) =>
    members.map(({ report: other }) => likenessOf({ ...evidenceOf(one, other), days: 0 })),
  );
  const all = members.map((_, index) => index);
  const mean = (some: readonly number[], others: readonly number[]) => {
    const pairs = some.flatMap((a) => others.filter((b) => a !== b).map((b) => likenesses[a]?.[b] ?? 0));
    return pairs.reduce((sum, one) => sum + one, 0) / Math.max(1, pairs.length);
  };
  const [least] = all
    .flatMap((a) => all.slice(a + 1).map((b): [number, number] => [a, b]))
    .sort((one, other) => mean([one[0]], [one[1]]) - mean([other[0]], [other[1]]));
  if (least === undefined) return [];
  const [stay, leave] = [[least[0]], [least[1]]];
  for (const one of all.filter((index) => !least.includes(index))) {
    (mean([one], stay) >= mean([one], leave) ? stay : leave).push(one);
  }
  const isOne = [stay, leave].some((part) => part.length < LEAST_PART || mean(part, part) < SAME_EVENT);
  if (isOne || mean(stay, leave) >= RELATED) return [];
  return (stay.length >= leave.length ? leave : stay).flatMap((index) => members[index]?.itemId ?? []);
}
