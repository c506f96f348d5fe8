import type { Part } from './figures/parts.ts';
import type { SectionMaker } from './report/section.ts';

/** A bench and its sections of pages: `pnpm bench NAME [PART …] [SIZE …]`. */
export interface Bench<Subject = unknown> {
  /** Starts what its parts measure, once the first of them is to be measured, as resources of its own. */
  start?(sizes: readonly number[], resources: AsyncDisposableStack): Promise<Subject>;
  /** Its parts, in the sizes of the command line or, where there are none, its own. */
  parts(sizes: readonly number[]): readonly Part<Subject>[];
  /** Makes the sections of pages, by the name in their marks. */
  sections: Readonly<Record<string, SectionMaker>>;
}

/** The options of `pnpm bench`. */
export const OPTIONS = {
  keep: { type: 'boolean', default: false },
  fresh: { type: 'boolean', default: false },
} as const;

/** The parts of a bench that words of the command line name by their first word, or all. */
export function partsOf<Subject>(
  bench: Bench<Subject>,
  words: readonly string[],
): { sizes: number[]; parts: Part<Subject>[] } {
  const sizes = words.map(Number).filter(Number.isFinite);
  const names = words.filter((word) => !Number.isFinite(Number(word)));
  const isChosen = ({ name }: Part<Subject>) => names.includes(name.split(/[ ,]/)[0] ?? '');
  const parts = bench.parts(sizes).filter((part) => names.length === 0 || isChosen(part));
  return { sizes, parts };
}
