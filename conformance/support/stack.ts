import { randomBytes } from 'node:crypto';
import { MIGRATIONS, migrate } from '@pressroom/common/database/migrations';
import type { RunningPostgres } from '@pressroom/embedded-postgres/postgres';
import { Child } from '../../test/support/child.ts';
import { run } from '../../test/support/command.ts';
import { gallerySettings, logIn } from '../../test/support/gallery-account.ts';
import { clientOf, createBucket, type Server, startEmbedded } from '../../test/support/s3/servers.ts';
import { PROCESSES, UNLIMITED } from '../../test/support/site-processes.ts';
import { startThrowaway } from '../../test/support/throwaway-postgres.ts';
import { killAtExit } from './ending.ts';

/** The services by the names of their folders. */
export const SERVICES = ['news-feed', 'gallery-admin', 'content'] as const;

/** A service by the name of its folder. */
export type ServiceName = (typeof SERVICES)[number];

/** Programs with an OpenAPI description: the services, and the newsroom's worker with its editing API. */
export const DESCRIBED = [...SERVICES, 'newsroom'] as const;

/** See {@link DESCRIBED}. */
export type DescribedName = (typeof DESCRIBED)[number];

/** The site that the feeds and sitemaps of the content service are for. */
export const SITE = 'https://site.pressroom.example';

/**
 * Limits that checks reach only on purpose, and one proxy in front, so that logins have separate addresses.
 */
const COMMON = {
  // A provider of single sign-on that does not answer.
  OIDC_PROVIDERS: '[{"id":"examined","name":"Examined","issuer":"http://127.0.0.1:1","client_id":"desk"}]',
  LOG_LEVEL: 'warn',
  TRUST_PROXY: '1',
  CONTENT_SITE_URL: SITE,
  SITE_LANGUAGE: 'en',
};

/** The three services in separate processes, with sample data, a real PostgreSQL and the embedded store. */
export class Stack implements AsyncDisposable {
  /** The base URL of each service, without a path. */
  readonly urls: Readonly<Record<ServiceName, string>>;
  readonly key: string;
  /** The key with which the desk edits the news. */
  readonly deskKey = randomBytes(16).toString('hex');
  readonly #env: Record<string, string>;
  readonly #postgres: RunningPostgres;
  #newsroom: Promise<string> | undefined;
  readonly #resources: AsyncDisposableStack;

  private constructor(parts: Parts) {
    this.urls = parts.urls;
    this.key = parts.key;
    this.#env = parts.env;
    this.#postgres = parts.postgres;
    this.#resources = parts.resources;
  }

  /** Starts everything; `settings` are additional settings of the services. */
  static async open(settings: Record<string, string> = {}): Promise<Stack> {
    await using resources = new AsyncDisposableStack();
    const fast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
    const postgres = resources.use(await startThrowaway(fast));
    await migrate(postgres.url, MIGRATIONS);
    const store = await startEmbedded();
    resources.defer(() => store.close());
    const env = { ...COMMON, DATABASE_URL: postgres.url, ...(await limitlessSettings(store)), ...settings };
    const key = await prepare(env);
    const urls = {
      'news-feed': await start('news-feed', env, resources),
      'gallery-admin': await start('gallery-admin', env, resources),
      content: await start('content', env, resources),
    };
    return new Stack({ urls, key, env, postgres, resources: resources.move() });
  }

  /** The base URL of what has a description. The newsroom's worker starts when it is first asked for. */
  async urlOf(name: DescribedName): Promise<string> {
    if (name !== 'newsroom') return this.urls[name];
    this.#newsroom ??= start(name, { ...this.#env, DESK_KEY: this.deskKey }, this.#resources);
    return this.#newsroom;
  }

  /** Logs in to the gallery administration and returns the `Cookie` header for further requests. */
  async login(): Promise<string> {
    const { status, cookies } = await logIn(this.urls['gallery-admin'], { 'x-forwarded-for': '192.0.2.1' });
    if (status !== 200) throw new Error(`the login answered ${status}`);
    return cookies[0] ?? '';
  }

  /** Creates a story in the news feed that is merged into `into`. */
  mergeStory(publicId: string, into: string): Promise<void> {
    return this.importNews(
      { type: 'story', publicId, title: publicId },
      { type: 'merge', from: publicId, into },
    );
  }

  /** Withdraws an item of the news feed. */
  withdrawItem(id: string): Promise<void> {
    return this.importNews({ type: 'withdraw', id });
  }

  /** Imports lines into the news feed. Throws if one is refused. */
  async importNews(...lines: readonly object[]): Promise<void> {
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await command(['services/news-feed/src/cli.ts', 'import', '-'], this.#env, input);
  }

  /** Stops the database while the services keep running. */
  stopDatabase(): Promise<void> {
    return this.#postgres.stop();
  }

  /** Stops everything in reverse order of starting. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

interface Parts {
  urls: Record<ServiceName, string>;
  key: string;
  env: Record<string, string>;
  postgres: RunningPostgres;
  resources: AsyncDisposableStack;
}

async function limitlessSettings(store: Server): Promise<Record<string, string>> {
  const s3 = clientOf(store);
  const bucket = await createBucket(s3);
  s3.destroy();
  return {
    ...gallerySettings(store, bucket),
    MEDIA_PUBLIC: 'public/',
    MEDIA_RATE_LIMIT: '10000000',
    ...UNLIMITED,
  };
}

/** Adds sample data, and returns a key of the content service. */
async function prepare(env: Record<string, string>): Promise<string> {
  for (const name of SERVICES) await command([`services/${name}/src/cli.ts`, 'sample'], env);
  const made = await command(['services/content/src/cli.ts', 'keys', 'create', '--name', 'Conformance'], env);
  const [key] = /pk_\S+/.exec(made) ?? [];
  if (key === undefined) throw new Error(`no key in: ${made}`);
  return key;
}

async function command(args: string[], env: Record<string, string>, input = ''): Promise<string> {
  const { code, stdout, stderr } = await run(args, { env, input });
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr || stdout}`);
  return stdout;
}

async function start(
  name: DescribedName,
  env: Record<string, string>,
  resources: AsyncDisposableStack,
): Promise<string> {
  const { program, args, port } = PROCESSES[name];
  const own = { [port]: '0', NEWS_DESK_PORT: '0' };
  const child = Child.run(program, { ...env, LOG_LEVEL: 'info', ...own }, [...args]);
  const forget = killAtExit(() => child.signal('SIGKILL'));
  resources.defer(async () => {
    await child.end();
    forget();
  });
  const event = name === 'newsroom' ? 'desk_listening' : 'service_listening';
  return String((await child.event(event)).address);
}
