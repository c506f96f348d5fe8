import { deskKeySetting, previousDeskKeySetting } from '@pressroom/common/desk/desk-key';
import {
  commonSettings,
  type Environment,
  encryptionKey,
  hosts,
  integer,
  port,
  readConfig,
  secret,
  setting,
} from '@pressroom/common/start/config';
import { siteUrl } from '@pressroom/common/start/site-settings';
import { endpointUrl } from '@pressroom/stories';
import { z } from 'zod';
import { vocabularySettings } from '../config.ts';

/** The settings of the model that judges and writes digests, for `readConfig`. */
export const editorialSettings = {
  EDITORIAL_URL: setting(
    endpointUrl().optional(),
    'Base URL of an OpenAI-compatible API; with `EDITORIAL_MODEL` set, its model judges entries.',
    'the rules judge',
  ),
  EDITORIAL_MODEL: setting(z.string().optional(), 'The name of the model.', 'the rules judge'),
  EDITORIAL_KEY: setting(secret(z.string()).optional(), 'The key of the API, if it requires one.'),
  EDITORIAL_TIMEOUT_MS: setting(
    integer(100, 600_000, 'ms').default(20_000),
    'Time limit of one judgement, after which the rules judge.',
  ),
  EDITORIAL_DAILY_REQUESTS: setting(
    integer(0, 1_000_000, 'requests a day').default(1000),
    'Daily budget of requests, shared by all workers.',
  ),
  EDITORIAL_DAILY_TOKENS: setting(
    integer(0, 1_000_000_000, 'tokens a day').default(2_000_000),
    'Daily budget of tokens, shared by all workers.',
  ),
};

/** The values of {@link editorialSettings}. */
export type EditorialConfig = z.infer<z.ZodObject<typeof editorialSettings>>;

/** The settings for embedding titles, for `readConfig`. */
export const embeddingSettings = {
  NEWS_EMBEDDINGS_URL: setting(
    endpointUrl().optional(),
    'Base URL of an OpenAI-compatible API; with `NEWS_EMBEDDINGS_MODEL` set, its model embeds titles for [stories](newsroom.md#embeddings).',
    'stories are found without',
  ),
  NEWS_EMBEDDINGS_MODEL: setting(
    z.string().optional(),
    'The name of the model.',
    'stories are found without',
  ),
  NEWS_EMBEDDINGS_API_KEY: setting(secret(z.string()).optional(), 'The key of the API, if it requires one.'),
  NEWS_EMBEDDINGS_DAILY_TOKENS: setting(
    integer(0, 1_000_000_000, 'tokens a day').default(1_000_000),
    'Daily budget of tokens, shared by all workers.',
  ),
};

/** The values of {@link embeddingSettings}. */
export type EmbeddingConfig = z.infer<z.ZodObject<typeof embeddingSettings>>;

const SECRET = 'whsec_ and base64 of at least 24 bytes';

/** The settings of notices, for `readConfig`. */
const noticeSettings = {
  NEWS_NOTICE_COMMAND: setting(
    z.string().optional(),
    'A program without arguments that gets each notice as JSON on its standard input; exit code 0 within 10 s means that it has it.',
    'no notices',
  ),
  NEWS_NOTICE_URL: setting(
    secret(z.string().refine((value) => URL.parse(value)?.protocol === 'https:', 'an https URL')).optional(),
    'The address that notices are posted to. A secret, because such addresses often hold one.',
    'no notices',
  ),
  NEWS_NOTICE_SECRET: setting(
    secret(z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, SECRET)).optional(),
    'The secret that signs what is posted, as Standard Webhooks say.',
    'unsigned',
  ),
};

const PROXIES = 'name=http://user:password@host:port, several separated by commas';

/** Proxies by their names. */
function proxies() {
  return secret(
    z
      .string()
      .transform((value) => value.split(',').map(proxyOf))
      .refine((all) => !all.includes(undefined), PROXIES)
      .transform((all) => new Map(all.filter((one) => one !== undefined))),
  );
}

type Proxy = readonly [name: string, address: URL];

function proxyOf(text: string): Proxy | undefined {
  const [, name = '', address = ''] = /^([a-z\d-]{1,40})=(https?:.+)$/.exec(text.trim()) ?? [];
  const url = URL.parse(address);
  if (url === null || url.pathname + url.search + url.hash !== '/') return undefined;
  return /%(?![\da-f]{2})/i.test(url.username + url.password) ? undefined : [name, url];
}

/** The values of {@link noticeSettings}. */
export type NoticeConfig = z.infer<z.ZodObject<typeof noticeSettings>>;

const { DATABASE_URL, DATABASE_PASSWORD, DATABASE_POOL_SIZE, DATABASE_CONNECT_TIMEOUT_MS } = commonSettings;
const { LOG_LEVEL, HOST, METRICS_PORT, SHUTDOWN_TIMEOUT_MS } = commonSettings;

/** The settings of the newsroom's worker, for `readConfig`. */
export const workerSettings = {
  ...{ DATABASE_URL, DATABASE_PASSWORD, DATABASE_POOL_SIZE, DATABASE_CONNECT_TIMEOUT_MS },
  ...{ LOG_LEVEL, HOST, METRICS_PORT, SHUTDOWN_TIMEOUT_MS },
  ...vocabularySettings,
  ...editorialSettings,
  ...embeddingSettings,
  ...noticeSettings,
  NEWS_PRIVATE_HOSTS: setting(
    hosts().default([]),
    'Hosts of sources that may have non-public addresses. Only sources added at one of them can lead to another by redirects, links and hubs. `pnpm start` sets `127.0.0.1,localhost,::1`.',
  ),
  NEWS_PROXIES: setting(
    proxies().optional(),
    'Proxies (HTTP CONNECT) that a [source](newsroom.md#access) can be asked through, by name. Characters of a login beyond letters and digits are percent-encoded.',
    'sources are asked directly',
  ),
  NEWS_POLL_MIN_SECONDS: setting(
    integer(10, 86_400, 'seconds').default(300),
    'Minimum time between two polls of a source; a source may ask for a longer one.',
  ),
  NEWS_SOURCES_KEY: setting(
    encryptionKey().optional(),
    'Encrypts the passwords and headers of [sources](newsroom.md#access).',
    'no source has any',
  ),
  NEWS_SOURCES_KEY_PREVIOUS: setting(
    encryptionKey().optional(),
    'The previous `NEWS_SOURCES_KEY`, which still decrypts older ones.',
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
    'Retention of unselected items and removed sources.',
  ),
};

/** The settings of the newsroom's worker. */
export type WorkerConfig = z.infer<z.ZodObject<typeof workerSettings>>;

/** Reads the settings of the worker. Throws `ConfigError` with every error. */
export function readWorkerConfig(env: Environment): WorkerConfig {
  return readConfig(workerSettings, env);
}
