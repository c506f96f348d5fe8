import type { Figure, FigureMaker } from '../figures/figure.ts';
import { quantile, quotients } from '../quantile.ts';
import { inTurns, timed } from '../turns.ts';

/** Rounds in which each question is asked of each database. */
const ROUNDS = 7;

/** For how long one round asks one question, in ms. */
const ROUND_MS = 120;

/** Least number of questions in a round, for a median and for what is slower than nearly all. */
const LEAST = { p50: 3, p99: 50 };

/** Acceptable multiples: of what people ask for, and of writes. */
export const READ = 1.2;
export const WRITE = 1.5;

/** Something that is asked of a database, and how long its answer takes. */
export interface Question {
  what: string;
  /** The value to compare: `p50` unless given. */
  metric?: 'p99';
  /** The largest acceptable multiple of that with the fewest rows. */
  aim: number;
  ask: () => Promise<unknown>;
}

/** The times of the answers with so many rows, one request at a time, as multiples of the smallest one's. */
export async function timesOf(
  figure: FigureMaker,
  measured: readonly Question[],
  smallest: readonly Question[],
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [index, { what, metric = 'p50', aim, ask }] of measured.entries()) {
    const other = smallest[index];
    if (other?.what !== what) throw new Error(`${what} is compared with ${other?.what}`);
    const time = (asking: Question['ask']) => timeOf(asking, metric);
    await Promise.all([time(ask), time(other.ask)]);
    const [times = [], least = []] = await inTurns([ask, other.ask], ROUNDS, time);
    figures.push(
      figure(what, metric, 'ms', times),
      figure(what, 'multiple', '', quotients(times, least), aim),
    );
  }
  return figures;
}

/** The time within which so many of the answers of a round came, in ms. */
async function timeOf(ask: Question['ask'], metric: keyof typeof LEAST): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + ROUND_MS;
  while (performance.now() < end || times.length < LEAST[metric]) times.push(await timed(ask));
  return quantile(times, Number(metric.slice(1)) / 100);
}
