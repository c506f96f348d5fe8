import type { Bench } from '../bench.ts';
import { addItems, rank } from '../data/items.ts';
import { openDatabase } from '../database.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { medianOf, membersOf, select } from '../figures/read.ts';
import { load } from '../load.ts';
import { measuredTables } from '../report/measured.ts';
import { printed, sectionOf, table } from '../report/section.ts';
import { cursorNow } from '../selected/mirror.ts';
import { NO_CACHE, startService } from '../services.ts';
import { timed } from '../turns.ts';

/** Uncached requests that are timed, one after the other. */
const UNCACHED = 200;

/** How many clients poll, in the calculation. */
const CLIENTS = [1_000, 100_000, 10_000_000];

/** What an answer costs on the wire, in bytes: its body, its head, and a whole 304. */
type AnswerCost = Readonly<Record<'body' | 'head' | 'a 304', number>>;

/** `s-maxage` of what is polled, in s: the contract's shortest interval between two polls. */
const INTERVAL_S = 60;

/** Places where the CDN keeps its own copies. */
const LOCATIONS = 100;

/** Changes of the selected set a minute: as many cursors are in use at once. */
const CHANGES_A_MINUTE = 10;

/** Replicas of the news feed; each loads an answer once after each change. */
const REPLICAS = 2;

/** Calculates the demand of clients of which each polls every answer as often as it may, by what it is. */
function demandOf(clients: number, answers: readonly AnswerCost[]): Record<string, string> {
  const polls = clients / INTERVAL_S;
  const requests = polls * answers.length;
  const whole = answers.map(({ body, head }) => body + head);
  const egress = (sizes: readonly number[]) => bytes(polls * sizes.reduce((total, size) => total + size, 0));
  // One URL for each answer, except that of the changes: it has one for each cursor in use.
  const urls = answers.length - 1 + CHANGES_A_MINUTE;
  // A location asks for what its clients poll, and no oftener than a copy is fresh.
  const asked = (locations: number) => Math.min(requests, (urls * locations) / INTERVAL_S);
  const queries = Math.min(asked(LOCATIONS), (urls * REPLICAS * CHANGES_A_MINUTE) / INTERVAL_S);
  const services = 'requests at the services';
  return {
    requests: rate(requests),
    'egress to clients, if nothing changed': egress(answers.map((answer) => answer['a 304'])),
    'egress to clients, if everything changed since each poll': egress(whole),
    [`${services}, without a CDN`]: rate(requests),
    [`${services}, with a CDN`]: rate(asked(LOCATIONS)),
    [`${services}, with a CDN that has one location ask for all (origin shield)`]: rate(asked(1)),
    'egress to the CDN, no shield, at most': bytes(asked(LOCATIONS) * Math.max(...whole)),
    'queries to PostgreSQL, besides heartbeats': rate(queries),
  };
}

function rate(value: number): string {
  return `${printed(value)}/s`;
}

/** Bytes a second with the unit that suits their number. */
function bytes(value: number): string {
  const units = ['bytes/s', 'kB/s', 'MB/s', 'GB/s'];
  const place = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${printed(value / 1000 ** place)} ${units[place]}`;
}

const figure = figuresOf('news-feed');

/** The sizes of a path's answers, in bytes on the wire. */
async function costOf(origin: string, path: string): Promise<Figure[]> {
  const whole = await fetch(origin + path);
  const body = (await whole.arrayBuffer()).byteLength;
  const headers = { 'if-none-match': whole.headers.get('etag') ?? '' };
  const unchanged = await fetch(origin + path, { headers });
  if (whole.status !== 200 || unchanged.status !== 304)
    throw new Error(`${path}: ${whole.status}, ${unchanged.status}`);
  const what = path.replace(/\?.*/, '');
  const cost: AnswerCost = { body, head: headOf(whole), 'a 304': headOf(unchanged) };
  return Object.entries(cost).map(([metric, size]) => figure(what, metric, 'bytes', size));
}

/** The bytes of the status line and the headers. */
function headOf({ status, statusText, headers }: Response): number {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${statusText}\r\n${lines.join('')}\r\n`.length;
}

async function measure(items: number): Promise<Figure[]> {
  await using database = await openDatabase();
  await addItems(database.pool, 0, items, 0.1);
  await rank(database.pool);
  const DATABASE_URL = database.url;
  await using cached = await startService('news-feed', { DATABASE_URL });
  const tip = `/api/v1/selected/changes?cursor=${await cursorNow(cached)}`;
  const paths = ['/api/v1/items', '/api/v1/hot-topics', tip];
  const figures: Figure[] = [];
  for (const path of paths) figures.push(...(await costOf(`http://127.0.0.1:${cached.port}`, path)));
  const requests = paths.map((path) => ({ path }));
  const hot = await load({ port: cached.port, requests, connections: 32, durationMs: 5000, status: 200 });
  await using uncached = await startService('news-feed', { DATABASE_URL, ...NO_CACHE });
  const ms = await timed(async () => {
    for (let index = 0; index < UNCACHED; index += 1)
      await (await fetch(`http://127.0.0.1:${uncached.port}${paths[index % paths.length]}`)).arrayBuffer();
  });
  return [
    ...figures,
    figure('cached answers of one process', 'rate', '/s', hot.requestsPerSecond),
    figure('an answer that is not cached', 'time', 'ms', ms / UNCACHED),
  ];
}

/** What polling clients demand, calculated: a column for each number of them. */
function demandTable(figures: readonly Figure[]): string {
  const answers = membersOf(select(figures, { metric: 'body' }), 'what').map((what): AnswerCost => {
    const of = (metric: string) => medianOf(figures, { what, metric });
    return { body: of('body'), head: of('head'), 'a 304': of('a 304') };
  });
  const columns = CLIENTS.map((clients) => demandOf(clients, answers));
  const rows = Object.keys(columns[0] ?? {}).map((what) => [
    what,
    ...columns.map((column) => column[what] ?? ''),
  ]);
  return table(['polling clients', ...CLIENTS.map(printed)], rows);
}

/** `pnpm bench scaling [ITEMS]`: what an answer of the news feed costs, and so what polling clients cost. */
export const scaling: Bench = {
  parts: ([items = 20_000]) => [{ name: 'answers', seconds: 30, run: () => measure(items) }],
  sections: {
    'scaling, inputs': sectionOf('scaling', (figures) => [measuredTables(figures)]),
    'scaling, demand': sectionOf('scaling', (figures) => [demandTable(figures)]),
  },
};
