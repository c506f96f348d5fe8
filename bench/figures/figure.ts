/**
 * The figures that benches measure, and their files: `docs/figures/NAME.json`, one a bench, committed. `pnpm
 * bench report` makes every table and picture of the pages from these files alone.
 *
 * A file holds the circumstances of the measurement and a flat list of figures. A figure is one number of
 * one server under one set of conditions, so that a plot or a table is a selection: `what` chooses the row,
 * `subject` the column or bar, `metric` the number, and `at` the place on an axis. To show a new bench:
 * declare it in `../benches`, with its sections, put their marks into a page, and run `pnpm bench report`.
 */
import { quantile } from '../quantile.ts';

/** The largest acceptable resident memory of a service under load, in MiB. */
export const MEMORY_AIM = 180;

/** Conditions of a measurement; `rows` and `connections` where they apply. */
export type Conditions = Readonly<Record<string, number | string>>;

export interface Figure {
  /** The request or the work, such as `list of 20`. */
  what: string;
  /** The program measured: a service of Pressroom, or another program with its version. */
  subject: string;
  /** Such as `rate`, `p99`, or `ratio`: of rates, round by round. */
  metric: string;
  /** The unit, as it is printed after the number: `/s`, `ms`, `µs`, `MiB`, or nothing for a ratio. */
  unit: string;
  median: number;
  /** Their first and third quartiles: half of the rounds lie between them. */
  quartiles: readonly [lower: number, upper: number];
  rounds: number;
  at: Conditions;
  /** The value that the median should reach, or for times, memory and multiples not exceed. */
  aim?: number;
}

/** The circumstances in which a file's figures were measured. */
export interface Measured {
  /** When the last of them was measured, in ISO 8601. */
  at: string;
  /** The commit that was measured, with `+` where files had been changed since. */
  commit: string;
  node: string;
  cpu: string;
  cores: number;
  memoryGiB: number;
  kernel: string;
}

export interface FiguresFile {
  /** The name of the bench and of the file. */
  bench: string;
  command: string;
  measured: Measured;
  figures: readonly Figure[];
}

/** A figure without its values. */
export type FigureLabel = Omit<Figure, 'median' | 'quartiles' | 'rounds'>;

/**
 * A figure from the values of its rounds. Those in which nothing was answered have none: a ratio to nothing
 * is not a number. Throws if no round has a value.
 */
export function figureOf({ what, subject, metric, unit, at, aim }: FigureLabel, rounds: number[]): Figure {
  const values = rounds.filter(Number.isFinite);
  if (values.length === 0) throw new Error(`${what}, ${subject}: no round has measured its ${metric}`);
  const [lower = 0, median = 0, upper = 0] = [0.25, 0.5, 0.75].map((q) => rounded(quantile(values, q)));
  const measured = { median, quartiles: [lower, upper], rounds: values.length } as const;
  return { what, subject, metric, unit, ...measured, at, ...(aim !== undefined && { aim }) };
}

/** Makes figures of one subject under the same conditions. */
export type FigureMaker = ReturnType<typeof figuresOf>;

/** Makes the figures of one subject under the same conditions. */
export function figuresOf(subject: string, at: Conditions = {}) {
  return (what: string, metric: string, unit: string, rounds: number | number[], aim?: number): Figure =>
    figureOf({ what, subject, metric, unit, at, ...(aim !== undefined && { aim }) }, [rounds].flat());
}

/** Four significant digits, and whole numbers whole: what is beyond is noise. */
function rounded(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4));
}
