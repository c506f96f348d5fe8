import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { postmasterOf } from '../../test/support/processes.ts';
import type { ThrowawayPostgres } from '../../test/support/throwaway-postgres.ts';
import { startBenchPostgres } from '../database.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import type { ServerProcess, StartedServer } from '../server.ts';
import { cpuTimer, familyMemoryOf } from '../usage.ts';
import type { FeedServer } from './feed-server.ts';

/** A program that polls feeds and stores their entries, with statements for its database. */
export interface Poller {
  name: string;
  /** Creates its database on a server, and starts it for the feeds. */
  open(on: ThrowawayPostgres, feeds: FeedServer): Promise<{ url: string; process: StartedServer }>;
  /** Adds feeds, due at once, by their addresses in `$1`. */
  add: string;
  repeat: string;
  /** Has it poll what is due, if it does not look for that by itself. */
  poll?(process: ServerProcess): Promise<unknown>;
  /** Asks for a {@link PollState}. */
  state: string;
}

interface PollState {
  /** Feeds that were polled after the time `$1`. */
  polled: number;
  /** Entries that are not stored yet. */
  waiting: number;
  entries: number;
  /** Feeds in which an entry was found, and those of which one is stored. */
  read: number;
  stored: number;
}

/** A poll of all feeds: what came of it, and what it took the program and its database, in s and MiB. */
interface Poll {
  state: PollState;
  seconds: number;
  cpu: number[];
  memory: number[];
}

/** The measured processes, in the names of figures. */
const OF = ['', ', database'];

/** Starts a poller; each poll begins with a statement and ends when all entries are stored. */
async function openPoller(poller: Poller, feeds: FeedServer) {
  await using resources = new AsyncDisposableStack();
  const server = resources.use(await startBenchPostgres());
  const { url, process } = await poller.open(server, feeds);
  resources.use(process);
  const client = resources.adopt(new pg.Client({ connectionString: url }), (own) => own.end());
  await client.connect();
  const pids = [process.pid, postmasterOf(server.dataDir)];
  const poll = async (statement: string, parameters: unknown[] = []): Promise<Poll> => {
    const [since, began, timers] = [new Date(), performance.now(), pids.map(cpuTimer)];
    await client.query(statement, parameters);
    await poller.poll?.(process);
    for (;;) {
      const [state] = (await client.query<PollState>(poller.state, [since])).rows;
      if (state?.polled === feeds.urls.length && state.waiting === 0) {
        const seconds = (performance.now() - began) / 1000;
        const cpu = timers.map((timer) => timer().both / 1e6);
        return { state, seconds, cpu, memory: pids.map(familyMemoryOf) };
      }
      await delay(500);
    }
  };
  const owned = resources.move();
  return { poll, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Measures how feeds of so many entries are polled and stored, and polled again without a change. */
export async function measurePolling(poller: Poller, feeds: FeedServer, entries: number): Promise<Figure[]> {
  await using opened = await openPoller(poller, feeds);
  const figure = figuresOf(poller.name);
  const figuresFor = (what: string, { seconds, cpu, memory }: Poll) => [
    figure(what, 'time', 's', seconds),
    ...cpu.map((used, which) => figure(what, `CPU${OF[which]}`, 's', used)),
    ...memory.map((used, which) => figure(what, `memory${OF[which]}`, 'MiB', used)),
  ];
  const first = await opened.poll(poller.add, [feeds.urls]);
  const [stored, all] = [first.state.entries, feeds.urls.length * entries];
  if (stored !== all) throw new Error(`${poller.name} has stored ${stored} of ${all} entries`);
  return [
    ...figuresFor(`${feeds.urls.length} feeds of ${entries} entries, polled and stored`, first),
    ...figuresFor(`${feeds.urls.length} feeds, polled again unchanged`, await opened.poll(poller.repeat)),
  ];
}

/** In how many feeds entries are found, and of how many one is stored. */
export async function measureReading(poller: Poller, feeds: FeedServer): Promise<Figure[]> {
  await using opened = await openPoller(poller, feeds);
  const { state } = await opened.poll(poller.add, [feeds.urls]);
  const figure = figuresOf(poller.name);
  const what = `${feeds.urls.length} odd feeds with entries`;
  return [figure(what, 'read', '', state.read), figure(what, 'stored', '', state.stored)];
}
