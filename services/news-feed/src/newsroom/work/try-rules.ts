import { Failure } from '@pressroom/common/failures/failure';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Reader } from '../reading/reader.ts';
import { type Ruling, rulingOf } from '../sources/source-rules.ts';
import { newestEntries } from '../sources/source-store.ts';
import { tryEach } from './apply-rules.ts';

/** What rules would do to an entry. */
export type TriedEntry = { title: string } & Ruling;

/** What rules would do to the newest entries of a source. Throws a `Failure` if one cannot be applied. */
export async function tryRules(
  { db, reader }: { db: Kysely<NewsTables>; reader: Reader },
  id: number,
  rules: readonly string[],
): Promise<TriedEntry[]> {
  const entries = await newestEntries(db, id);
  const { applied, faults } = await tryEach(reader, `rules of ${id}`, rules, entries);
  const [fault] = faults;
  if (fault !== undefined) throw new Failure('invalid', fault.reason);
  return entries.map(({ title }, entry) => ({ title, ...rulingOf(applied, entry) }));
}
