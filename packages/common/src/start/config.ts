import { z } from 'zod';
import { addressList, isAddressList } from '../http/address-list.ts';
import { LOG_LEVELS } from '../log/logging.ts';
import { readSecretFiles, withPassword } from './secret-files.ts';

/** The environment of a process. */
export type Environment = Record<string, string | undefined>;

/** Thrown by {@link readConfig}: the message lists every error on its own line and shows no secrets. */
export class ConfigError extends Error {
  constructor(faults: string[]) {
    super(['The configuration is invalid:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

/** A whole number between `min` and `max`, written in decimal digits. */
export function integer(min: number, max: number, unit = '') {
  const expected = `a whole number from ${min} to ${max}${unit && ` (${unit})`}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, expected)
    .transform(Number)
    .refine((value) => value >= min && value <= max, expected);
}

/** A TCP port; 0 lets the system choose a free one. */
export function port() {
  return integer(0, 65535);
}

/** Marks a setting whose value is never shown, neither in errors nor elsewhere. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), secret: true });
}

/** A connection URL with one of the `schemes`; a secret, because it contains a password. */
export function connectionUrl(...schemes: string[]) {
  const expected = `a URL such as ${schemes[0]}://user:password@host/name`;
  const accept = (value: string) =>
    URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1));
  return secret(z.string().refine(accept, expected));
}

/** Addresses and CIDR blocks, separated by commas, as a list to ask `isListed` of. */
export function cidrs() {
  const expected = 'addresses or CIDR blocks separated by commas, such as 10.0.0.0/8, ::1';
  return z.string().refine(isAddressList, expected).transform(addressList);
}

/**
 * `TRUST_PROXY`: how many proxies are in front, or their addresses; if absent, `X-Forwarded-For` is ignored.
 */
function trustedProxies() {
  const expected = 'the number of proxies in front, or their addresses or CIDR blocks separated by commas';
  const isCount = (value: string) => /^\d{1,2}$/.test(value);
  return z
    .string()
    .refine((value) => isCount(value) || isAddressList(value), expected)
    .transform((value) => (isCount(value) ? Number(value) : addressList(value)));
}

/** The settings that every service has (`docs/configuration.md` lists them). */
export const commonSettings = {
  DATABASE_URL: connectionUrl('postgres', 'postgresql'),
  /** The password, if `DATABASE_URL` has none: any characters, nothing percent-encoded. */
  DATABASE_PASSWORD: secret(z.string()).optional(),
  DATABASE_DIRECT_URL: connectionUrl('postgres', 'postgresql').optional(),
  DATABASE_NAMED_STATEMENTS: z.enum(['on', 'off'], 'on or off').optional(),
  DATABASE_POOL_SIZE: integer(1, 1000).default(10),
  DATABASE_CONNECT_TIMEOUT_MS: integer(10, 60_000, 'ms').default(2000),
  DATABASE_STATEMENT_TIMEOUT_MS: integer(10, 600_000, 'ms').default(5000),
  EVENT_LOOP_DELAY_LIMIT_MS: integer(0, 600_000, 'ms').default(1000),
  HOST: z.string().default('127.0.0.1'),
  LOG_LEVEL: z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`).default('info'),
  TRUST_PROXY: trustedProxies().optional(),
  METRICS_PORT: port().optional(),
  REDIS_URL: connectionUrl('redis', 'rediss').optional(),
  REDIS_TIMEOUT_MS: integer(10, 60_000, 'ms').default(250),
  /** How long a service still serves after SIGTERM while `/readyz` is already 503. */
  DRAIN_SECONDS: integer(0, 3600, 'seconds').default(0),
  SHUTDOWN_TIMEOUT_MS: integer(100, 600_000, 'ms').default(9500),
  CACHE_BYTES: integer(0, 8 * 2 ** 30, 'bytes').default(32 * 2 ** 20),
};

/** The values of {@link commonSettings}. */
export type CommonConfig = z.infer<z.ZodObject<typeof commonSettings>>;

/** Whether a setting is marked as a {@link secret}, also inside zod's wrappers of it (such as a default). */
export function isSecret(schema: z.core.$ZodType): boolean {
  if (z.globalRegistry.get(schema)?.secret === true) return true;
  const { def } = schema._zod;
  const inner = 'innerType' in def ? def.innerType : 'in' in def ? def.in : undefined;
  return inner instanceof z.core.$ZodType && isSecret(inner);
}

/** What is expected of a missing setting: the error of the empty text. */
function expectation(schema: z.ZodType | undefined): string {
  const [issue] = schema?.safeParse('').error?.issues ?? [];
  return issue === undefined ? '' : `, expected ${issue.message}`;
}

/**
 * Reads the settings of a service from the environment; an empty variable counts as absent, and a secret may
 * be in a file that `NAME_FILE` names. Throws {@link ConfigError} with every error: the variable, the given
 * value (secrets hidden), what is expected.
 */
export function readConfig<Shape extends Record<string, z.ZodType>>(
  shape: Shape,
  env: Environment,
): z.infer<z.ZodObject<Shape>> {
  const names = Object.keys(shape);
  const secrets = names.filter((name) => isSecret(shape[name] as z.ZodType));
  const { env: resolved, faults: fileFaults } = readSecretFiles(secrets, env);
  const given = Object.fromEntries(names.map((name) => [name, resolved[name] || undefined]));
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL']) {
    const url = given[name];
    if (url !== undefined) given[name] = withPassword(url, given.DATABASE_PASSWORD);
  }
  const result = z.object(shape).safeParse(given);
  if (result.success && fileFaults.length === 0) return result.data;
  const issues = result.error?.issues ?? [];
  // The fault of the file is what is to be mended, not that there is no value without it.
  const readable = issues.filter(
    ({ path }) => !fileFaults.some((fault) => fault.startsWith(`${String(path[0])}_FILE`)),
  );
  const faults = readable.map((issue) => {
    const name = String(issue.path[0]);
    const schema = shape[name];
    const value = given[name];
    if (value === undefined) return `${name} is not set${expectation(schema)}`;
    const shown = schema !== undefined && isSecret(schema) ? '(hidden)' : JSON.stringify(value);
    return `${name} is ${shown}, expected ${issue.message}`;
  });
  throw new ConfigError([...new Set([...fileFaults, ...faults])]);
}
