import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import type { Lexicon } from '../stories/lexicon.ts';
import type { RenewalParts } from '../stories/renew-stories.ts';

/** What editors work with at the desk. */
export interface EditorParts {
  db: Kysely<NewsTables>;
  vocabulary: Vocabulary;
  /** That of the vocabulary's packs. */
  lexicon: Lexicon;
  clock: Clock;
}

/** What an edit at this moment renews stories with. */
export function renewalOf({ lexicon, clock }: Pick<EditorParts, 'lexicon' | 'clock'>): RenewalParts {
  return { lexicon, now: clock() };
}
