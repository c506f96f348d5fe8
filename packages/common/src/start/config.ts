import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { reasonOf } from '../failures/failure.ts';
import { addressList, isAddressList } from '../http/address-list.ts';
import { LOG_LEVELS } from '../log/logging.ts';

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

/** A setting that is `true` or `false`. */
export function yesOrNo() {
  return z.enum(['true', 'false'], 'true or false').transform((value) => value === 'true');
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

/** The key of a `SecretBox`. */
export function encryptionKey() {
  return secret(
    z
      .string()
      .regex(/^[A-Za-z0-9+/]{43}=$/, '32 bytes in base64, as printed by `openssl rand -base64 32`')
      .transform((value) => Buffer.from(value, 'base64')),
  );
}

/** Host names and addresses, without ports, separated by commas. */
export function hosts() {
  const expected = 'host names or addresses without ports, separated by commas, such as 127.0.0.1, feeds.lan';
  return z
    .string()
    .transform((value) => value.split(',').map((host) => host.trim().toLowerCase()))
    .refine((list) => list.every((host) => /^([a-z0-9.-]+|[0-9a-f:]+)$/.test(host)), expected);
}

/** Addresses and CIDR blocks, separated by commas, as a list to ask `isListed` of. */
export function cidrs() {
  const expected = 'addresses or CIDR blocks separated by commas, such as 10.0.0.0/8, ::1';
  return z.string().refine(isAddressList, expected).transform(addressList);
}

/** Origins of web pages, separated by commas, as the set of what browsers send in `Origin`. */
export function origins() {
  const expected = 'origins separated by commas, such as https://editor.example, http://localhost:3000';
  return z
    .string()
    .refine((value) => value.split(',').every((text) => originOf(text) !== undefined), expected)
    .transform((value) => new Set(value.split(',').map((text) => originOf(text) ?? '')));
}

/** The origin in a text that is one, as browsers write it: in ASCII, without its usual port. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return url.href === `${url.origin}/` ? url.origin : undefined;
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

/** Headers as OpenTelemetry writes them: `name=value` separated by commas, percent-encoded. */
function headerList() {
  const entry = /^\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+=[\x21-\x7e]*\s*$/;
  const expected = 'name=value, several separated by commas, such as authorization=Bearer%20TOKEN';
  return secret(
    z
      .string()
      .refine((value) => value.split(',').every((text) => entry.test(text) && isDecodable(text)), expected)
      .transform((value) => Object.fromEntries(value.split(',').map(headerOf))),
  );
}

function headerOf(text: string): [string, string] {
  const [name = '', ...value] = text.trim().split('=');
  return [name, decodeURIComponent(value.join('='))];
}

function isDecodable(text: string): boolean {
  return URL.canParse(`http://none/?${text}`) && !/%(?![0-9a-fA-F]{2})/.test(text);
}

/** A fraction from 0 to 1. */
function fraction() {
  const expected = 'a number from 0 to 1';
  return z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0+)?)$/, expected)
    .transform(Number);
}

/** The purpose of a setting, as a table shows it (`docs/configuration.md`). */
export interface SettingNote {
  description: string;
  /** The effect of its absence, where that is not a default of the schema. */
  whenAbsent?: string;
}

/** Says what a setting is for. Markdown; one paragraph. */
export function setting<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  whenAbsent?: string,
): Schema {
  return schema.meta({ ...schema.meta(), description, ...(whenAbsent !== undefined && { whenAbsent }) });
}

/** The settings that every service has (`docs/configuration.md` lists them). */
export const commonSettings = {
  DATABASE_URL: setting(
    connectionUrl('postgres', 'postgresql'),
    'PostgreSQL 18 or later. With `DATABASE_DIRECT_URL` set, this may be a pooler in transaction mode.',
  ),
  DATABASE_PASSWORD: setting(
    secret(z.string()).optional(),
    'The password, if the URLs have none; not percent-encoded.',
  ),
  DATABASE_DIRECT_URL: setting(
    connectionUrl('postgres', 'postgresql').optional(),
    'The same database without the pooler, for what needs a session; see [operations](operations.md#poolers).',
  ),
  DATABASE_POOL_SIZE: setting(
    integer(1, 1000).default(10),
    'Connections per process, besides the one that listens for changes.',
  ),
  DATABASE_CONNECT_TIMEOUT_MS: setting(
    integer(10, 60_000, 'ms').default(2000),
    'Time a request waits for a connection before it gets 503; for Redis it waits an eighth of this, and is then counted in memory.',
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: setting(
    integer(10, 600_000, 'ms').default(5000),
    'Time limit of one statement; a search gets two fifths of it.',
  ),
  EVENT_LOOP_DELAY_LIMIT_MS: setting(
    integer(0, 600_000, 'ms').default(1000),
    'Mean event loop delay above which everything but `/healthz` is 503; 0 disables the check.',
  ),
  HOST: setting(z.string().default('127.0.0.1'), 'The address to listen on; containers set 0.0.0.0.'),
  LOG_LEVEL: setting(
    z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`).default('info'),
    'Minimum log level.',
  ),
  TRUST_PROXY: setting(
    trustedProxies().optional(),
    'The proxies to trust. If absent, `X-Forwarded-For` is ignored and all clients behind a proxy count as one. If an entry of that header is not an address, the hop that reported it counts as the client.',
  ),
  METRICS_PORT: setting(
    port().optional(),
    'Serves Prometheus text at `/metrics`; do not expose it publicly.',
  ),
  REDIS_URL: setting(
    connectionUrl('redis', 'rediss').optional(),
    'Redis, in which replicas share their rate limits; if absent, each process counts alone.',
  ),
  DRAIN_SECONDS: setting(
    integer(0, 3600, 'seconds').default(0),
    'Time a service keeps serving after SIGTERM while `/readyz` is already 503, so that load balancers notice. `docker-compose.yml` sets 5.',
  ),
  SHUTDOWN_TIMEOUT_MS: setting(
    integer(100, 600_000, 'ms').default(9500),
    'Grace period for in-flight requests after SIGTERM and `DRAIN_SECONDS`; `docker stop` kills a process after 10 s. `docker-compose.yml` sets 20000, and a stop grace period of 30 s.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    z
      .string()
      .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), 'an http or https URL')
      .optional(),
    'The OpenTelemetry collector for traces (OTLP over HTTP), such as `http://collector:4318`.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(headerList().optional(), 'Headers that the collector requires.'),
  OTEL_TRACES_SAMPLER_ARG: setting(
    fraction().default(1),
    'The fraction of traces to record, chosen by trace id.',
  ),
  CACHE_BYTES: setting(
    integer(0, 8 * 2 ** 30, 'bytes').default(32 * 2 ** 20),
    'Maximum memory for cached answers; 0 disables the cache.',
  ),
};

/** The settings of a service that answers public reads. */
export const publicReadSettings = {
  DATABASE_READ_URL: setting(
    connectionUrl('postgres', 'postgresql').optional(),
    'A streaming replica for public reads; see [its rules](operations.md#a-read-replica).',
    'reads go to `DATABASE_URL`',
  ),
};

/** The values of {@link commonSettings}. */
export type CommonConfig = z.infer<z.ZodObject<typeof commonSettings>>;

/** True if a setting is marked as a {@link secret}, also inside zod's wrappers of it (such as a default). */
export function isSecret(schema: z.core.$ZodType): boolean {
  if (z.globalRegistry.get(schema)?.secret === true) return true;
  const { def } = schema._zod;
  const inner = 'innerType' in def ? def.innerType : 'in' in def ? def.in : undefined;
  return inner instanceof z.core.$ZodType && isSecret(inner);
}

/** Describes the values that a setting accepts; undefined if it accepts any text. */
export function expectation(schema: z.ZodType | undefined): string | undefined {
  return schema?.safeParse('').error?.issues[0]?.message;
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
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL']) {
    const url = given[name];
    if (url !== undefined) given[name] = withPassword(url, given.DATABASE_PASSWORD);
  }
  const result = z.object(shape).safeParse(given);
  if (result.success && fileFaults.length === 0) return result.data;
  const issues = result.error?.issues ?? [];
  // Name the fault of the file, not the missing value that follows from it.
  const readable = issues.filter(
    ({ path }) => !fileFaults.some((fault) => fault.startsWith(`${String(path[0])}_FILE`)),
  );
  const faults = readable.map((issue) => {
    const name = String(issue.path[0]);
    const schema = shape[name];
    const value = given[name];
    if (value === undefined) {
      const expected = expectation(schema);
      return `${name} is not set${expected === undefined ? '' : `, expected ${expected}`}`;
    }
    const shown = schema !== undefined && isSecret(schema) ? '(hidden)' : JSON.stringify(value);
    return `${name} is ${shown}, expected ${issue.message}`;
  });
  throw new ConfigError([...new Set([...fileFaults, ...faults])]);
}

/** The environment with what its files hold, and what is wrong with them. */
interface ResolvedEnvironment {
  env: Record<string, string | undefined>;
  faults: string[];
}

/**
 * Reads the variables `names` from files where `NAME_FILE` names one, as Docker and Kubernetes mount secrets;
 * a line break at the end is not part of the value. A fault is a line for the operator: a file that cannot be
 * read or is empty, or both ways at once.
 */
export function readSecretFiles(
  names: readonly string[],
  env: Record<string, string | undefined>,
): ResolvedEnvironment {
  const resolved = { ...env };
  const faults: string[] = [];
  for (const name of names) {
    const path = env[`${name}_FILE`];
    if (!path) continue;
    if (env[name]) {
      faults.push(`${name} and ${name}_FILE are both set, expected one of them`);
      continue;
    }
    try {
      const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      if (value === '') faults.push(`${name}_FILE is "${path}", which is empty`);
      resolved[name] = value;
    } catch (error) {
      faults.push(`${name}_FILE is "${path}", which cannot be read: ${reasonOf(error)}`);
    }
  }
  return { env: resolved, faults };
}

/**
 * A connection URL with `password`, which may hold any characters. Unchanged if there is none, if `url` has
 * one, or if it is not a URL.
 */
export function withPassword(url: string, password: string | undefined): string {
  if (!password || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.password !== '') return url;
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/** Variables that the services no longer read. */
export const RETIRED_SETTINGS = [
  'CONTENT_BODY_LIMIT',
  'CONTENT_SEARCH_TIMEOUT_MS',
  'DATABASE_NAMED_STATEMENTS',
  'EDITORIAL_CONCURRENCY',
  'EDITORIAL_LANGUAGE',
  'EDITORIAL_RULES',
  'GALLERY_BODY_LIMIT',
  'NEWS_POLL_MAX_SECONDS',
  'NEWS_SEARCH_TIMEOUT_MS',
  'REDIS_TIMEOUT_MS',
] as const;

/** Warns of each retired variable that is still set: it is ignored. */
export function warnOfRetiredSettings(
  env: Environment,
  log: { warn(event: object, message: string): void },
): void {
  for (const variable of RETIRED_SETTINGS) if (env[variable]) log.warn({ variable }, 'setting_retired');
}
