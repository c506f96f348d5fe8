import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecret } from '@pressroom/common/start/config';
import { parse } from 'yaml';
import { SERVICE_SETTINGS } from './service-settings.ts';

/**
 * The parts of a Compose file that refer to something else. The schema of the Compose Specification checks
 * the rest.
 */
interface ComposeFile {
  services: Record<string, Service>;
  volumes?: Record<string, unknown>;
  networks?: Record<string, unknown>;
}

interface Service {
  build?: { context: string; dockerfile: string };
  command?: string[];
  depends_on?: Record<string, { condition: string }>;
  environment?: Record<string, unknown>;
  healthcheck?: unknown;
  restart?: string;
  volumes?: (string | { source?: string })[];
  networks?: string[];
}

/** Addresses of databases come without their password, so they need not be in files. */
const FILELESS = /^DATABASE_(\w+_)?URL_FILE$/;

/**
 * Finds missing references in `docker-compose.yml` below `root`: services, volumes, networks, files, and
 * variables that `.env.example` does not explain. Throws if the file cannot be read.
 */
export async function composeFaults(root: string): Promise<string[]> {
  const text = await readFile(join(root, 'docker-compose.yml'), 'utf8');
  const compose: ComposeFile = parse(text, { merge: true });
  const faults = Object.entries(compose.services).flatMap(([name, service]) =>
    [
      ...dependencyFaults(service, compose.services),
      ...volumeFaults(service, compose.volumes ?? {}, root),
      ...networkFaults(service, compose.networks ?? {}),
      ...commandFaults(service, root),
      ...buildFaults(service, root),
    ].map((fault) => `${name}: ${fault}`),
  );
  const all = Object.values(compose.services);
  faults.push(
    ...unused('volume', compose.volumes, all.flatMap(sourcesOf)),
    ...unused(
      'network',
      compose.networks,
      all.flatMap(({ networks = [] }) => networks),
    ),
    ...missingSettings(compose),
  );
  for (const dockerfile of dockerfilesOf(compose, root)) faults.push(...(await copyFaults(root, dockerfile)));
  faults.push(...(await variableFaults(text, root)));
  return faults;
}

function dependencyFaults(service: Service, services: Record<string, Service>): string[] {
  return Object.entries(service.depends_on ?? {}).flatMap(([name, { condition }]) => {
    const target = services[name];
    if (!target) return [`depends on ${name}, which is not a service`];
    if (condition === 'service_healthy' && !target.healthcheck) {
      return [`waits for ${name} to be healthy, which has no healthcheck`];
    }
    if (
      condition === 'service_completed_successfully' &&
      /^(always|unless-stopped)$/.test(target.restart ?? 'no')
    ) {
      return [`waits for ${name} to complete, which is always restarted`];
    }
    return [];
  });
}

function volumeFaults(service: Service, volumes: Record<string, unknown>, root: string): string[] {
  return sourcesOf(service).flatMap((source) => {
    if (source.startsWith('.'))
      return existsSync(join(root, source)) ? [] : [`mounts ${source}, which does not exist`];
    if (source.startsWith('/')) return [];
    return source in volumes ? [] : [`uses the volume ${source}, which is not declared`];
  });
}

function networkFaults({ networks = [] }: Service, declared: Record<string, unknown>): string[] {
  return networks
    .filter((name) => !(name in declared))
    .map((name) => `is on the network ${name}, which is not declared`);
}

function unused(kind: string, declared: Record<string, unknown> = {}, used: readonly string[]): string[] {
  return Object.keys(declared)
    .filter((name) => !used.includes(name))
    .map((name) => `the ${kind} ${name} is declared but not used by any service`);
}

/** A container has only the variables that the file passes on, so a setting that it lacks has no effect. */
function missingSettings({ services }: ComposeFile): string[] {
  return Object.entries(SERVICE_SETTINGS).flatMap(([name, settings]) => {
    const { environment } = services[name] ?? {};
    if (environment === undefined) return [];
    return Object.entries(settings)
      .flatMap(([key, schema]) => (isSecret(schema) ? [key, `${key}_FILE`] : [key]))
      .filter((key) => !(key in environment) && !FILELESS.test(key))
      .map((key) => `${name}: is not given ${key}`);
  });
}

/** Lists the mounted paths; where a variable chooses one, its default. */
function sourcesOf(service: Service): string[] {
  return (service.volumes ?? []).flatMap((volume) =>
    typeof volume === 'string'
      ? volume.replace(/\$\{\w+:-(.*?)\}/, '$1').split(':', 1)
      : (volume.source ?? []),
  );
}

function commandFaults(service: Service, root: string): string[] {
  return (service.command ?? [])
    .filter((word) => word.endsWith('.ts') && !existsSync(join(root, word)))
    .map((file) => `runs ${file}, which does not exist`);
}

function buildFaults({ build }: Service, root: string): string[] {
  if (!build) return [];
  return [build.context, join(build.context, build.dockerfile)]
    .filter((path) => !existsSync(join(root, path)))
    .map((path) => `is built from ${path}, which does not exist`);
}

function dockerfilesOf({ services }: ComposeFile, root: string): Set<string> {
  const paths = Object.values(services).flatMap(({ build }) =>
    build ? [join(build.context, build.dockerfile)] : [],
  );
  return new Set(paths.filter((path) => existsSync(join(root, path))));
}

/** A missing COPY source fails the build, or is silently ignored with `--parents`. */
async function copyFaults(root: string, dockerfile: string): Promise<string[]> {
  const text = await readFile(join(root, dockerfile), 'utf8');
  return [...text.matchAll(/^COPY (?!--from)(.+)$/gm)]
    .flatMap(([, words = '']) =>
      words
        .split(' ')
        .filter((word) => !word.startsWith('--'))
        .slice(0, -1),
    )
    .filter((path) => !existsSync(join(root, path.replace(/\/?\*.*$/, ''))))
    .map((path) => `${dockerfile}: copies ${path}, which does not exist`);
}

/** The variables that a service of `docker-compose.yml` takes from `.env`. */
export async function passedVariables(root: string): Promise<Set<string>> {
  const text = await readFile(join(root, 'docker-compose.yml'), 'utf8');
  const { services }: ComposeFile = parse(text, { merge: true });
  return new Set(
    Object.values(services)
      .flatMap(({ environment = {} }) => Object.entries(environment))
      .filter(([name, value]) => value === null || String(value).includes(`\${${name}`))
      .map(([name]) => name),
  );
}

/**
 * Every variable that the file reads must be explained in `.env.example`; NAME_FILE is what NAME is, and
 * $${NAME} is read in the container.
 */
async function variableFaults(text: string, root: string): Promise<string[]> {
  const example = await readFile(join(root, '.env.example'), 'utf8');
  const names = new Set([...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = '']) => name));
  return [...names]
    .filter((name) => !new RegExp(`^#? ?${name.replace(/_FILE$/, '')}=`, 'm').test(example))
    .map((name) => `reads ${name}, which .env.example does not explain`);
}
