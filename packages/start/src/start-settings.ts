import path from 'node:path';
import type { Service } from './services.ts';

/** What `pnpm start` reads from the environment. */
export interface StartSettings {
  /** `DATA_DIR`, absolute: where everything that is kept between runs lies. */
  readonly dataDir: string;
  /** `DATABASE_URL`: the server to use; absent, one is embedded. */
  readonly databaseUrl: string | undefined;
  /** `DATABASE_PORT`: where the embedded PostgreSQL listens. */
  readonly databasePort: number;
  /** `OBJECT_STORE_PORT`: where the embedded object store listens. */
  readonly objectStorePort: number;
  /** Each service's port by its variable. */
  readonly servicePorts: ReadonlyMap<Service, number>;
  /** That of each service's worker, if it has one. */
  readonly workerPorts: ReadonlyMap<Service, number>;
}

/** The settings and their errors: one line per error that names the variable. */
export interface ReadSettings {
  readonly settings: StartSettings;
  readonly faults: readonly string[];
}

/**
 * Reads the settings; an empty variable counts as absent. `DATA_DIR` is relative to the working directory,
 * and `.data` in the repository by default. If there are errors, the settings must not be used.
 */
export function readStartSettings(
  env: NodeJS.ProcessEnv,
  services: readonly Service[],
  root: string,
): ReadSettings {
  const ports = new PortReader(env);
  const databaseUrl = env.DATABASE_URL || undefined;
  const servicePorts = new Map(
    services.map((service) => [service, ports.read(service.port.variable, service.port.default)]),
  );
  const workerPorts = new Map(
    services.flatMap((service): [Service, number][] => {
      const port = service.worker?.port;
      return port === undefined ? [] : [[service, ports.read(port.variable, port.default)]];
    }),
  );
  const needsStore = services.some(({ gallery }) => gallery) && !env.S3_ENDPOINT;
  const settings = {
    dataDir: path.resolve(env.DATA_DIR || path.join(root, '.data')),
    databaseUrl,
    databasePort: databaseUrl ? 0 : ports.read('DATABASE_PORT', 54320),
    objectStorePort: needsStore ? ports.read('OBJECT_STORE_PORT', 4010) : 0,
    servicePorts,
    workerPorts,
  };
  const faults = [...databaseUrlFaults(databaseUrl), ...ports.faults, ...ports.sharedFaults()];
  return { settings, faults };
}

/** The same wording as the services, which report the same error. */
function databaseUrlFaults(url: string | undefined): string[] {
  if (url === undefined || /^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? '')) return [];
  return ['DATABASE_URL is (hidden), expected a URL such as postgres://user:password@host/name'];
}

class PortReader {
  readonly faults: string[] = [];
  readonly #env: NodeJS.ProcessEnv;
  readonly #variables = new Map<number, string[]>();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  read(variable: string, otherwise: number): number {
    const value = this.#env[variable];
    const port = value ? Number(/^\d{1,5}$/.exec(value)?.[0]) : otherwise;
    if (!(port >= 1 && port <= 65535)) {
      this.faults.push(`${variable} is ${JSON.stringify(value)}, expected a port from 1 to 65535`);
      return otherwise;
    }
    this.#variables.set(port, [...(this.#variables.get(port) ?? []), variable]);
    return port;
  }

  /** A line for each port that several variables name. */
  sharedFaults(): string[] {
    const shared = [...this.#variables].filter(([, variables]) => variables.length > 1);
    return shared.map(([port, names]) => `${names.join(' and ')} are both ${port}, expected different ports`);
  }
}
