import { type Kysely, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { SLUG_PATTERN, slugify } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import { DiskMap } from './disk-map.ts';
import type { SourceEntry } from './source-entry.ts';

/** The longest slug, in characters (`docs/spec/wire.md`, "Slug"). */
const MOST = 100;

/** Who comes first where two articles of a file are to have one slug. */
interface Claim {
  number: number;
  /** Slugs that articles had go before those that are made, then published articles before drafts. */
  rank: number;
}

/** Which article of a file gets which slug: all are looked at before the first is written. */
export class SlugPlan {
  readonly #claims = new DiskMap<Claim>();
  /** The last number that was given to a slug. */
  readonly #numbers = new LRUCache<string, number>({ max: 10_000 });

  /** Claims the slug of the entry with this number. */
  add(entry: SourceEntry, number: number): void {
    const line: unknown = 'line' in entry ? entry.line : undefined;
    if (typeof line !== 'object' || line === null) return;
    const { type = 'article', slug, title, is_published }: Record<string, unknown> = { ...line };
    if (type !== 'article') return;
    const isGiven = typeof slug === 'string' && SLUG_PATTERN.test(slug) && slug.length <= MOST;
    const made = typeof slug === 'string' ? slug : ('identity' in entry && entry.identity?.slug) || title;
    const claimed = isGiven ? slug : slugify(typeof made === 'string' ? made : '', 'article');
    const rank = (isGiven ? 0 : 2) + (is_published === false ? 1 : 0);
    const first = this.#claims.get(claimed);
    if (first === undefined || rank < first.rank) this.#claims.add(claimed, { number, rank });
  }

  /** Whether no other article of the file is to have the slug. */
  isFor(slug: string, number: number): boolean {
    return (this.#claims.get(slug)?.number ?? number) === number;
  }

  /** The slug that the article gets, which stays free until the transaction ends. */
  async choose(db: Kysely<ContentTables>, wanted: string, number: number): Promise<string> {
    const { rows } = await sql<{ free: string }>`
      select content.free_slug('content.article', ${wanted}) as free`.execute(db);
    const free = rows[0]?.free ?? wanted;
    if (free === wanted && this.isFor(wanted, number)) return wanted;
    const freeNumber = free === wanted ? 2 : Number(/\d+$/.exec(free)?.[0] ?? 2);
    for (let n = Math.max(freeNumber, (this.#numbers.get(wanted) ?? 1) + 1); ; n += 1) {
      const slug = numbered(wanted, n);
      if (!this.isFor(slug, number) || (await isTaken(db, slug))) continue;
      this.#numbers.set(wanted, n);
      return slug;
    }
  }
}

function numbered(slug: string, n: number): string {
  return `${slug.slice(0, MOST - 1 - String(n).length).replace(/-+$/, '')}-${n}`;
}

async function isTaken(db: Kysely<ContentTables>, slug: string): Promise<boolean> {
  const { rows } = await sql<{ is_taken: boolean }>`
    select content.slug_is_taken('content.article', ${slug}, null) as is_taken`.execute(db);
  return rows[0]?.is_taken === true;
}
