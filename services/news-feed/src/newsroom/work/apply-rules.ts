import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Reader } from '../reading/reader.ts';
import { type AppliedRule, type RuleSubject, type Ruling, rulingOf } from '../sources/source-rules.ts';
import type { Source } from '../sources/source-store.ts';

/** A rule that is not applied any more, and why. */
export interface StoppedRule {
  rule: string;
  reason: string;
}

/**
 * What the rules of a source say of each entry, applied in threads. One that cannot be applied within their
 * limits is switched off, with its reason, until an editor saves the rules again.
 */
export async function applyRules(
  parts: { db: Kysely<NewsTables>; reader: Reader },
  source: Pick<Source, 'id' | 'given_url' | 'rules' | 'stopped_rules'>,
  subjects: readonly RuleSubject[],
): Promise<Ruling[]> {
  const { rules, stopped_rules: stopped } = source;
  const { applied, faults } = await tryEach(parts.reader, source.given_url, rules, subjects, stopped);
  if (faults.length > 0) await stopRules(parts.db, source, [...stopped, ...faults]);
  return subjects.map((_, entry) => rulingOf(applied, entry));
}

/** Applies rules, one after the other; those that cannot be are faults. Throws a `Failure` `unavailable`. */
export async function tryEach(
  reader: Reader,
  owner: string,
  rules: readonly string[],
  subjects: readonly RuleSubject[],
  stopped: readonly StoppedRule[] = [],
): Promise<{ applied: AppliedRule[]; faults: StoppedRule[] }> {
  const off = new Set(stopped.map(({ rule }) => rule));
  const applied: AppliedRule[] = [];
  const faults: StoppedRule[] = [];
  for (const rule of rules) {
    let matches: boolean[] | undefined;
    try {
      // The thread gets no more of an entry than a rule looks at.
      const seen = subjects.map(({ title, summary, url }) => ({ title, summary, url }));
      matches = off.has(rule) ? undefined : await reader.read(owner, 'rule', { rule, subjects: seen });
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'invalid') throw error;
      faults.push({ rule, reason: error.message });
    }
    applied.push({ rule, matches });
  }
  return { applied, faults };
}

/** What is wrong with the patterns of rules that an editor gives, each with its place among them. */
export async function faultsOfPatterns(
  reader: Reader,
  rules: readonly string[] = [],
): Promise<{ index: number; message: string }[]> {
  if (rules.length === 0) return [];
  const faults = await reader.read('the rules of editors', 'patterns', rules);
  return faults.flatMap((message, index) => (message === null ? [] : [{ index, message }]));
}

/** Not if an editor has saved other rules meanwhile. */
async function stopRules(
  db: Kysely<NewsTables>,
  { id, rules }: Pick<Source, 'id' | 'rules'>,
  stopped: readonly StoppedRule[],
): Promise<void> {
  await db
    .updateTable('news.source')
    .set({ stopped_rules: JSON.stringify(stopped) })
    .where('id', '=', id)
    .where('rules', '=', sql<string[]>`${rules}::text[]`)
    .execute();
}
