import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readYamlFile } from '../../yaml-file.ts';

/** The lexicon that comes with the newsroom. */
const DEFAULT_FILE = fileURLToPath(new URL('./lexicon.yaml', import.meta.url));

/** A thing with its spellings in English and Chinese. */
const entry = z
  .string()
  .regex(/^[^|]+\|[^|]+$/u, 'must have English spellings, a bar, and Chinese spellings')
  .transform((line) => {
    const [english = [], chinese = []] = line
      .split('|')
      .map((side) => side.split(',').map((spelling) => spelling.trim().toLowerCase()));
    return { english, chinese };
  });

const lexiconFile = z.strictObject({
  places: z.array(entry),
  bodies: z.array(entry),
  concepts: z.array(entry),
});

/** What a spelling of the lexicon stands for. */
export interface Meaning {
  /** The term that all its spellings share. */
  term: string;
  kind: 'place' | 'name' | 'concept';
}

/** What the comparison of reports knows of English and Chinese. */
export interface Lexicon {
  /** Lower-case English spellings of one to four words. */
  english: ReadonlyMap<string, Meaning>;
  chinese: ReadonlyMap<string, Meaning>;
  /** The longest Chinese spelling, in characters. */
  longestChinese: number;
}

/** Reads a lexicon, by default the one that comes with the newsroom. Throws a `Failure`. */
export function readLexicon(file = DEFAULT_FILE): Lexicon {
  const { places, bodies, concepts } = readYamlFile(file, lexiconFile, 'a lexicon');
  const english = new Map<string, Meaning>();
  const chinese = new Map<string, Meaning>();
  for (const [entries, kind] of [
    [places, 'place'],
    [bodies, 'name'],
    [concepts, 'concept'],
  ] as const) {
    for (const spellings of entries) {
      const meaning = { term: `=${spellings.english[0]}`, kind };
      for (const spelling of spellings.english) english.set(spelling, meaning);
      for (const spelling of spellings.chinese) chinese.set(spelling, meaning);
    }
  }
  return {
    english,
    chinese,
    longestChinese: Math.max(1, ...[...chinese.keys()].map(({ length }) => length)),
  };
}
