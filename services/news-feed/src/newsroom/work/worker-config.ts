import { commonSettings, type Environment, integer, readConfig } from '@pressroom/common/start/config';
import { z } from 'zod';
import { siteUrl, vocabularySettings } from '../../config.ts';
import { editorSettings } from '../editorial/editor-settings.ts';

/** Host names and addresses, without ports, separated by commas. */
function hosts() {
  const expected = 'host names or addresses without ports, separated by commas, such as 127.0.0.1, feeds.lan';
  return z
    .string()
    .transform((value) => value.split(',').map((host) => host.trim().toLowerCase()))
    .refine((list) => list.every((host) => /^([a-z0-9.-]+|[0-9a-f:]+)$/.test(host)), expected);
}

const { DATABASE_URL, DATABASE_PASSWORD, DATABASE_POOL_SIZE, DATABASE_CONNECT_TIMEOUT_MS } = commonSettings;
const { LOG_LEVEL, HOST, METRICS_PORT, SHUTDOWN_TIMEOUT_MS } = commonSettings;

/** The settings of the newsroom's worker, for `readConfig`. */
export const workerSettings = {
  ...{ DATABASE_URL, DATABASE_PASSWORD, DATABASE_POOL_SIZE, DATABASE_CONNECT_TIMEOUT_MS },
  ...{ LOG_LEVEL, HOST, METRICS_PORT, SHUTDOWN_TIMEOUT_MS },
  ...vocabularySettings,
  ...editorSettings,
  /** Hosts whose feeds may have addresses that are not public. */
  NEWS_PRIVATE_HOSTS: hosts().default([]),
  /** The shortest time between two polls of a source. */
  NEWS_POLL_MIN_SECONDS: integer(10, 86_400, 'seconds').default(300),
  /** The longest time that the worker itself lets pass between two polls of a source. */
  NEWS_POLL_MAX_SECONDS: integer(10, 604_800, 'seconds').default(21_600),
  /** About how much of its time each worker writes what feeds bring; it never rests for longer than 5 s. */
  NEWS_WRITE_SHARE: integer(1, 100, 'percent').default(10),
  /** The public address below which hubs reach the callbacks of subscriptions; absent: no subscriptions. */
  NEWS_CALLBACK_URL: siteUrl().optional(),
  /** The port on which the worker listens for hubs, if it has a public address. */
  NEWS_CALLBACK_PORT: integer(0, 65_535).default(4004),
  /** How long items that were not selected are kept. */
  NEWS_KEEP_DAYS: integer(7, 36_500, 'days').default(90),
};

/** The settings of the newsroom's worker. */
export type WorkerConfig = z.infer<z.ZodObject<typeof workerSettings>>;

/** Reads the settings of the worker. Throws `ConfigError` with every error. */
export function readWorkerConfig(env: Environment): WorkerConfig {
  return readConfig(workerSettings, env);
}
