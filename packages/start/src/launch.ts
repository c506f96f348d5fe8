import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Lock } from '@pressroom/embedded-postgres/lock';
import {
  ensureFreePorts,
  findFreePort,
  LOOPBACK,
  takenPorts,
  type WantedPort,
} from '@pressroom/embedded-postgres/ports';
import { StartError } from '@pressroom/embedded-postgres/start-error';
import { hasDatabase, type LaunchDatabase, openDatabase, wasKilled } from './launch-database.ts';
import { type LaunchGallery, openGallery } from './launch-gallery.ts';
import { Program, type ProgramOptions, runToEnd, untilReady } from './program.ts';
import { ProgramLogs } from './program-log.ts';
import type { Service } from './services.ts';
import { configurationFaults, madeKeys, readStartSettings, type StartSettings } from './start-settings.ts';

/** Time for programs left running by a killed start to stop, in ms. */
const LEFTOVER_MS = 15_000;

export interface Launch {
  /** The repository's root: working directory of every program. */
  readonly root: string;
  readonly services: readonly Service[];
  /** The program that brings the database to its newest form, and its arguments. */
  readonly migrate: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** True to create samples in the database; unless said, in the embedded one, and not in `DATABASE_URL`. */
  readonly sample: boolean | undefined;
  /** True to carry the database of an older chain of migrations over to today's. */
  readonly carryOver?: boolean;
  /** Ends the launch, in order: the services, then the object store and the database. */
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/**
 * Runs everything until the signal, then stops it and returns. A program that ends by itself once everything
 * is up is started again, and the others go on. If something cannot start, or PostgreSQL ends, throws a
 * {@link StartError} after stopping the rest; throws the signal's reason if it came before everything was up.
 */
export async function launch(what: Launch): Promise<void> {
  const { root, services, env, sample, signal, print } = what;
  const migrate = what.carryOver ? [...what.migrate, '--carry-over'] : what.migrate;
  const wanted = await usableSettings(root, services, env);
  await using running = new AsyncDisposableStack();
  const claim = StartClaim.take(wanted.dataDir);
  running.defer(() => claim.release());
  const settings = await withFreePorts(wanted, env, print);
  const logs = new ProgramLogs(settings.dataDir, print);

  // The services cannot share one metrics port.
  const alone = { cwd: root, env: withDeskKey({ ...env, HOST: LOOPBACK, METRICS_PORT: '' }) };
  const [database, gallery] = await openStores(
    { services, migrate, settings, alone, running, print },
    signal,
  );
  const shared = withMadeKeys(withDatabase(alone, database), settings);
  const contexts = new Map(
    services.map((service) => [service, service.gallery ? withGallery(shared, gallery) : shared]),
  );
  const pictures = gallery?.store && picturesOf(settings, env);
  await atOnce(
    signal,
    [...contexts].map(
      ([service, context]) =>
        (signal: AbortSignal) =>
          addSamples(service, { context, database, gallery, pictures, sample }, signal),
    ),
  );

  const programs = [...settings.servicePorts].map(([service, port]) => ({
    port,
    program: startService(service, settings, { ...(contexts.get(service) ?? shared), logs }),
  }));
  running.defer(async () => void (await Promise.all(programs.map(({ program }) => program.stop()))));
  await Promise.all(programs.map(({ program, port }) => untilReady(program, port, signal)));
  // Last, because nothing waits for them.
  const workers = services.flatMap((service) =>
    startWorker(service, settings, { ...(contexts.get(service) ?? shared), logs }),
  );
  running.defer(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));

  const { servicePorts } = settings;
  claim.announce(addresses(servicePorts));
  print(
    summary({ servicePorts, galleryHints: gallery?.hints ?? [], data: database.data, logs: logs.folder }),
  );
  const store = gallery?.store ? [gallery.store] : [];
  const kept = [...store, ...programs.map(({ program }) => program), ...workers];
  await Promise.race([untilEnd(database, signal), ...kept.map((program) => program.keepRunning(print))]);
  print('Stopping');
}

interface Opening extends Pick<Launch, 'services' | 'migrate' | 'print'> {
  settings: StartSettings;
  /** For programs that know of no database. */
  alone: Context;
  running: AsyncDisposableStack;
}

/** Opens the database and the object store and builds the pages, all at once. */
function openStores(
  { services, migrate, settings, alone, running, print }: Opening,
  signal: AbortSignal,
): Promise<[LaunchDatabase, LaunchGallery | undefined, undefined]> {
  return atOnce(signal, [
    async (signal) => {
      const database = await openDatabase(settings, signal, print);
      running.defer(() => database.stop());
      const whose = settings.databaseUrl ? 'the database of DATABASE_URL' : 'the database';
      const context = withDatabase(alone, database);
      await runToEnd({ ...context, name: `The migration of ${whose}`, command: migrate }, signal);
      return database;
    },
    async (signal) => {
      if (!services.some((service) => service.gallery)) return undefined;
      const gallery = await openGallery(settings, alone.env, signal);
      running.defer(async () => gallery.store?.stop());
      return gallery;
    },
    async (signal) => {
      for (const { name, build } of services) {
        if (!build) continue;
        await runToEnd({ ...alone, name: `The build of the page of ${name}`, command: build }, signal);
      }
      return undefined;
    },
  ]);
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
  const reported = new Set(faults.map((fault) => fault.split(' ')[0]));
  const all = [
    ...(directoryFault === undefined ? [] : [directoryFault]),
    ...faults,
    ...checked.filter((fault) => !reported.has(fault.split(' ')[0])),
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

/**
 * The settings with free ports in place of taken ones that nobody has chosen, which it says. Throws a
 * {@link StartError} that names those that somebody has.
 */
async function withFreePorts(
  settings: StartSettings,
  env: NodeJS.ProcessEnv,
  print: (line: string) => void,
): Promise<StartSettings> {
  const patienceMs = wasKilled(settings) ? LEFTOVER_MS : 0;
  const wanted = wantedPorts(settings, env);
  const [chosen, usual] = [true, false].map((isChosen) =>
    wanted.filter(({ variable }) => Boolean(env[variable]) === isChosen),
  ) as [WantedPort[], WantedPort[]];
  await ensureFreePorts(chosen, patienceMs);
  const moved = new Map<string, number>();
  for (const { port, owner, variable } of await takenPorts(usual, patienceMs)) {
    const free = await findFreePort();
    moved.set(variable, free);
    print(`Port ${port} for ${owner} is already in use: it has ${free} this time (${variable})`);
  }
  const { databasePort, objectStorePort, servicePorts, workerPorts } = settings;
  return {
    ...settings,
    databasePort: moved.get('DATABASE_PORT') ?? databasePort,
    objectStorePort: moved.get('OBJECT_STORE_PORT') ?? objectStorePort,
    servicePorts: new Map(
      [...servicePorts].map(([service, port]) => [service, moved.get(service.port.variable) ?? port]),
    ),
    workerPorts: new Map(
      [...workerPorts].map(([service, port]) => [
        service,
        moved.get(service.worker?.port.variable ?? '') ?? port,
      ]),
    ),
  };
}

/** Every port of a start. A PostgreSQL that a killed start has left at its port is stopped with it. */
function wantedPorts(settings: StartSettings, env: NodeJS.ProcessEnv): WantedPort[] {
  const needsStore = [...settings.servicePorts.keys()].some(({ gallery }) => gallery) && !env.S3_ENDPOINT;
  const { databaseUrl, databasePort, objectStorePort, servicePorts, workerPorts } = settings;
  const needsDatabase = databaseUrl === undefined && !(hasDatabase(settings) && wasKilled(settings));
  return [
    ...(needsDatabase ? [{ port: databasePort, owner: 'PostgreSQL', variable: 'DATABASE_PORT' }] : []),
    ...(needsStore
      ? [{ port: objectStorePort, owner: 'the object store', variable: 'OBJECT_STORE_PORT' }]
      : []),
    ...[...servicePorts].map(([{ name, port }, number]) => {
      return { port: number, owner: name, variable: port.variable };
    }),
    ...[...workerPorts].map(([{ name, worker }, port]) => {
      return { port, owner: `the worker of ${name}`, variable: worker?.port.variable ?? '' };
    }),
  ];
}

type Context = Pick<ProgramOptions, 'cwd' | 'env' | 'logs'>;

function withDatabase({ cwd, env }: Context, { url }: LaunchDatabase): Context {
  return { cwd, env: { ...env, DATABASE_URL: url } };
}

function withMadeKeys({ cwd, env }: Context, { dataDir }: StartSettings): Context {
  return { cwd, env: { ...env, ...madeKeys(dataDir, env) } };
}

/** The key of the desk need not outlive the services that share it. */
function withDeskKey(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (env.DESK_KEY || env.DESK_KEY_FILE) return env;
  return { ...env, DESK_KEY: randomBytes(32).toString('hex') };
}

function withGallery({ cwd, env }: Context, gallery: LaunchGallery | undefined): Context {
  return { cwd, env: { ...env, ...gallery?.env } };
}

interface Sampling extends Pick<Launch, 'sample'> {
  context: Context;
  database: LaunchDatabase;
  gallery: LaunchGallery | undefined;
  /** Public address of the pictures in the gallery's samples, if there is one. */
  pictures: string | undefined;
}

function picturesOf({ servicePorts }: StartSettings, env: NodeJS.ProcessEnv): string | undefined {
  const gallery = [...servicePorts].find(([{ gallery }]) => gallery);
  return gallery && !env.MEDIA_PUBLIC ? `http://${LOOPBACK}:${gallery[1]}/media/public/` : undefined;
}

/** Creates the samples of a service, but none in the user's own object store. */
async function addSamples(
  service: Service,
  { context, database: { samples }, gallery, pictures, sample }: Sampling,
  signal: AbortSignal,
): Promise<void> {
  const options = { ...context, name: `${service.name}: sample data` };
  const isWanted = sample ?? samples !== undefined;
  if (service.sample && isWanted && !samples?.has(service.name)) {
    const shown = service.samplePictures && pictures ? [service.samplePictures, pictures] : [];
    await runToEnd({ ...options, command: [...service.sample, ...shown] }, signal);
    samples?.add(service.name);
  }
  if (service.gallery && gallery?.store) {
    const { prepare, sample: argument } = service.gallery;
    const command = isWanted && argument ? [...prepare, argument] : prepare;
    await runToEnd({ ...options, command }, signal);
  }
}

function startService(
  service: Service,
  { servicePorts, workerPorts }: StartSettings,
  { cwd, env, logs }: Context,
): Program {
  const { name, main, port, env: own, reaches = {} } = service;
  const ports = new Map([
    ...[...servicePorts].map(([{ name }, port]) => [name, port] as const),
    ...[...workerPorts].map(([{ name }, port]) => [`${name} worker`, port] as const),
  ]);
  const reached = Object.entries(reaches).flatMap(([variable, other]) =>
    ports.has(other) ? [[variable, `http://${LOOPBACK}:${ports.get(other)}`]] : [],
  );
  return new Program({
    name,
    command: [main],
    cwd,
    ...(logs && { logs }),
    env: {
      ...own,
      ...Object.fromEntries(reached),
      ...givenIn(env),
      [port.variable]: String(servicePorts.get(service)),
    },
  });
}

function givenIn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value));
}

/** The worker of a service, if it has one. */
function startWorker(
  service: Service,
  { workerPorts }: StartSettings,
  { cwd, env, logs }: Context,
): Program[] {
  const { name, worker } = service;
  if (worker === undefined) return [];
  const port = { [worker.port.variable]: String(workerPorts.get(service)) };
  const options = { cwd, ...(logs && { logs }), env: { ...worker.env, ...givenIn(env), ...port } };
  return [new Program({ ...options, name: `The worker of ${name}`, command: worker.command })];
}

/**
 * Settled at the signal. Throws a {@link StartError} if the database, which everything needs, ends before
 * that.
 */
async function untilEnd({ ended }: LaunchDatabase, signal: AbortSignal): Promise<void> {
  const how = await Promise.race([aborted(signal), ended]);
  if (how !== undefined) throw new StartError(`PostgreSQL ended by itself (${how}); stopped the rest`);
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** A part that {@link atOnce} begins: it has to end soon after the signal. */
type Part<Result> = (signal: AbortSignal) => Promise<Result>;

/**
 * Begins all parts at once and returns their results. The first that fails ends the others, and its error is
 * thrown when all have ended; so is the reason of `signal` if that ends them.
 */
export async function atOnce<Results extends readonly unknown[]>(
  signal: AbortSignal,
  parts: { readonly [Index in keyof Results]: Part<Results[Index]> },
): Promise<Results> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const running = parts.map((part) =>
    part(either).catch((error: unknown) => {
      failed.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(running);
  either.throwIfAborted();
  return Promise.all(running) as unknown as Promise<Results>;
}

/**
 * Creates `DATA_DIR` and missing parent directories. Returns an error line that names the path, or undefined.
 * Works directory by directory: Node's recursive mkdir never returns if the system answers "no such file", as
 * below /proc.
 */
function makeDataDirectory(directory: string): string | undefined {
  try {
    for (const step of stepsTo(directory)) makeStep(step);
    accessSync(directory, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `DATA_DIR is ${JSON.stringify(directory)}, expected a directory that can be created and written (${reason})`;
  }
}

/** `/a`, `/a/b` and `/a/b/c` for `/a/b/c`. */
function stepsTo(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [...stepsTo(parent), directory];
}

function makeStep(directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found === undefined) mkdirSync(directory);
  else if (!found.isDirectory()) throw new Error(`${directory} is not a directory`);
}

/**
 * A data directory in use by one start. Another start on it is refused, with the addresses of this one's
 * services. The operating system releases the directory when the start ends, however it ends.
 */
class StartClaim {
  readonly #lock: Lock;
  readonly #note: string;

  private constructor(lock: Lock, note: string) {
    this.#lock = lock;
    this.#note = note;
  }

  /** Claims an existing directory. Throws a {@link StartError} if another start uses it. */
  static take(dataDir: string): StartClaim {
    const note = path.join(dataDir, 'running');
    const lock = Lock.tryAcquire(path.join(dataDir, 'start.lock'));
    if (lock === undefined) throw new StartError(refusal(dataDir, note));
    // The note of a killed start.
    rmSync(note, { force: true });
    return new StartClaim(lock, note);
  }

  /** Records for other starts where everything is, one line each. */
  announce(lines: readonly string[]): void {
    writeFileSync(this.#note, lines.map((line) => `${line}\n`).join(''));
  }

  release(): void {
    rmSync(this.#note, { force: true });
    this.#lock.release();
  }
}

function refusal(dataDir: string, note: string): string {
  const otherwise = `To run a second one, set a different DATA_DIR.`;
  const lines = read(note);
  if (lines === '') {
    return `Pressroom is already starting or stopping on ${dataDir}: wait, or stop it (Ctrl-C). ${otherwise}`;
  }
  return `Pressroom is already running on ${dataDir}:\n\n${lines}\nStop it with Ctrl-C in its terminal. ${otherwise}`;
}

function read(note: string): string {
  try {
    return readFileSync(note, 'utf8');
  } catch {
    return '';
  }
}

/** Parts of the summary besides the services. */
interface SummaryParts {
  readonly servicePorts: ReadonlyMap<Service, number>;
  /** Lines for the readers of services with a gallery. */
  readonly galleryHints: readonly (readonly [label: string, text: string])[];
  /** Place of the data, for display. */
  readonly data: string;
  /** The folder of the logs. */
  readonly logs: string;
}

/** Lists the address of each service, one a line. */
function addresses(servicePorts: ReadonlyMap<Service, number>): string[] {
  const width = Math.max(...[...servicePorts.keys()].map(({ name }) => name.length));
  return [...servicePorts].map(([{ name }, port]) => `  ${name.padEnd(width)}  http://${LOOPBACK}:${port}`);
}

/** The block that `pnpm start` prints once everything answers. */
function summary({ servicePorts, galleryHints, data, logs }: SummaryParts): string {
  const rows: (readonly [string, string])[] = [];
  for (const [{ name, hints, gallery, page }, port] of servicePorts) {
    const address = `http://${LOOPBACK}:${port}`;
    if (page) rows.push(['The desk', `${address}/`]);
    rows.push(
      [`${name} API`, address],
      ['documentation', `${address}/docs`],
      ['OpenAPI', `${address}/openapi.json`],
    );
    rows.push(...hints, ...(gallery ? galleryHints : []));
  }
  rows.push(['Data', data], ['Logs', `${logs} (warnings are shown here, too)`], ['Stop', 'Ctrl-C']);
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`);
  return ['', 'Pressroom is running', '', ...lines, ''].join('\n');
}
