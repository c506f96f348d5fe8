import { setTimeout as delay } from 'node:timers/promises';

/**
 * `steady-load.ts [TOTAL] [PER_SECOND]`: reads and writes on all three services at a steady rate, until it
 * has asked TOTAL times and SIGTERM arrived. It shows what is lost while `deploy/roll` runs. STACK_URL,
 * CONTENT_API_KEY, ADMIN_USERNAME and ADMIN_PASSWORD name the deployment. Every answer counts, however late:
 * only one that is not a success, or none at all, is a failure. So a slow machine shows in the rate and the
 * times that are printed, and not as a failure. At the end the articles are counted: each acknowledged one
 * exists once.
 */
const { STACK_URL, CONTENT_API_KEY, ADMIN_USERNAME, ADMIN_PASSWORD } = process.env;
const [total = 10_000, perSecond = 200] = process.argv.slice(2).map(Number);

/**
 * Requests that wait for an answer at most. A machine that is too slow for the rate gets fewer, not ever
 * more.
 */
const IN_FLIGHT = 64;

/** Failures that are described one by one. */
const DESCRIBED = 20;

interface Request {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
}

/** Tells this run's folders and questions from earlier ones. */
const run = Date.now().toString(36);

let key: Record<string, string>;
let session: Record<string, string>;

const article = (number: number): Request => ({
  method: 'POST',
  path: '/api/articles',
  headers: key,
  json: {
    title: `Written ${run} ${number}`,
    content: `<p>${'Words of it. '.repeat(8)}</p>`,
    is_published: true,
  },
});
const folder = (number: number): Request => ({
  method: 'POST',
  path: '/api/gallery/folder',
  headers: session,
  json: { path: `load-${run}/${number}` },
});
// Every read is another URL, so that it reaches a service and not only the proxy's cache.
const articles = (number: number): Request => ({ method: 'GET', path: `/api/articles?page=${number}` });
const items = (number: number): Request => ({
  method: 'GET',
  path: `/api/v1/items?limit=${(number % 100) + 1}&mode=${number % 16 === 2 ? 'all' : 'selected'}`,
});
const buckets = (): Request => ({ method: 'GET', path: '/api/settings/buckets', headers: session });

/** Two writes in eight. */
const TURNS = [article, articles, items, articles, folder, items, buckets, articles];

/** The number of answers by outcome. */
const outcomes = new Map<string, number>();
const times: number[] = [];
let failed = 0;
/** When something was last answered, and the longest time between two answers, in ms. */
let lastAnswerAt = 0;
let longestGap = 0;

/** Sends a request; `undefined` for a success, otherwise what went wrong. */
async function failureOf({ method, path, headers, json }: Request): Promise<string | undefined> {
  try {
    const response = await fetch(STACK_URL + path, {
      method,
      headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    if (response.ok) return undefined;
    return `${response.status} ${response.headers.get('x-request-id')} ${text.slice(0, 300)}`;
  } catch (error) {
    return `no answer: ${String(error instanceof Error ? (error.cause ?? error) : error)}`;
  }
}

async function ask(number: number, begun: number): Promise<void> {
  const request = (TURNS[number % TURNS.length] ?? article)(number);
  const kind = `${request.method} ${request.path.replace(/\?.*/, '')}`;
  const sent = performance.now();
  const failure = await failureOf(request);
  const answeredAt = performance.now();
  times.push(answeredAt - sent);
  if (failure === undefined) {
    longestGap = Math.max(longestGap, answeredAt - lastAnswerAt);
    lastAnswerAt = answeredAt;
  }
  const outcome = failure === undefined ? `${kind}: answered` : `${kind}: failed`;
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  if (failure === undefined) return;
  failed += 1;
  const at = ((performance.now() - begun) / 1000).toFixed(2);
  if (failed <= DESCRIBED) console.log(`[${at} s] ${request.method} ${request.path}: ${failure}`);
}

async function countArticles(): Promise<number> {
  const response = await fetch(`${STACK_URL}/api/articles?per_page=1&page=${Date.now()}`, { headers: key });
  const { meta } = (await response.json()) as { meta: { total: number } };
  return meta.total;
}

if (!STACK_URL || !CONTENT_API_KEY || !ADMIN_USERNAME || !ADMIN_PASSWORD) {
  console.error('Set STACK_URL, CONTENT_API_KEY, ADMIN_USERNAME and ADMIN_PASSWORD.');
  process.exit(1);
}
let stopping = false;
process.once('SIGTERM', () => {
  stopping = true;
});
key = { 'x-api-key': CONTENT_API_KEY };
const login = await fetch(`${STACK_URL}/api/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ username: ADMIN_USERNAME, password: ADMIN_PASSWORD }),
});
if (!login.ok) throw new Error(`the login was answered ${login.status}: ${await login.text()}`);
session = { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
const before = await countArticles();

const begun = performance.now();
lastAnswerAt = begun;
const cpuBegun = process.cpuUsage();
const waiting = new Set<Promise<void>>();
let number = 0;
while (number < total || !stopping) {
  const due = ((number + 1) / perSecond) * 1000 - (performance.now() - begun);
  if (due > 0) await delay(due);
  while (waiting.size >= IN_FLIGHT) await Promise.race(waiting);
  const asked: Promise<void> = ask(number, begun).finally(() => waiting.delete(asked));
  waiting.add(asked);
  number += 1;
}
await Promise.all(waiting);

const seconds = (performance.now() - begun) / 1000;
const acknowledged = outcomes.get('POST /api/articles: answered') ?? 0;
const unacknowledged = outcomes.get('POST /api/articles: failed') ?? 0;
const added = (await countArticles()) - before;
const lost = Math.max(0, acknowledged - added);
const doubled = Math.max(0, added - acknowledged - unacknowledged);
times.sort((a, b) => a - b);
const time = (share: number) => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(0)} ms`;
for (const [outcome, count] of [...outcomes].sort()) console.log(`${outcome} ${count}`);
const cpu = process.cpuUsage(cpuBegun);
const sender = (cpu.user + cpu.system) / 1e6 / seconds;
console.log(
  `answered in ${time(0.5)} (p50), ${time(0.99)} (p99), ${(times.at(-1) ?? 0).toFixed(0)} ms at most; ` +
    `${longestGap.toFixed(0)} ms between two answers at most; the sender took ${(100 * sender).toFixed(0)} % of a core`,
);
console.log(`articles: ${acknowledged} acknowledged, ${lost} of them lost, ${doubled} doubled`);
console.log(
  `steady-load: ${number - failed} answered, ${failed} failed of ${number} in ${seconds.toFixed(1)} s, ` +
    `${(number / seconds).toFixed(0)} a second of ${perSecond}`,
);
process.exitCode = failed + lost + doubled === 0 ? 0 : 1;
