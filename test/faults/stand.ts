import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { migrate } from '@pressroom/common/database/migrations';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { HookStore } from '@pressroom/content/hooks/store';
import type { ContentTables } from '@pressroom/content/tables';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { ROOT, run } from '../support/command.ts';
import { ADMIN, login, settingsFor } from '../support/gallery.ts';
import { HookReceiver } from '../support/hook-receiver.ts';
import { SITE_URL } from '../support/news-feed.ts';
import { clientOf, createBucket, type Server } from '../support/s3/servers.ts';
import { PROCESSES, type ProcessName, UNLIMITED } from '../support/site-processes.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { Program } from './program.ts';
import { SmallDisk } from './small-disk.ts';

/** Limits of the heap as in the image (`deploy/Dockerfile`). */
const NODE_OPTIONS = '--max-semi-space-size=8 --max-old-space-size=1400';

/** A service by the name of its folder. */
type ServiceName = Exclude<ProcessName, 'newsroom'>;

/** A dependency, and what stands between it and the services. */
export interface Dependency {
  disk: SmallDisk;
  proxy: TcpProxy;
}

/** The PostgreSQL of a {@link Stand}. */
export interface StandDatabase {
  /** For what writes and looks beside the services. */
  readonly url: string;
  /** Settings with which services reach it. */
  readonly settings: Record<string, string>;
  /** Ends it and deletes its data. */
  destroy(): Promise<void>;
}

interface Parts<Database extends StandDatabase> {
  database: Database;
  redis: Program;
  store: Program;
  dependencies: Record<'redis' | 'store', Dependency>;
  services: Record<ServiceName, [Program, Program]>;
  pool: pg.Pool;
  key: string;
  s3: S3Client;
  bucket: string;
  receiver: HookReceiver;
}

/**
 * A deployment: two processes of each service with the settings that they have by default, before their
 * own PostgreSQL, Redis and store. The last two are each on its own disk, behind a proxy.
 */
export class Stand<Database extends StandDatabase = StandDatabase> {
  readonly database: Database;
  readonly redis: Program;
  readonly store: Program;
  readonly dependencies: Parts<Database>['dependencies'];
  readonly services: Parts<Database>['services'];
  /** Beside the services: for what a test looks at. */
  readonly pool: pg.Pool;
  /** A key of the content service. */
  readonly key: string;
  /** Straight to the store. */
  readonly s3: S3Client;
  readonly bucket: string;
  /** Gets every event of articles that readers see. */
  readonly receiver: HookReceiver;
  /** A session of the gallery administration, as a `Cookie` header. */
  cookie = '';

  private constructor(parts: Parts<Database>) {
    this.database = parts.database;
    this.redis = parts.redis;
    this.store = parts.store;
    this.dependencies = parts.dependencies;
    this.services = parts.services;
    this.pool = parts.pool;
    this.key = parts.key;
    this.s3 = parts.s3;
    this.bucket = parts.bucket;
    this.receiver = parts.receiver;
  }

  /**
   * Starts everything on an empty database, which ends with it; migrations and services are those of the
   * build in `root`.
   */
  static async open<Database extends StandDatabase>(
    database: Database,
    root = ROOT,
  ): Promise<Stand<Database>> {
    const disks = { redis: await SmallDisk.mount(16), store: await SmallDisk.mount(128) };
    await migrate(database.url, join(root, 'migrations'));
    const pool = new pg.Pool({ connectionString: database.url });
    pool.on('error', () => undefined);
    await notePublications(pool);
    const db = new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool }) });
    // By the command of that build, whose database may have other functions than today's.
    const cli = [join(root, 'services/content/src/cli.ts'), 'keys', 'create', '--name', 'Faults'];
    const { stdout, stderr } = await run(cli, { env: { DATABASE_URL: database.url } });
    const key = stdout.trim();
    if (key === '') throw new Error(stderr);
    const receiver = await new HookReceiver().start();
    const hooksKey = randomBytes(32);

    const redis = await redisOn(disks.redis);
    await redis.start();
    const { store, server } = await storeOn(disks.store);
    await store.start();
    const s3 = clientOf(server);
    const bucket = await createBucket(s3);

    const proxies = {
      redis: await TcpProxy.start({ host: '127.0.0.1', port: redis.port }),
      store: await TcpProxy.start({ host: '127.0.0.1', port: store.port }),
    };
    const proxied = { ...server, endpoint: `http://127.0.0.1:${proxies.store.port}` };
    const env = {
      ...(await settingsFor(database.url, proxied, bucket)),
      ...database.settings,
      // Browsers reach the store as it is: what is tested is the service.
      S3_PUBLIC_ENDPOINT: server.endpoint,
      REDIS_URL: `redis://127.0.0.1:${proxies.redis.port}`,
      SITE_URL,
      NODE_OPTIONS,
      LOG_LEVEL: 'error',
      CONTENT_HOOKS_KEY: hooksKey.toString('base64'),
      CONTENT_HOOKS_PRIVATE_HOSTS: '127.0.0.1',
      ...UNLIMITED,
    };
    const stand = new Stand({
      database,
      redis,
      store,
      dependencies: {
        redis: { disk: disks.redis, proxy: proxies.redis },
        store: { disk: disks.store, proxy: proxies.store },
      },
      services: {
        content: [await service('content', 1, env, root), await service('content', 2, env, root)],
        'news-feed': [await service('news-feed', 1, env, root), await service('news-feed', 2, env, root)],
        'gallery-admin': [
          await service('gallery-admin', 1, env, root),
          await service('gallery-admin', 2, env, root),
        ],
      },
      pool,
      key,
      s3,
      bucket,
      receiver,
    });
    // A build from before there were hooks has no table of them.
    if (root === ROOT) {
      const hook = { url: receiver.url, events: ['article.*'], categoryId: null, drafts: false };
      await new HookStore(db).add(hook, new SecretBox(hooksKey));
    }
    await stand.#begin().catch(async (error: unknown) => {
      await stand.close();
      throw error;
    });
    return stand;
  }

  async #begin(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.start()));
    const [gallery] = this.services['gallery-admin'];
    // A process that has just started on a busy machine may answer 503.
    this.cookie = await until('a login', () => login(urlOf(gallery), ADMIN).catch(() => ''));
  }

  /** All processes of all services. */
  get replicas(): Program[] {
    return Object.values(this.services).flat();
  }

  /** Ends everything. */
  async close(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.end()));
    await Promise.all([this.redis.end(), this.store.end()]);
    this.s3.destroy();
    await this.receiver.stop();
    await this.pool.end();
    for (const { proxy } of Object.values(this.dependencies)) await proxy.close();
    await this.database.destroy();
    for (const { disk } of Object.values(this.dependencies)) disk.unmount();
  }
}

/** Notes each publication of an article, whoever makes it. */
async function notePublications(pool: pg.Pool): Promise<void> {
  await pool.query(`
    create table public.publication (id integer not null);
    create function public.note_publication() returns trigger language plpgsql as
      $$ begin insert into public.publication values (new.id); return null; end $$;
    create trigger note_publication after update on content.article
      for each row when (new.is_published and not old.is_published) execute function public.note_publication()`);
}

/** Without a path, and without a slash at the end. */
export function urlOf({ port }: Program): string {
  return `http://127.0.0.1:${port}`;
}

async function service(
  name: ServiceName,
  number: number,
  env: Record<string, string>,
  cwd: string,
): Promise<Program> {
  const port = await findFreePort();
  return new Program({
    name: `${name} ${number}`,
    port,
    command: process.execPath,
    args: [`services/${name}/src/main.ts`],
    cwd,
    env: { ...env, [PROCESSES[name].port]: String(port) },
  });
}

/** Keeps a log of its writes, so that a full disk concerns it. */
async function redisOn(disk: SmallDisk): Promise<Program> {
  const port = await findFreePort();
  return new Program({
    name: 'Redis',
    port,
    command: 'redis-server',
    args: [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', disk.directory('redis')],
      ...['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'],
    ],
  });
}

async function storeOn(disk: SmallDisk): Promise<{ store: Program; server: Server }> {
  const port = await findFreePort();
  const server = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKeyId: 'faults',
    secretAccessKey: randomBytes(16).toString('hex'),
  };
  const store = new Program({
    name: 'the store',
    port,
    command: process.execPath,
    args: ['packages/object-store/src/main.ts', join(disk.path, 'store'), String(port)],
    env: { S3_ACCESS_KEY_ID: server.accessKeyId, S3_SECRET_ACCESS_KEY: server.secretAccessKey },
  });
  return { store, server };
}
