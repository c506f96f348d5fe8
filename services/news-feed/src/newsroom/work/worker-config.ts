import { deskKeySetting, previousDeskKeySetting } from '@pressroom/common/desk/desk-key';
import {
  commonSettings,
  type Environment,
  hosts,
  integer,
  port,
  readConfig,
  setting,
} from '@pressroom/common/start/config';
import { siteUrl } from '@pressroom/common/start/site-settings';
import type { z } from 'zod';
import { vocabularySettings } from '../../config.ts';
import { editorSettings } from '../editorial/editor-settings.ts';
import { noticeSettings } from '../notices/notice-settings.ts';
import { embeddingSettings } from '../stories/embedding-settings.ts';

const { DATABASE_URL, DATABASE_PASSWORD, DATABASE_POOL_SIZE, DATABASE_CONNECT_TIMEOUT_MS } = commonSettings;
const { LOG_LEVEL, HOST, METRICS_PORT, SHUTDOWN_TIMEOUT_MS } = commonSettings;

/** The settings of the newsroom's worker, for `readConfig`. */
export const workerSettings = {
  ...{ DATABASE_URL, DATABASE_PASSWORD, DATABASE_POOL_SIZE, DATABASE_CONNECT_TIMEOUT_MS },
  ...{ LOG_LEVEL, HOST, METRICS_PORT, SHUTDOWN_TIMEOUT_MS },
  ...vocabularySettings,
  ...editorSettings,
  ...embeddingSettings,
  ...noticeSettings,
  NEWS_PRIVATE_HOSTS: setting(
    hosts().default([]),
    'Hosts of sources that may have non-public addresses. Only sources added at one of them can lead to another by redirects, links and hubs. `pnpm start` sets `127.0.0.1,localhost,::1`.',
  ),
  NEWS_POLL_MIN_SECONDS: setting(
    integer(10, 86_400, 'seconds').default(300),
    'Minimum time between two polls of a source; a source may ask for a longer one.',
  ),
  NEWS_WRITE_SHARE: setting(
    integer(1, 100, 'percent').default(10),
    'Approximate share of its time that each worker spends writing; it pauses for 5 s at most. 100 disables the pauses.',
  ),
  NEWS_CALLBACK_URL: setting(
    siteUrl().optional(),
    'Public base address at which WebSub hubs reach the worker; a proxy must pass `/websub/` on.',
    'no subscriptions',
  ),
  NEWS_CALLBACK_PORT: setting(
    integer(0, 65_535).default(4004),
    'The port for hubs, if `NEWS_CALLBACK_URL` is set.',
  ),
  DESK_KEY: deskKeySetting,
  DESK_KEY_PREVIOUS: previousDeskKeySetting,
  NEWS_DESK_PORT: setting(
    port().default(4007),
    'The port for the desk, if `DESK_KEY` is set; do not expose it publicly.',
  ),
  NEWS_KEEP_DAYS: setting(
    integer(7, 36_500, 'days').default(90),
    'How long unselected items and removed sources are kept.',
  ),
};

/** The settings of the newsroom's worker. */
export type WorkerConfig = z.infer<z.ZodObject<typeof workerSettings>>;

/** Reads the settings of the worker. Throws `ConfigError` with every error. */
export function readWorkerConfig(env: Environment): WorkerConfig {
  return readConfig(workerSettings, env);
}
