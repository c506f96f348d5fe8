import path from 'node:path';
import { ensureFreePort, LOOPBACK } from '@pressroom/embedded-postgres/ports';
import { StartError } from '@pressroom/embedded-postgres/start-error';
import { openDatabase, wasKilled } from './launch-database.ts';
import { type LaunchGallery, openGallery } from './launch-gallery.ts';
import { Program, type ProgramOptions, runToEnd } from './program.ts';
import { untilReady } from './readiness.ts';
import type { Service } from './services.ts';
import { readStartSettings, type StartSettings } from './start-settings.ts';
import { summary } from './summary.ts';

/** How long what a killed start has left running may take to end, in ms. */
const LEFTOVER_MS = 15_000;

/** Where what is compiled is kept, from the repository's root. */
const COMPILED = 'node_modules/.cache/pressroom';

/** What a launch consists of. */
export interface Launch {
  /** The repository's root: working directory of every program. */
  readonly root: string;
  readonly services: readonly Service[];
  /** The program that brings the database to its newest form, and its arguments. */
  readonly migrate: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Ends the launch, in order: the services, then the object store and the database. */
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/**
 * Runs everything until the signal, then ends it and returns. Throws a {@link StartError} when something
 * cannot start or ends by itself, after the rest has ended; throws the signal's reason when it came before
 * all was up.
 */
export async function launch({ root, services, migrate, env, signal, print }: Launch): Promise<void> {
  const settings = readStartSettings(env, services, root);
  await ensureServicePorts(settings, env);

  await using running = new AsyncDisposableStack();
  const database = await openDatabase(settings, signal, print);
  running.defer(() => database.stop());

  const own = {
    DATABASE_URL: database.url,
    HOST: LOOPBACK,
    // One metrics port cannot be everybody's.
    METRICS_PORT: '',
    // What stripped the types of a program would stay in its memory: about 25 MB each.
    NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE || path.join(root, COMPILED),
  };
  const shared = { cwd: root, env: { ...env, ...own } };
  await runToEnd({ ...shared, name: 'The migration of the database', command: migrate }, signal);
  const gallery = services.some((service) => service.gallery)
    ? await openGallery(settings, env, signal)
    : undefined;
  running.defer(async () => gallery?.store?.stop());
  const contexts = new Map(
    services.map((service) => [service, service.gallery ? withGallery(shared, gallery) : shared]),
  );
  for (const [service, context] of contexts) {
    for (const command of preparations(service, gallery)) {
      await runToEnd({ ...context, name: `${service.name}: sample data`, command }, signal);
    }
  }

  const programs = [...settings.servicePorts].map(([service, port]) => ({
    port,
    program: startService(service, port, contexts.get(service) ?? shared),
  }));
  running.defer(async () => void (await Promise.all(programs.map(({ program }) => program.stop()))));
  await Promise.all(programs.map(({ program, port }) => untilReady(program, port, signal)));

  const { servicePorts } = settings;
  print(summary({ servicePorts, galleryHints: gallery?.hints ?? [], data: database.data }));
  const postgres = { name: 'PostgreSQL', ended: database.ended };
  const store = gallery?.store ? [gallery.store] : [];
  await untilEnd([postgres, ...store, ...programs.map((p) => p.program)], signal);
  print('Stopping');
}

async function ensureServicePorts(settings: StartSettings, env: NodeJS.ProcessEnv): Promise<void> {
  const patienceMs = wasKilled(settings) ? LEFTOVER_MS : 0;
  const needsStore = [...settings.servicePorts.keys()].some(({ gallery }) => gallery) && !env.S3_ENDPOINT;
  if (needsStore) {
    const store = {
      port: settings.objectStorePort,
      owner: 'the object store',
      variable: 'OBJECT_STORE_PORT',
    };
    await ensureFreePort(store, patienceMs);
  }
  for (const [{ name, port }, number] of settings.servicePorts) {
    await ensureFreePort({ port: number, owner: name, variable: port.variable }, patienceMs);
  }
}

type Context = Pick<ProgramOptions, 'cwd' | 'env'>;

function withGallery({ cwd, env }: Context, gallery: LaunchGallery | undefined): Context {
  return { cwd, env: { ...env, ...gallery?.env } };
}

/** The programs that leave something to look at; in an object store of the reader's own they touch nothing. */
function preparations(service: Service, gallery: LaunchGallery | undefined): readonly (readonly string[])[] {
  const prepare = gallery?.store ? (service.gallery?.prepare ?? []) : [];
  return service.sample ? [service.sample, ...prepare] : prepare;
}

function startService(
  { name, main, port: { variable } }: Service,
  port: number,
  { cwd, env }: Context,
): Program {
  return new Program({ name, command: [main], cwd, env: { ...env, [variable]: String(port) } });
}

/** Settled at the signal. Throws a {@link StartError} when something ends by itself before that. */
async function untilEnd(
  all: readonly { readonly name: string; readonly ended: Promise<string> }[],
  signal: AbortSignal,
): Promise<void> {
  const ends = all.map(async ({ name, ended }) => `${name} ended by itself (${await ended})`);
  const fault = await Promise.race([aborted(signal), ...ends]);
  if (fault !== undefined) throw new StartError(`${fault}; the rest is stopped`);
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
