import { type Figure, figuresOf } from '../figures/figure.ts';
import { median } from '../quantile.ts';
import { inTurns, timed } from '../turns.ts';

/** How often each question is asked of each database. */
const ROUNDS = 7;

/** For how long one round asks one question, in ms. */
const ROUND_MS = 120;

/** How often a round asks at least. */
const LEAST = 3;

/** Something that is asked of a database, and how long its answer takes. */
export interface Question {
  what: string;
  /** The largest acceptable multiple of the time with the fewest rows. */
  aim: number;
  ask: () => Promise<void>;
}

/** Databases that are asked the same questions. */
export interface Asked {
  subject: string;
  measured: { rows: number; questions: readonly Question[] };
  smallest: { rows: number; questions: readonly Question[] };
}

/** The times of the answers of both, one request at a time, and the multiple of the smallest one's. */
export async function timesOf({ subject, measured, smallest }: Asked): Promise<Figure[]> {
  const figures: Figure[] = [];
  const { rows } = measured;
  const figure = figuresOf(subject, { rows });
  for (const [index, { what, aim, ask }] of measured.questions.entries()) {
    const other = smallest.questions[index];
    if (other?.what !== what) throw new Error(`${what} is compared with ${other?.what}`);
    await Promise.all([timeOf(ask), timeOf(other.ask)]);
    const [times = [], least = []] = await inTurns([ask, other.ask], ROUNDS, timeOf);
    const multiples = times.map((ms, round) => ms / (least[round] ?? Number.NaN));
    figures.push(
      figuresOf(subject, { rows: smallest.rows, beside: rows })(what, 'p50', 'ms', least),
      figure(what, 'p50', 'ms', times),
      figure(what, 'multiple', '', multiples, aim),
    );
  }
  return figures;
}

/** The median time of one answer, in ms. */
async function timeOf(ask: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + ROUND_MS;
  while (performance.now() < end || times.length < LEAST) times.push(await timed(ask));
  return median(times);
}
