import {
  commonSettings,
  type Environment,
  integer,
  readConfig,
  setting,
} from '@pressroom/common/start/config';
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
  NEWS_PRIVATE_HOSTS: setting(
    hosts().default([]),
    'Hosts of sources that may have addresses that are not public. Only sources that are added at one of them are led there by redirects, links and hubs. `pnpm start` sets `127.0.0.1,localhost,::1`.',
  ),
  NEWS_POLL_MIN_SECONDS: setting(
    integer(10, 86_400, 'seconds').default(300),
    'The shortest time between two polls of a source. A source may ask for a longer one.',
  ),
  NEWS_POLL_MAX_SECONDS: setting(
    integer(10, 604_800, 'seconds').default(21_600),
    'The longest time that the worker itself leaves between two polls of a source.',
  ),
  NEWS_WRITE_SHARE: setting(
    integer(1, 100, 'percent').default(10),
    'About how much of its time each worker writes what feeds bring; it never rests for longer than 5 s. 100: it never rests.',
  ),
  NEWS_CALLBACK_URL: setting(
    siteUrl().optional(),
    'The public address below which WebSub hubs reach the worker; whatever is in front of it passes `/websub/` on.',
    'no subscriptions',
  ),
  NEWS_CALLBACK_PORT: setting(
    integer(0, 65_535).default(4004),
    'The port (on `HOST`) on which the worker listens for hubs, if it has such an address.',
  ),
  NEWS_KEEP_DAYS: setting(
    integer(7, 36_500, 'days').default(90),
    'How long items that were not selected are kept.',
  ),
};

/** The settings of the newsroom's worker. */
export type WorkerConfig = z.infer<z.ZodObject<typeof workerSettings>>;

/** Reads the settings of the worker. Throws `ConfigError` with every error. */
export function readWorkerConfig(env: Environment): WorkerConfig {
  return readConfig(workerSettings, env);
}
