import { until } from '../support/until.ts';
import type { FakeClock } from './clock.ts';
import type { SinglePostgres } from './single-postgres.ts';
import { type Dependency, type Stand, urlOf } from './stand.ts';

/** A stand whose PostgreSQL is one server, behind a proxy as the other dependencies are. */
export type SingleStand = Stand<SinglePostgres>;

/** A fault in a {@link SingleStand}, and its end. */
export interface Fault {
  name: string;
  /** Its length. */
  seconds: number;
  begin(stand: SingleStand): Promise<unknown>;
  /** Ends what was begun, as an operator or a supervisor does. */
  end(stand: SingleStand): Promise<unknown>;
  /** The processes of services that do not run while it lasts. */
  killed?: (stand: SingleStand) => string[];
  /** Fills a disk, which must be a small one. */
  fillsDisk?: boolean;
}

/** Longer than any request may take: one that waits for the end of the fault is seen to take too long. */
const OUTLASTS_REQUESTS_S = 12;

const SHORT_S = 5;

/** Held back in either direction, in ms: a question and its answer take twice as long. */
const SLOW_MS = { postgres: 100, redis: 500, store: 500 };

/** Interval at which connections are reset, in ms. */
const RESET_MS = 250;

const HOUR_S = 3600;

type DependencyName = 'postgres' | keyof SingleStand['dependencies'];

function dependencyOf(stand: SingleStand, name: DependencyName): Dependency {
  return name === 'postgres' ? stand.database : stand.dependencies[name];
}

function slow(name: string, dependency: DependencyName): Fault {
  const proxyOf = (stand: SingleStand) => dependencyOf(stand, dependency).proxy;
  return {
    name: `${name} answers ${2 * SLOW_MS[dependency]} ms late`,
    seconds: OUTLASTS_REQUESTS_S,
    begin: async (stand) => proxyOf(stand).delay(SLOW_MS[dependency]),
    end: async (stand) => proxyOf(stand).delay(0),
  };
}

function resetting(name: string, dependency: DependencyName): Fault {
  let timer: NodeJS.Timeout | undefined;
  return {
    name: `${name} resets its connections ${1000 / RESET_MS} times a second`,
    seconds: SHORT_S,
    begin: async (stand) => {
      timer = setInterval(() => dependencyOf(stand, dependency).proxy.cut(), RESET_MS);
    },
    end: async () => clearInterval(timer),
  };
}

/** Faults of dependencies. */
export const DEPENDENCY_FAULTS: readonly Fault[] = [
  {
    name: 'PostgreSQL is killed',
    seconds: SHORT_S,
    begin: ({ database }) => database.server.kill(),
    end: ({ database }) => database.server.start(),
  },
  {
    name: 'PostgreSQL stands still',
    seconds: OUTLASTS_REQUESTS_S,
    begin: ({ database }) => database.server.hang(),
    end: ({ database }) => database.server.goOn(),
  },
  slow('PostgreSQL', 'postgres'),
  resetting('PostgreSQL', 'postgres'),
  {
    name: "PostgreSQL's disk is full",
    seconds: SHORT_S,
    fillsDisk: true,
    begin: async (stand) => dependencyOf(stand, 'postgres').disk.fill(),
    end: async (stand) => {
      dependencyOf(stand, 'postgres').disk.free();
      await stand.database.server.ensureRunning();
    },
  },
  {
    name: 'Redis is killed',
    seconds: SHORT_S,
    begin: ({ redis }) => redis.end(),
    end: ({ redis }) => redis.start(),
  },
  {
    name: 'Redis stands still',
    seconds: OUTLASTS_REQUESTS_S,
    begin: async ({ redis }) => redis.signal('SIGSTOP'),
    end: async ({ redis }) => redis.signal('SIGCONT'),
  },
  slow('Redis', 'redis'),
  resetting('Redis', 'redis'),
  {
    name: "Redis's disk is full",
    seconds: SHORT_S,
    fillsDisk: true,
    begin: async (stand) => dependencyOf(stand, 'redis').disk.fill(),
    end: async (stand) => {
      dependencyOf(stand, 'redis').disk.free();
      await stand.redis.ensureRunning();
    },
  },
  {
    name: 'the store is killed',
    seconds: SHORT_S,
    begin: ({ store }) => store.end(),
    end: ({ store }) => store.start(),
  },
  {
    name: 'the store stands still',
    seconds: OUTLASTS_REQUESTS_S,
    begin: async ({ store }) => store.signal('SIGSTOP'),
    end: async ({ store }) => store.signal('SIGCONT'),
  },
  slow('the store', 'store'),
  resetting('the store', 'store'),
  {
    name: "the store's disk is full",
    seconds: SHORT_S,
    fillsDisk: true,
    begin: async (stand) => dependencyOf(stand, 'store').disk.fill(),
    end: async (stand) => {
      dependencyOf(stand, 'store').disk.free();
      await stand.store.ensureRunning();
    },
  },
];

const second = (stand: SingleStand) => Object.values(stand.services).map(([, replica]) => replica);

/** Faults of the services themselves. */
export const SERVICE_FAULTS: readonly Fault[] = [
  {
    name: 'one process of each service is killed in the middle of its requests',
    seconds: SHORT_S,
    killed: (stand) => second(stand).map(({ name }) => name),
    begin: (stand) => Promise.all(second(stand).map((replica) => replica.end())),
    end: (stand) => Promise.all(second(stand).map((replica) => replica.start())),
  },
  {
    name: 'every process of every service is killed in the middle of its requests',
    seconds: 2,
    killed: (stand) => stand.replicas.map(({ name }) => name),
    begin: (stand) => Promise.all(stand.replicas.map((replica) => replica.end())),
    end: (stand) => Promise.all(stand.replicas.map((replica) => replica.start())),
  },
];

const endContent = ({ services }: SingleStand) =>
  Promise.all(services.content.map((replica) => replica.end()));
const startContent = ({ services }: SingleStand) =>
  Promise.all(services.content.map((replica) => replica.start()));
const contentNames = ({ services }: SingleStand) => services.content.map(({ name }) => name);

/** Faults of content's own work while it is under way, and of the receiver of its events. */
export const EVENT_FAULTS: readonly Fault[] = [
  {
    name: 'both processes of content are killed while one publishes at a time',
    seconds: 2,
    killed: contentNames,
    begin: async (stand) => {
      const client = await stand.pool.connect();
      try {
        // Holds a publication in the middle of its transaction.
        await client.query('begin; lock table public.publication in share mode');
        await until('one publishes', async () => {
          const waiting = `select from pg_locks where relation = 'public.publication'::regclass and not granted`;
          return (await stand.pool.query(waiting)).rowCount === 1;
        });
        await endContent(stand);
      } finally {
        await client.query('rollback');
        client.release();
      }
    },
    end: startContent,
  },
  {
    name: 'both processes of content are killed between a commit and its delivery',
    seconds: 2,
    killed: contentNames,
    begin: async (stand) => {
      const { receiver } = stand;
      receiver.answer = () => undefined;
      const before = receiver.received.length;
      await until('events are in hand', () => receiver.received.length > before);
      await endContent(stand);
    },
    end: async (stand) => {
      stand.receiver.answer = (response) => response.writeHead(204).end();
      await startContent(stand);
    },
  },
  {
    name: 'the receiver of events is away for a day of 24 simulated hours',
    seconds: 3,
    begin: async (stand) => {
      await stand.receiver.stop();
      const failures = async () =>
        (await stand.pool.query('select failures from content.hook')).rows[0].failures;
      for (let hour = 1; hour <= 24; hour += 1) {
        const before = await failures();
        await passAnHour(stand);
        await until('it was tried again', async () => (await failures()) > before);
      }
    },
    end: async (stand) => {
      await stand.receiver.start();
      await passAnHour(stand);
    },
  },
];

/** Brings what is due later forward by an hour. */
function passAnHour({ pool }: SingleStand): Promise<unknown> {
  return pool.query(
    `update content.hook set resume_at = resume_at - interval '1 hour';
     update content.delivery set due_at = due_at - interval '1 hour';
     select pg_notify('content_hooks_due', '')`,
  );
}

/** Steps of the clock by which the services go; PostgreSQL, Redis and the store keep their own. */
export function clockFaults(clock: () => FakeClock): readonly Fault[] {
  return [HOUR_S, -HOUR_S].map((step) => ({
    name: `the clock of the services is set an hour ${step > 0 ? 'ahead' : 'back'}`,
    seconds: SHORT_S,
    begin: async () => clock().step(step),
    end: async () => clock().step(0),
  }));
}

/** Asks every process for what needs all of its dependencies; resolves to what is not answered yet. */
export async function unhealthy(stand: Stand): Promise<string[]> {
  const { content, 'news-feed': news, 'gallery-admin': gallery } = stand.services;
  const headers = { cookie: stand.cookie };
  const asked = [
    ...stand.replicas.map((replica) => ({ replica, path: '/readyz', init: {} })),
    ...content.map((replica) => ({ replica, path: '/api/articles?per_page=3', init: {} })),
    ...news.map((replica) => ({ replica, path: '/api/v1/selected/snapshot?limit=1', init: {} })),
    ...gallery.map((replica) => ({ replica, path: '/api/gallery?json=1&path=none', init: { headers } })),
  ];
  const answers = await Promise.all(
    asked.map(async ({ replica, path, init }) => {
      const signal = AbortSignal.timeout(10_000);
      const answer = await fetch(urlOf(replica) + path, { ...init, signal }).then(
        async (response) => ({ status: response.status, text: await response.text() }),
        (error: unknown) => ({ status: 0, text: String(error) }),
      );
      const isHealthy = answer.status === 200 && !answer.text.includes('degraded');
      return isHealthy ? [] : [`${replica.name} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`];
    }),
  );
  return answers.flat();
}

/** Resolves to the ms until everything works again. */
export async function recovery(stand: Stand): Promise<number> {
  const begun = performance.now();
  let missing: string[] = [];
  await until('everything works again', async () => {
    missing = await unhealthy(stand);
    return missing.length === 0;
  }).catch((error: unknown) => {
    throw new Error(missing.join('\n'), { cause: error });
  });
  return performance.now() - begun;
}
