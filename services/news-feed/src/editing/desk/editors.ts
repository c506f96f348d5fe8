import type { Lexicon } from '@pressroom/stories';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../../calendar.ts';
import type { RenewalParts } from '../../grouping/story-renewal.ts';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../words.ts';

export interface EditorParts {
  db: Kysely<NewsTables>;
  vocabulary: Vocabulary;
  /** The lexicon of the vocabulary's packs. */
  lexicon: Lexicon;
  clock: Clock;
}

/** Dependencies for renewing stories at this moment. */
export function renewalOf({ lexicon, clock }: Pick<EditorParts, 'lexicon' | 'clock'>): RenewalParts {
  return { lexicon, now: clock() };
}

/** A time as an answer shows it. */
export const timestamp = z.string().meta({ format: 'date-time' });

type Wire<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Member)[]
    ? Wire<Member>[]
    : Value extends object
      ? { [Name in keyof Value]: Wire<Value[Name]> }
      : Value;

/** The value with its times written in ISO 8601. */
export function toWire<Value>(value: Value): Wire<Value> {
  return wire(value) as Wire<Value>;
}

function wire(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(wire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, wire(member)]));
}

/** The number of an edit, by which it can be undone. */
export const editNumber = z
  .int()
  .nullable()
  .describe('The number by which the edit can be undone; null if nothing was changed.');
