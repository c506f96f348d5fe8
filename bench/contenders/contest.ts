import { type Asked, sliceFigures, slicesOf } from '../compare.ts';
import { type Conditions, figuresOf } from '../figures/figure.ts';
import type { Part } from '../figures/parts.ts';
import { quantile } from '../quantile.ts';
import type { ServerProcess } from '../server.ts';
import { timed } from '../turns.ts';

/** Measurements of each server, and their length. */
const ROUNDS = { rounds: 7, roundMs: 400, warmUpMs: 1000 };

/** Time of all servers under one load, about, in s. */
const SECONDS = 8;

/** Requests by their meaning: the servers that answer each, in their own forms. */
export type Contest<What extends string> = Readonly<Record<What, readonly Asked[]>>;

/**
 * The measurements, each of all servers in turns under one load: rate, times, CPU time and memory of each,
 * and the CPU time of its database if one is named. `questions` gives, for each, the numbers of concurrent
 * requests to try in turn.
 */
export function contestParts<What extends string>(
  questions: Readonly<Record<What, readonly number[]>>,
  at: Conditions = {},
): Part<Contest<What>>[] {
  const metrics = ['rate', 'p50', 'p99', 'cpu', 'memory'] as const;
  const metricsOf = ({ database }: Asked) =>
    database === undefined ? metrics : ([...metrics, 'cpu, database'] as const);
  return (Object.keys(questions) as What[]).flatMap((what) =>
    questions[what].map((connections) => ({
      name: `${what}, ${connections} connections`,
      seconds: SECONDS,
      run: async ({ [what]: asked }: Contest<What>) => {
        const slices = await slicesOf(asked, { ...ROUNDS, connections });
        return asked.flatMap((one, index) => {
          const figure = figuresOf(one.subject, { ...at, connections });
          return sliceFigures(figure, what, slices[index] ?? [], metricsOf(one));
        });
      },
    })),
  );
}

/** Asks a server by running `work` again and again, as many at once as there are connections. */
export function askedRepeatedly(subject: string, process: ServerProcess, work: () => Promise<void>): Asked {
  const ask = async (durationMs: number, connections: number) => {
    const times: number[] = [];
    const begin = performance.now();
    const worker = async () => {
      while (performance.now() - begin < durationMs) times.push(await timed(work));
    };
    await Promise.all(Array.from({ length: connections }, worker));
    const requestsPerSecond = (times.length * 1000) / (performance.now() - begin);
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    const highest = Math.max(...times);
    return { requests: times.length, requestsPerSecond, failed: 0, p50, p99, highest, statuses: {} };
  };
  return { subject, process, ask };
}
