import { readBackupConfig } from '@pressroom/common/start/backup-settings';
import { readContentConfig } from '@pressroom/content/config';
import { readGalleryConfig, readMediaConfig, readStoreConfig } from '@pressroom/gallery-admin/config';
import { readNewsFeedConfig } from '@pressroom/news-feed/config';
import { readWorkerConfig } from '@pressroom/news-feed/work/worker-config';
import type { Container } from './kubernetes-network.ts';

/** Variables of a service in the Compose file; null where `.env` alone has the value. */
export type ComposeVariables = Readonly<Record<string, string | null>>;

/** The sources with which a container's variables are compared. */
export interface VariableSources {
  /** Variables and their values by the name of the ConfigMap or Secret that holds them. */
  readonly held: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The text of `docs/configuration.md`. */
  readonly documented: string;
}

/** A variable that a container is given. */
interface Given {
  value: string;
  /** True if it comes from a Secret. */
  secret: boolean;
}

/** The readers of each program's settings; `migrate` and `roles` read little but the database's address. */
const READERS: Record<string, (env: Record<string, string>) => unknown> = {
  content: readContentConfig,
  'news-feed': readNewsFeedConfig,
  'gallery-admin': readGalleryConfig,
  media: readMediaConfig,
  newsroom: readWorkerConfig,
  bucket: readStoreConfig,
  backup: readBackupConfig,
};

/** Keys of Secrets that other software reads too, by the Compose file's variable with the same content. */
const FOREIGN_KEYS: Record<string, string> = {
  // Names that CloudNativePG reads in the Secret of the tables' owner.
  POSTGRES_PASSWORD: 'password',
};

/**
 * Settings that Kubernetes replaces: it pauses before SIGTERM itself and waits for another time, and the
 * proxies in front of a service are the pods of an Ingress.
 */
const OTHERWISE = ['DRAIN_SECONDS', 'SHUTDOWN_TIMEOUT_MS', 'TRUST_PROXY'];

const DATABASE_URL = /^DATABASE_(\w+_)?URL$/;

/**
 * Finds variables of a container that differ from those of its service in the Compose file: other values,
 * another role of the database, secrets that are not its own, and required ones that are missing.
 */
export function variableFaults(
  container: Container,
  environment: ComposeVariables,
  { held, documented }: VariableSources,
): string[] {
  const { given, faults } = variablesOf(container, held);
  for (const [variable, value] of Object.entries(environment)) {
    const here = given.get(variable);
    if (value === null || value.includes('${') || here?.secret || OTHERWISE.includes(variable)) continue;
    if (here?.value !== value) {
      faults.push(`is given ${variable}=${here?.value ?? ''}, and in docker-compose.yml ${value}`);
    }
  }
  for (const [variable, { secret }] of given) {
    if (!documented.includes(`\`${variable}\``) && !(variable in environment)) {
      faults.push(`is given ${variable}, which is not a setting`);
    }
    if (secret && !(variable in environment)) {
      faults.push(`is given the secret ${variable}, and in docker-compose.yml it is not`);
    }
  }
  return [
    ...faults,
    ...roleFaults(given, environment),
    ...keyFaults(container, environment),
    ...missingSettings(container.name, given),
  ];
}

/** Collects the variables of a container, and the objects that it names that do not exist. */
function variablesOf(
  { env = [], envFrom = [] }: Container,
  held: VariableSources['held'],
): { given: Map<string, Given>; faults: string[] } {
  const given = new Map<string, Given>();
  const faults: string[] = [];
  for (const { configMapRef, secretRef } of envFrom) {
    const holder = (configMapRef ?? secretRef)?.name ?? '';
    if (!held.has(holder)) faults.push(`takes variables from ${holder}, which nothing explains`);
    for (const [variable, value] of held.get(holder) ?? []) {
      given.set(variable, { value, secret: secretRef !== undefined });
    }
  }
  for (const { name, value, valueFrom } of env) {
    if (valueFrom === undefined) {
      given.set(name, { value: value ?? '', secret: false });
      continue;
    }
    const { name: holder, key, optional } = valueFrom.secretKeyRef;
    // A key that may be missing has the name of its setting, which the documentation explains.
    const found = held.get(holder)?.get(key) ?? (optional && key === name ? '' : undefined);
    if (found === undefined) faults.push(`takes ${key} from ${holder}, which nothing explains`);
    else given.set(name, { value: found, secret: true });
  }
  return { given, faults };
}

/** Every address of the database must have the role that the Compose file names, and no password. */
function roleFaults(given: ReadonlyMap<string, Given>, environment: ComposeVariables): string[] {
  const there = roleOf(environment.DATABASE_URL);
  return [...given]
    .filter(([variable, { value }]) => DATABASE_URL.test(variable) && roleOf(value) !== there)
    .map(([variable, { value }]) => {
      const here = roleOf(value) ?? 'nobody';
      return `works as ${here} by ${variable}, and in docker-compose.yml as ${there ?? 'nobody'}`;
    });
}

/** The role in an address of the database, or in the one that the Compose file falls back on. */
function roleOf(url: string | null | undefined): string | undefined {
  return /postgres:\/\/(\w+)@/.exec(url ?? '')?.[1];
}

/** A key of a Secret must be named after the variable that the Compose file takes the value from. */
function keyFaults({ env = [] }: Container, environment: ComposeVariables): string[] {
  return env.flatMap(({ name, valueFrom }) => {
    if (valueFrom === undefined) return [];
    const source = /^\$\{(\w+)/.exec(environment[name] ?? '')?.[1] ?? name;
    const { key } = valueFrom.secretKeyRef;
    if (key === (FOREIGN_KEYS[source] ?? source)) return [];
    return [`takes ${name} from ${key}, and in docker-compose.yml from ${source}`];
  });
}

/** The required settings that are missing, as the program itself would say. */
function missingSettings(name: string, given: ReadonlyMap<string, Given>): string[] {
  const env = Object.fromEntries([...given].map(([variable, { value }]) => [variable, value]));
  try {
    READERS[name]?.(env);
    return [];
  } catch (error) {
    return [...String(error).matchAll(/^ +(\w+) is not set/gm)].map(
      ([, variable]) => `is not given ${variable}`,
    );
  }
}
