import type { Case } from './case.ts';
import { converse, type Heard } from './conversation.ts';

const CONCURRENCY = 40;

/** Longest wait for an answer or the end of a connection, in ms: only a fault takes as long. */
export const PATIENCE_MS = 60_000;

/**
 * Tries all cases at a URL and reports each. The slow ones begin first and all at once, because they only
 * wait; the others run next to them.
 */
export async function tryAll(
  url: string,
  cases: readonly Case[],
  report: (name: string, fault: string | undefined) => void,
): Promise<void> {
  const trial = async (one: Case) => {
    const { name, due, patienceMs = PATIENCE_MS, ...speech } = one;
    const heard = await converse(url, { ...speech, patienceMs });
    report(name, due.holds(heard) ? undefined : `got ${inWords(heard)}, expected ${due.what}`);
  };
  const waiting = cases.filter(({ patienceMs }) => patienceMs !== undefined).map(trial);
  const rest = cases.filter(({ patienceMs }) => patienceMs === undefined);
  const next = rest.values();
  const lane = async () => {
    for (const one of next) await trial(one);
  };
  await Promise.all([...waiting, ...Array.from({ length: CONCURRENCY }, lane)]);
}

function inWords({ statuses, closed, ms, rest }: Heard): string {
  const answers = statuses.length === 0 ? 'no answer' : statuses.join(', ');
  const end = closed ? `the end after ${Math.round(ms)} ms` : `no end in ${Math.round(ms)} ms`;
  return `${answers}, ${end}${rest === '' ? '' : `, and ${JSON.stringify(rest.slice(0, 80))}`}`;
}
