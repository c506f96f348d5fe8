import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const HERE = import.meta.dirname;
const run = promisify(execFile);

/** The generators whose clients are tested, by the names of their programs in `round-trips/`. */
export const GENERATORS = ['openapi-fetch', 'hey-api'] as const;

/** A directory in which clients are generated, compiled and run. */
export interface Workshop {
  /**
   * Generates the clients of a service's description, as third parties would, next to the programs that use
   * them.
   */
  generate: (service: string, description: unknown) => Promise<void>;
  /**
   * Compiles everything that is there under `tsc --strict`; returns what the compiler reports, nothing when
   * all is well.
   */
  compile: () => Promise<string>;
  /** The program that uses a service's client, ready to run. */
  load: (service: string, generator: (typeof GENERATORS)[number]) => Promise<RoundTrip>;
  remove: () => Promise<void>;
}

/** Uses a service at an address with its credential, and returns what it saw. */
type RoundTrip = (baseUrl: string, credential?: unknown) => Promise<unknown>;

/** Opens a workshop in a temporary directory. */
export async function openWorkshop(): Promise<Workshop> {
  const home = await mkdtemp(join(tmpdir(), 'pressroom-clients-'));
  await symlink(join(HERE, 'node_modules'), join(home, 'node_modules'));
  await writeFile(join(home, 'package.json'), JSON.stringify({ type: 'module' }));
  return {
    generate: (service, description) => generate(join(home, service), service, description),
    compile: () => compile(home),
    load: (service, generator) => load(join(home, service, generator)),
    remove: () => rm(home, { recursive: true }),
  };
}

async function generate(room: string, service: string, description: unknown): Promise<void> {
  await mkdir(room);
  await cp(join(HERE, 'round-trips', service), room, { recursive: true });
  const document = join(room, 'openapi.json');
  await writeFile(document, JSON.stringify(description));
  await runTool('openapi-typescript', [document, '--output', join(room, 'openapi.ts')]);
  const sdk = join(room, 'sdk');
  await runTool('openapi-ts', ['--input', document, '--output', sdk, '--silent', '--no-log-file']);
}

async function runTool(name: string, args: string[]): Promise<void> {
  await run(join(HERE, 'node_modules', '.bin', name), args);
}

async function compile(home: string): Promise<string> {
  const options = {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: 'esnext',
    module: 'nodenext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: [],
  };
  const project = join(home, 'tsconfig.json');
  const exclude = ['node_modules'];
  await writeFile(project, JSON.stringify({ compilerOptions: options, include: ['.'], exclude }));
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json');
  try {
    await run(process.execPath, [join(compiler, '..', 'bin', 'tsc'), '-p', project]);
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout || error);
  }
}

/** Bundled, because the generated code names its files as they are called once they are compiled. */
async function load(program: string): Promise<RoundTrip> {
  const outfile = `${program}.bundle.mjs`;
  await build({
    entryPoints: [`${program}.ts`],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  const { roundTrip } = (await import(pathToFileURL(outfile).href)) as { roundTrip: RoundTrip };
  return roundTrip;
}
