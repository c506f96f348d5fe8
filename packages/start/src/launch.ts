import path from 'node:path';
import { ensureFreePort, LOOPBACK } from '@pressroom/embedded-postgres/ports';
import { StartError } from '@pressroom/embedded-postgres/start-error';
import { configurationFaults } from './configuration.ts';
import { makeDataDirectory } from './data-directory.ts';
import { openDatabase, wasKilled } from './launch-database.ts';
import { type LaunchGallery, openGallery } from './launch-gallery.ts';
import { Program, type ProgramOptions, runToEnd } from './program.ts';
import { untilReady } from './readiness.ts';
import type { Service } from './services.ts';
import { StartClaim } from './start-claim.ts';
import { readStartSettings, type StartSettings } from './start-settings.ts';
import { addresses, summary } from './summary.ts';

/** How long programs left running by a killed start may take to stop, in ms. */
const LEFTOVER_MS = 15_000;

/** The compile cache, relative to the repository's root. */
const COMPILED = 'node_modules/.cache/pressroom';

/** What a launch consists of. */
export interface Launch {
  /** The repository's root: working directory of every program. */
  readonly root: string;
  readonly services: readonly Service[];
  /** The program that brings the database to its newest form, and its arguments. */
  readonly migrate: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Also creates samples in the user's own database (`DATABASE_URL`); the embedded one always gets them. */
  readonly sample: boolean;
  /** Ends the launch, in order: the services, then the object store and the database. */
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/**
 * Runs everything until the signal, then stops it and returns. If something cannot start or ends by itself,
 * throws a {@link StartError} after stopping the rest; throws the signal's reason if it came before
 * everything was up.
 */
export async function launch({ root, services, migrate, env, sample, signal, print }: Launch): Promise<void> {
  const settings = await usableSettings(root, services, env);
  await using running = new AsyncDisposableStack();
  const claim = StartClaim.take(settings.dataDir);
  running.defer(() => claim.release());
  await ensureServicePorts(settings, env);

  const database = await openDatabase(settings, signal, print);
  running.defer(() => database.stop());

  const own = {
    DATABASE_URL: database.url,
    HOST: LOOPBACK,
    // The services cannot share one metrics port.
    METRICS_PORT: '',
    // Otherwise the type stripper stays in each program's memory: about 25 MB each.
    NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE || path.join(root, COMPILED),
  };
  const shared = { cwd: root, env: { ...env, ...own } };
  const whose = settings.databaseUrl ? 'the database of DATABASE_URL' : 'the database';
  await runToEnd({ ...shared, name: `The migration of ${whose}`, command: migrate }, signal);
  for (const { name, build } of services) {
    if (build)
      await runToEnd({ ...shared, name: `The build of the page of ${name}`, command: build }, signal);
  }
  const gallery = services.some((service) => service.gallery)
    ? await openGallery(settings, env, signal)
    : undefined;
  running.defer(async () => gallery?.store?.stop());
  const contexts = new Map(
    services.map((service) => [service, service.gallery ? withGallery(shared, gallery) : shared]),
  );
  for (const [service, context] of contexts) {
    for (const command of preparations(service, gallery, sample || !settings.databaseUrl)) {
      await runToEnd({ ...context, name: `${service.name}: sample data`, command }, signal);
    }
  }

  const programs = [...settings.servicePorts].map(([service, port]) => ({
    port,
    program: startService(service, port, contexts.get(service) ?? shared),
  }));
  running.defer(async () => void (await Promise.all(programs.map(({ program }) => program.stop()))));
  const workers = services.flatMap((service) => startWorker(service, contexts.get(service) ?? shared));
  running.defer(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));
  await Promise.all(programs.map(({ program, port }) => untilReady(program, port, signal)));

  const { servicePorts } = settings;
  claim.announce(addresses(servicePorts));
  print(summary({ servicePorts, galleryHints: gallery?.hints ?? [], data: database.data }));
  const postgres = { name: 'PostgreSQL', ended: database.ended };
  const store = gallery?.store ? [gallery.store] : [];
  await untilEnd([postgres, ...store, ...programs.map((p) => p.program), ...workers], signal);
  print('Stopping');
}

/** The settings of this start and of the services. Throws a {@link StartError} with all of their errors. */
async function usableSettings(
  root: string,
  services: readonly Service[],
  env: NodeJS.ProcessEnv,
): Promise<StartSettings> {
  const { settings, faults } = readStartSettings(env, services, root);
  const directoryFault = makeDataDirectory(settings.dataDir);
  const checked = await configurationFaults(services, root, { ...env, ...STAND_INS, ...givenOf(env) });
  // A port that the service also rejects is reported once.
  const told = new Set(faults.map((fault) => fault.split(' ')[0]));
  const all = [
    ...(directoryFault === undefined ? [] : [directoryFault]),
    ...faults,
    ...checked.filter((fault) => !told.has(fault.split(' ')[0])),
  ];
  if (all.length === 0) return settings;
  throw new StartError(['The configuration is invalid:', ...all.map((fault) => `  ${fault}`)].join('\n'));
}

/** Placeholder, while settings are checked, for values that a start generates if they are not set. */
const STAND_INS = {
  DATABASE_URL: 'postgres://localhost/pressroom',
  SETTINGS_KEY: Buffer.alloc(32).toString('base64'),
  S3_ENDPOINT: `http://${LOOPBACK}`,
  S3_BUCKET: 'gallery',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
};

/**
 * The variables that a start could generate but that are set; with the user's own store, all of the store's.
 */
function givenOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = Object.keys(STAND_INS).filter(
    (name) => env[name] || (env.S3_ENDPOINT && name.startsWith('S3_')),
  );
  return { METRICS_PORT: '', ...Object.fromEntries(names.map((name) => [name, env[name]])) };
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

/** The programs that create samples; they do not touch the user's own object store. */
function preparations(
  service: Service,
  gallery: LaunchGallery | undefined,
  withSample: boolean,
): readonly (readonly string[])[] {
  const prepare = gallery?.store ? (service.gallery?.prepare ?? []) : [];
  return service.sample && withSample ? [service.sample, ...prepare] : prepare;
}

function startService(
  { name, main, port: { variable } }: Service,
  port: number,
  { cwd, env }: Context,
): Program {
  return new Program({ name, command: [main], cwd, env: { ...env, [variable]: String(port) } });
}

/** The worker of a service, if it has one. */
function startWorker({ name, worker }: Service, { cwd, env }: Context): Program[] {
  if (worker === undefined) return [];
  const given = Object.entries(env).filter(([, value]) => value);
  const options = { cwd, env: { ...worker.env, ...Object.fromEntries(given) } };
  return [new Program({ ...options, name: `The worker of ${name}`, command: worker.command })];
}

/** Settled at the signal. Throws a {@link StartError} if something ends by itself before that. */
async function untilEnd(
  all: readonly { readonly name: string; readonly ended: Promise<string> }[],
  signal: AbortSignal,
): Promise<void> {
  const ends = all.map(async ({ name, ended }) => `${name} ended by itself (${await ended})`);
  const fault = await Promise.race([aborted(signal), ...ends]);
  if (fault !== undefined) throw new StartError(`${fault}; stopped the rest`);
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
