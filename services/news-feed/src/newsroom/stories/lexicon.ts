import { readPacks } from '../../packs/packs.ts';

/** What a spelling of the lexicon stands for. */
export interface Meaning {
  /** The term that all its spellings share. */
  term: string;
  kind: 'place' | 'name' | 'concept';
}

/** What the comparison of reports knows of language; `common.yaml` explains it. */
export interface Lexicon {
  /** Lower-case spellings of one to four words. */
  latin: ReadonlyMap<string, Meaning>;
  chinese: ReadonlyMap<string, Meaning>;
  /** The longest Chinese spelling, in characters. */
  longestChinese: number;
}

/** The lexicon of packs; without any, what holds whatever the field. Throws a `Failure`. */
export function readLexicon(packs: readonly string[] = []): Lexicon {
  const { places, bodies, concepts } = readPacks(packs).lexicon;
  const latin = new Map<string, Meaning>();
  const chinese = new Map<string, Meaning>();
  for (const [entries, kind] of [
    [places, 'place'],
    [bodies, 'name'],
    [concepts, 'concept'],
  ] as const) {
    for (const spellings of entries) {
      // A line with a spelling that is known adds its others to that thing.
      const known =
        spellings.latin.map((spelling) => latin.get(spelling)).find((meaning) => meaning !== undefined) ??
        spellings.chinese.map((spelling) => chinese.get(spelling)).find((meaning) => meaning !== undefined);
      const meaning = known ?? { term: `=${spellings.latin[0]}`, kind };
      for (const spelling of spellings.latin) latin.set(spelling, meaning);
      for (const spelling of spellings.chinese) chinese.set(spelling, meaning);
    }
  }
  return {
    latin,
    chinese,
    longestChinese: Math.max(1, ...[...chinese.keys()].map(({ length }) => length)),
  };
}
