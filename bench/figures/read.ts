import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure, FiguresFile } from './figure.ts';
import { FIGURES } from './keep.ts';

/** The committed files of figures, by the name of their bench. */
export type FiguresFiles = ReadonlyMap<string, FiguresFile>;

/** Reads every file of figures of a working tree. */
export async function readFigures(root: string): Promise<FiguresFiles> {
  const paths = (await Array.fromAsync(glob(`${FIGURES}/*.json`, { cwd: root }))).sort();
  const files = paths.map(
    async (path): Promise<FiguresFile> => JSON.parse(await readFile(join(root, path), 'utf8')),
  );
  return new Map((await Promise.all(files)).map((file) => [file.bench, file]));
}

/** There are no figures of a bench. */
export class NotMeasured extends Error {
  readonly bench: string;

  constructor(bench: string) {
    super(`${FIGURES}/${bench}.json is missing; run pnpm bench ${bench}`);
    this.bench = bench;
  }
}

/** The file of a bench. Throws `NotMeasured` if there is none. */
export function fileOf(files: FiguresFiles, bench: string): FiguresFile {
  const file = files.get(bench);
  if (file === undefined) throw new NotMeasured(bench);
  return file;
}

/** Members that a selected figure must have; of the conditions, those that are named. */
export interface Selection {
  what?: string;
  subject?: string;
  metric?: string;
  at?: Readonly<Record<string, number | string | undefined>>;
}

/** The figures that have all of a selection. */
export function select(figures: readonly Figure[], { at = {}, ...rest }: Selection): Figure[] {
  return figures.filter(
    (figure) =>
      Object.entries(rest).every(([name, value]) => figure[name as keyof typeof rest] === value) &&
      Object.entries(at).every(([name, value]) => figure.at[name] === value),
  );
}

/** The median of the first figure that has all of a selection; not a number if there is none. */
export function medianOf(figures: readonly Figure[], selection: Selection): number {
  return select(figures, selection)[0]?.median ?? Number.NaN;
}

/** The different values of one condition, in the order of the file. */
export function valuesOf(figures: readonly Figure[], condition: string): (number | string)[] {
  return [...new Set(figures.flatMap(({ at }) => at[condition] ?? []))];
}

/** The different values of one member, in their first order. */
export function membersOf(figures: readonly Figure[], member: 'what' | 'subject' | 'metric'): string[] {
  return [...new Set(figures.map((figure) => figure[member]))];
}
