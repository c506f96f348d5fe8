import { median } from '../quantile.ts';

/** How often each question is asked of each database. They take turns, so a noisy second hits both. */
const ROUNDS = 7;

/** For how long one round asks one question, in ms. */
const ROUND_MS = 120;

/** How often a round asks at least. */
const LEAST = 3;

/** Something that is asked of a database, and how long its answer takes. */
export interface Question {
  what: string;
  /** The largest acceptable multiple of the time with 10,000 rows. */
  aim: number;
  ask: () => Promise<void>;
}

/** What a round measured: the median times of one answer, in ms, one request at a time. */
interface GrowthRound {
  measured: number;
  /** With the fewest rows. */
  smallest: number;
}

/** The times of a question on the measured database, and on the smallest one in the same rounds. */
export interface GrowthTime {
  what: string;
  aim: number;
  rounds: GrowthRound[];
}

/** Asks the same questions of two databases in turns; the lists are of the same length and order. */
export async function timeInTurns(
  measured: readonly Question[],
  smallest: readonly Question[],
): Promise<GrowthTime[]> {
  const times: GrowthTime[] = [];
  for (const [index, { what, aim, ask }] of measured.entries()) {
    const other = smallest[index];
    if (other?.what !== what) throw new Error(`${what} is compared with ${other?.what}`);
    const rounds: GrowthRound[] = [];
    await Promise.all([timeOf(ask), timeOf(other.ask)]);
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push({ measured: await timeOf(ask), smallest: await timeOf(other.ask) });
    }
    times.push({ what, aim, rounds });
  }
  return times;
}

/** The median time of one answer, in ms. */
async function timeOf(ask: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + ROUND_MS;
  while (performance.now() < end || times.length < LEAST) {
    const begin = performance.now();
    await ask();
    times.push(performance.now() - begin);
  }
  return median(times);
}
