import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { likenessOf, RELATED, SAME_EVENT } from './likeness.ts';
import type { Candidate } from './story-index.ts';

/** How many stories of each kind a story points to by rule. */
const MOST_REFERENCES = 8;

/** How many references of each kind a story may take over from stories that are merged into it. */
const MOST_ADOPTED = 32;

/** How readers learn why a story is shown. */
const RELATIONS = {
  earlier: 'Earlier in this storyline',
  later: 'Later in this storyline',
  related: 'Related',
};

/** Another story that a story points to. */
export interface Neighbor {
  story: string;
  kind: 'storyline' | 'related';
  /** The score of its likeliest report. */
  score: number;
  /** Whether that report is older than the one that it was compared with. */
  isEarlier: boolean;
}

/**
 * The stories of the candidates that a story and they are to point to: one is on the same storyline if the
 * score reaches `SAME_EVENT` once the time between them, and what tells the two events apart (a version, a
 * quarter), are left out; it is related if the score as it is reaches `RELATED`.
 */
export function neighborsOf(story: string, candidates: readonly Candidate[]): Neighbor[] {
  const neighbors = new Map<string, Neighbor>();
  for (const candidate of candidates) {
    if (candidate.story === null || candidate.story === story) continue;
    const timeless = likenessOf({ ...candidate.evidence, conflict: false, days: 0 });
    const isStoryline = timeless >= SAME_EVENT;
    if (!isStoryline && candidate.score < RELATED) continue;
    const kind = isStoryline ? 'storyline' : 'related';
    const score = isStoryline ? timeless : candidate.score;
    const known = neighbors.get(candidate.story);
    if (known === undefined || known.score < score) {
      const isEarlier = candidate.evidence.isLater;
      neighbors.set(candidate.story, { story: candidate.story, kind, score, isEarlier });
    }
  }
  return [...neighbors.values()].sort((a, b) => b.score - a.score).slice(0, MOST_REFERENCES);
}

/**
 * Lets stories and their neighbours point to each other, up to eight of a kind. `survivorOf` says what has
 * become of a story since its neighbours were found. Adds only: what a person has written stays.
 */
export async function writeReferences(
  tx: Transaction<NewsTables>,
  found: readonly { story: string; neighbors: readonly Neighbor[] }[],
  survivorOf: (story: string) => string,
): Promise<void> {
  const rows = found
    .flatMap(({ story, neighbors }) => neighbors.map((neighbor) => ({ story, neighbor })))
    .flatMap(({ story, neighbor: { story: other, kind, isEarlier } }) => {
      const [one, two] = [survivorOf(story), survivorOf(other)];
      if (one === two) return [];
      const [here, there] = isEarlier
        ? [RELATIONS.earlier, RELATIONS.later]
        : [RELATIONS.later, RELATIONS.earlier];
      const [forth, back] = kind === 'related' ? [RELATIONS.related, RELATIONS.related] : [here, there];
      return [
        { story: one, kind, neighbor: two, relation: forth },
        { story: two, kind, neighbor: one, relation: back },
      ];
    });
  if (rows.length === 0) return;
  await sql`
    with row as (
      select distinct on (story, kind, neighbor) *
      from jsonb_to_recordset(${JSON.stringify(rows.map((row, place) => ({ ...row, place })))}::jsonb)
        as row (story text, kind text, neighbor text, relation text, place integer)
      where not exists (
        select from news.story_reference as known
        where known.story = row.story collate "C" and known.kind = row.kind
          and known.neighbor = row.neighbor collate "C"
      )
      order by story, kind, neighbor, place
    ), placed as (
      select row.*, taken.count + row_number() over (partition by row.story, row.kind order by place) as place_after
      from row cross join lateral (
        select count(*)::integer as count from news.story_reference as known
        where known.story = row.story collate "C" and known.kind = row.kind
      ) as taken
    )
    insert into news.story_reference (story, kind, neighbor, relation, position)
    select story, kind, neighbor, relation, place_after - 1 from placed where place_after <= ${MOST_REFERENCES}
    on conflict do nothing
  `.execute(tx);
}

/**
 * Lets a story point where stories that are merged into it pointed. What points to them needs no change:
 * whoever reads a reference follows it to the survivor. Only for merges by the newsroom: an import
 * says itself where each story points, and would undo this when it is repeated.
 */
export async function adoptReferences(
  tx: Transaction<NewsTables>,
  merged: readonly string[],
  survivor: string,
): Promise<void> {
  await sql`
    with taken as (
      select kind, count(*) as count, max(position) as last from news.story_reference
      where story = ${survivor} group by kind
    ), adopted as (
      delete from news.story_reference where story = any(${merged}) returning *
    ), numbered as (
      select adopted.kind, neighbor, relation, row_number() over (partition by adopted.kind order by position, neighbor) as place
      from (select distinct on (kind, neighbor) * from adopted order by kind, neighbor, position) as adopted
      where neighbor <> ${survivor} and neighbor <> all(${merged}::text[])
    )
    insert into news.story_reference (story, kind, neighbor, relation, position)
    select ${survivor}, numbered.kind, neighbor, relation, coalesce(taken.last + 1, 0) + place - 1
    from numbered left join taken using (kind)
    where coalesce(taken.count, 0) + place <= ${MOST_ADOPTED}
    on conflict do nothing
  `.execute(tx);
}
