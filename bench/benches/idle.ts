import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type pg from 'pg';
import { PROCESSES, type ProcessName } from '../../test/support/site-processes.ts';
import type { Bench } from '../bench.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { measuredTables } from '../report/measured.ts';
import { sectionOf } from '../report/section.ts';
import type { ServerProcess, StartedServer } from '../server.ts';
import { startService } from '../services.ts';
import { openSiteParts, type SiteParts } from '../site.ts';
import { inTurns } from '../turns.ts';
import { cpuTimer, textOf } from '../usage.ts';

const PROBE = join(import.meta.dirname, '../../deploy/probe');

/** As in `docker-compose.yml`, in s. */
const PROBE_EVERY_S = 10;

/**
 * Time for the services to finish the work of their start, in s: content keeps a thread for a minute, and V8
 * tidies up once, about two minutes after it.
 */
const SETTLE_S = 180;

/** Time in which each process should be ready, in ms. */
const READY_AIM = 1000;

/** The share of a core that it may take, in %, and its resident memory, in MiB. */
const CPU_AIM = 0.3;
const MEMORY_AIM = 130;

const PROBES = 50;

/** CPU time of a process's threads, in ms; `/proc` counts that of processes in ticks alone. */
function ranMs({ pid }: ServerProcess): number {
  const timeOf = (thread: string) => Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]);
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + timeOf(thread), 0) / 1e6;
}

async function probeMs(port: number): Promise<number> {
  const loop = `for i in {1..${PROBES}}; do "$0" "$1" || exit 1; done; times`;
  const { stdout } = await promisify(execFile)('bash', ['-c', loop, PROBE, String(port)]);
  const [children = ''] = stdout.trim().split('\n').slice(-1);
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
  return (times.reduce((sum, time) => sum + time, 0) * 1000) / PROBES;
}

/** Returns the number of transactions that the database has run for the services. */
async function transactions(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'select xact_commit::int as count from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.count ?? 0;
}

/** Asks each service once, and waits until it is time to ask again. */
async function probeAll(services: readonly ServerProcess[]): Promise<void> {
  const end = performance.now() + PROBE_EVERY_S * 1000;
  await Promise.all(services.map(({ port }) => promisify(execFile)(PROBE, [String(port)])));
  await delay(Math.max(0, end - performance.now()));
}

async function measure({ database, env }: SiteParts, slices: number): Promise<Figure[]> {
  await using started = new AsyncDisposableStack();
  const services: StartedServer[] = [];
  const names = Object.keys(PROCESSES) as ProcessName[];
  for (const name of names) services.push(started.use(await startService(name, env)));
  for (let slice = 0; slice < SETTLE_S / PROBE_EVERY_S; slice += 1) await probeAll(services);
  const [asked, began] = [await transactions(database.pool), performance.now()];
  const ofDatabase = cpuTimer(database.pid);
  const [ran = []] = await inTurns([services], slices, async (all) => {
    const before = all.map(ranMs);
    await probeAll(all);
    return all.map((service, index) => ranMs(service) - (before[index] ?? 0));
  });
  const seconds = (performance.now() - began) / 1000;
  const { both } = ofDatabase();
  const perSecond = ((await transactions(database.pool)) - asked) / seconds;
  const probe = await probeMs(services[0]?.port ?? 0);
  const own = services.flatMap((service, index): Figure[] => {
    const figure = figuresOf(names[index] ?? '');
    const percent = ran.map((slice) => ((slice[index] ?? 0) + probe) / PROBE_EVERY_S / 10);
    const what = 'at rest, with its probes';
    return [
      figure(what, 'cpu', '% of a core', percent, CPU_AIM),
      figure(what, 'memory', 'MiB', service.residentMemory(), MEMORY_AIM),
      figure('started as in its image', 'ready after', 'ms', service.readyMs, READY_AIM),
    ];
  });
  return [
    ...own,
    figuresOf('deploy/probe')('a probe', 'cpu', 'ms', probe),
    figuresOf('PostgreSQL')('at rest', 'cpu', '% of a core', both / seconds / 10_000),
    figuresOf('all services')('at rest', 'transactions', '/s', perSecond),
  ];
}

/**
 * `pnpm bench idle [SLICES]`: how soon the services and the newsroom's worker are ready, and what they cost
 * at rest, with the probe of the containers every 10 s and nothing else: in slices of 10 s. For Linux, whose
 * /proc says how long each thread has run.
 */
export const idle: Bench<SiteParts> = {
  start: async (_sizes, resources) => resources.use(await openSiteParts()),
  parts: ([slices = 12]) => [
    { name: 'rest', seconds: SETTLE_S + 15 + slices * PROBE_EVERY_S, run: (site) => measure(site, slices) },
  ],
  sections: { idle: sectionOf('idle', (figures) => [measuredTables(figures, { subjects: true })]) },
};
