import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { type Ruling, readRules } from './source-rules.ts';
import { newestEntries } from './source-store.ts';

/** What rules would do to an entry. */
export type TriedEntry = { title: string } & Ruling;

/** What rules would do to the newest entries of a source. Throws a `Failure` for one that is wrong. */
export async function tryRules(
  db: Kysely<NewsTables>,
  id: number,
  rules: readonly string[],
): Promise<TriedEntry[]> {
  const rule = readRules(rules);
  return (await newestEntries(db, id)).map((entry) => ({ title: entry.title, ...rule(entry) }));
}
