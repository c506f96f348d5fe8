import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { likenessOf, RELATED, SAME_EVENT } from './likeness.ts';
import type { Candidate } from './story-index.ts';

/** How many stories of each kind a story points to by rule. */
const MOST_REFERENCES = 8;

/** How a reader is told why a story is shown. */
const RELATIONS = {
  earlier: 'Earlier in this storyline',
  later: 'Later in this storyline',
  related: 'Related',
};

/** Another story with its likeliest report. */
interface Neighbor {
  story: string;
  kind: 'storyline' | 'related';
  score: number;
  candidate: Candidate;
}

/**
 * Lets a story and the stories of its candidates point to each other. A story is on the same storyline if the
 * score reaches `SAME_EVENT` once the time between them, and what tells the two events apart (a version, a
 * quarter), are left out; it is related if the score as it is reaches `RELATED`. Adds only: what a person has
 * written stays.
 */
export async function writeReferences(
  tx: Transaction<NewsTables>,
  story: string,
  candidates: readonly Candidate[],
): Promise<void> {
  const neighbors = neighborsOf(story, candidates);
  if (neighbors.length === 0) return;
  const rows = neighbors.flatMap(({ story: neighbor, kind, candidate }) => {
    const isEarlier = candidate.evidence.isLater;
    const [here, there] = isEarlier
      ? [RELATIONS.earlier, RELATIONS.later]
      : [RELATIONS.later, RELATIONS.earlier];
    const [forth, back] = kind === 'related' ? [RELATIONS.related, RELATIONS.related] : [here, there];
    return [
      { story, kind, neighbor, relation: forth },
      { story: neighbor, kind, neighbor: story, relation: back },
    ];
  });
  await sql`
    insert into news.story_reference (story, kind, neighbor, relation, position)
    select story, kind, neighbor, relation, taken.count + row_number() over (partition by story, kind order by place) - 1
    from jsonb_to_recordset(${JSON.stringify(rows.map((row, place) => ({ ...row, place })))}::jsonb)
      as row (story text, kind text, neighbor text, relation text, place integer)
    cross join lateral (
      select count(*)::integer as count from news.story_reference as known
      where known.story = row.story collate "C" and known.kind = row.kind
    ) as taken
    where taken.count < ${MOST_REFERENCES}
    on conflict do nothing
  `.execute(tx);
}

function neighborsOf(story: string, candidates: readonly Candidate[]): Neighbor[] {
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
      neighbors.set(candidate.story, { story: candidate.story, kind, score, candidate });
    }
  }
  return [...neighbors.values()].sort((a, b) => b.score - a.score).slice(0, MOST_REFERENCES);
}
