import { setTimeout as delay } from 'node:timers/promises';
import { readJsonLines } from '@pressroom/common/files/json-lines';
import { type LineOptions, readImportLine } from './import-line.ts';

/** The options of {@link importFile}. */
export interface Import extends LineOptions {
  /** The JSON Lines file, or `-` for standard input. */
  file: string;
  /** The address of the service. */
  url: string;
  key: string;
}

/** The outcome of the lines. */
interface Tally {
  created: number;
  known: number;
  refused: { line: number; source: string; reason: string }[];
}

/** How often a line is tried while the service is unavailable or unreachable. */
const ATTEMPTS = 8;

/** The pause between two attempts if there is no `Retry-After`, in ms. */
const PAUSE_MS = 500;

/** How many lines pass between two progress reports if the output is not a terminal. */
const REPORT_EVERY = 100;

/**
 * Posts the articles of a file through the HTTP API, one by one, and prints a count and every refused line at
 * the end. An article that already exists, from this file or an earlier run, is not created again. Resolves
 * to the exit code: 1 if a line was refused. Throws if the service cannot be used at all.
 */
export async function importFile(options: Import): Promise<0 | 1> {
  const tally: Tally = { created: 0, known: 0, refused: [] };
  for await (const { number, text } of readJsonLines(options.file)) {
    await importLine(options, text, number, tally);
    reportProgress(number, tally);
  }
  report(tally);
  return tally.refused.length === 0 ? 0 : 1;
}

async function importLine(
  options: Import,
  text: string | undefined,
  line: number,
  tally: Tally,
): Promise<void> {
  let source = '';
  try {
    const article = readImportLine(text, options);
    source = article.source;
    const outcome = await post(options, article.body, article.idempotencyKey);
    tally[outcome] += 1;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof Unusable) throw error;
    tally.refused.push({ line, source, reason: error.message });
  }
}

/** The service cannot be used, so every other line would fail too. */
class Unusable extends Error {}

async function post(
  { url, key }: Import,
  body: object,
  idempotencyKey: string,
): Promise<'created' | 'known'> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(new URL('/api/articles', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': idempotencyKey },
      body: JSON.stringify(body),
    }).catch((error: unknown) => error as Error);
    if (response instanceof Response) {
      if (response.status === 201) return response.headers.has('idempotent-replayed') ? 'known' : 'created';
      const problem = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
      const { code, detail } = problem;
      // The article exists; a different excerpt or byline does not make it a different article.
      if (code === 'idempotency_key_reused') return 'known';
      const reason = `${response.status} ${detail ?? response.statusText}`;
      if (response.status === 401 || response.status === 403)
        throw new Unusable(`the service rejects the key: ${reason}`);
      if (response.status !== 429 && response.status < 500) throw new Error(reason);
      if (response.status !== 429 && attempt === ATTEMPTS)
        throw new Unusable(`the service is unavailable: ${reason}`);
    } else if (attempt === ATTEMPTS) {
      throw new Unusable(`no service answers at ${url} (start one with \`pnpm start\`, or give --url)`);
    }
    await delay(pauseOf(response));
  }
}

/** How long to wait before the next attempt, in ms. */
function pauseOf(response: Response | Error): number {
  const seconds = response instanceof Response ? Number(response.headers.get('retry-after')) : 0;
  return seconds > 0 ? seconds * 1000 : PAUSE_MS;
}

function reportProgress(lines: number, { created, known, refused }: Tally): void {
  const text = `${lines} lines: ${created} created, ${known} already there, ${refused.length} refused`;
  if (process.stderr.isTTY) process.stderr.write(`\r${text}`);
  else if (lines % REPORT_EVERY === 0) console.error(text);
}

function report({ created, known, refused }: Tally): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  console.log(`${created} created, ${known} already there, ${refused.length} refused`);
  for (const { line, source, reason } of refused) {
    console.log(`line ${line}${source && ` (source ${source})`}: ${reason}`);
  }
}
