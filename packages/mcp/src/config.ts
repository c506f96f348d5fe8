import {
  commonSettings,
  type Environment,
  hosts,
  integer,
  port,
  readConfig,
  secret,
  setting,
} from '@pressroom/common/start/config';
import { siteUrl } from '@pressroom/common/start/site-settings';
import { z } from 'zod';

export const PORT_VARIABLE = 'MCP_PORT';

const serviceSettings = {
  MCP_NEWS_FEED_URL: setting(
    siteUrl().default('http://127.0.0.1:4001'),
    'The base address of news-feed, or of the proxy in front of it.',
  ),
  MCP_CONTENT_URL: setting(
    siteUrl().default('http://127.0.0.1:4003'),
    'The base address of content, likewise.',
  ),
};

/** The settings of the server over standard input and output. */
const stdioSettings = {
  ...serviceSettings,
  CONTENT_API_KEY: setting(
    secret(z.string()).optional(),
    'The content key with which `pnpm mcp` writes; without one it only reads. Over HTTP callers send their own.',
  ),
};

/** The settings of the server over HTTP. */
const httpSettings = {
  ...serviceSettings,
  [PORT_VARIABLE]: setting(port().default(4005), 'The port to listen on, over HTTP.'),
  MCP_ALLOWED_HOSTS: setting(
    hosts().default(['localhost', '127.0.0.1', '::1']),
    'The names under which clients may reach it over HTTP: others in `Host` or `Origin` are 403.',
  ),
  MCP_RATE_LIMIT: setting(
    integer(1, 1_000_000_000, 'requests a minute').default(120),
    'Requests per minute from one address, over HTTP.',
  ),
  HOST: commonSettings.HOST,
  LOG_LEVEL: commonSettings.LOG_LEVEL,
  TRUST_PROXY: commonSettings.TRUST_PROXY,
  METRICS_PORT: commonSettings.METRICS_PORT,
  REDIS_URL: commonSettings.REDIS_URL,
  EVENT_LOOP_DELAY_LIMIT_MS: commonSettings.EVENT_LOOP_DELAY_LIMIT_MS,
  DRAIN_SECONDS: commonSettings.DRAIN_SECONDS,
  SHUTDOWN_TIMEOUT_MS: commonSettings.SHUTDOWN_TIMEOUT_MS,
};

/** The settings of both, with what each is for. */
export const mcpSettings = { ...stdioSettings, ...httpSettings };

export type ServiceAddresses = z.infer<z.ZodObject<typeof serviceSettings>>;

/** The settings of the server over HTTP. */
export type McpHttpConfig = z.infer<z.ZodObject<typeof httpSettings>>;

/** Reads the settings of the server over standard input and output. Throws `ConfigError` with every error. */
export function readStdioConfig(env: Environment): z.infer<z.ZodObject<typeof stdioSettings>> {
  return readConfig(stdioSettings, env);
}

/** Reads the settings of the server over HTTP. Throws `ConfigError` with every error. */
export function readHttpConfig(env: Environment): McpHttpConfig {
  return readConfig(httpSettings, env);
}
