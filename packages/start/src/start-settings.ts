import path from 'node:path';
import { StartError } from '@pressroom/embedded-postgres/start-error';
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
}

/**
 * Reads the settings; an empty variable counts as absent. `DATA_DIR` is relative to the working directory,
 * and `.data` in the repository by default. Throws a {@link StartError} naming the variable that is wrong.
 */
export function readStartSettings(
  env: NodeJS.ProcessEnv,
  services: readonly Service[],
  root: string,
): StartSettings {
  return {
    dataDir: path.resolve(env.DATA_DIR || path.join(root, '.data')),
    databaseUrl: env.DATABASE_URL || undefined,
    databasePort: readPort(env, 'DATABASE_PORT', 54320),
    objectStorePort: readPort(env, 'OBJECT_STORE_PORT', 4010),
    servicePorts: new Map(
      services.map((service) => [service, readPort(env, service.port.variable, service.port.default)]),
    ),
  };
}

function readPort(env: NodeJS.ProcessEnv, variable: string, otherwise: number): number {
  const value = env[variable];
  if (!value) return otherwise;
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (port >= 1 && port <= 65535) return port;
  throw new StartError(`${variable} is ${JSON.stringify(value)}, expected a port from 1 to 65535`);
}
