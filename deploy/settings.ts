import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readBackupConfig } from '../packages/common/src/start/backup-settings.ts';
import { type Environment, RETIRED_SETTINGS, readSecretFiles } from '../packages/common/src/start/config.ts';
import { misspellings, unknownSettings } from '../packages/common/src/start/misspelt-settings.ts';
import { readContentConfig } from '../services/content/src/config.ts';
import { readGalleryConfig, readMediaConfig } from '../services/gallery-admin/src/config.ts';
import { readNewsFeedConfig } from '../services/news-feed/src/config.ts';
import { readWorkerConfig } from '../services/news-feed/src/work/worker-config.ts';

/** The folder of docker-compose.yml, as the container sees it. */
const PROJECT = '/project';

/**
 * Secrets that containers other than the services need, the profile that starts these, and the variable of
 * what stands in for them where they are not optional.
 */
const PROFILES: Record<string, { elsewhere?: string; secrets: readonly string[]; withPostgres?: string }> = {
  postgres: {
    elsewhere: 'EXTERNAL_DATABASE_URL',
    secrets: [
      'POSTGRES_PASSWORD',
      'CONTENT_DATABASE_PASSWORD',
      'NEWS_FEED_DATABASE_PASSWORD',
      'GALLERY_ADMIN_DATABASE_PASSWORD',
    ],
  },
  store: { elsewhere: 'EXTERNAL_S3_ENDPOINT', secrets: ['S3_ROOT_PASSWORD'] },
  monitoring: { secrets: ['GRAFANA_PASSWORD'], withPostgres: 'MONITORING_DATABASE_PASSWORD' },
};

/**
 * Everything that is missing or wrong in the settings of docker-compose.yml, a line each, so that an operator
 * mends it in one go.
 *
 * @param env what the containers get
 * @param text the text of `.env`, if it can be read
 * @param example that of `.env.example`, which has every setting
 */
export function settingFaults(env: Environment, text = '', example = ''): string[] {
  const faults = [
    ...missingSecrets(env),
    ...serviceFaults(env),
    ...proxyFaults(env),
    ...dollarFaults(text),
    ...misspellings(settingsIn(example), givenIn(text)).map(
      ({ variable, setting }) => `${variable} is not a setting, expected ${setting}`,
    ),
  ];
  return [...new Set(faults)];
}

function missingSecrets(env: Environment): string[] {
  const chosen = (env.COMPOSE_PROFILES ?? '').split(',').map((profile) => profile.trim());
  return Object.entries(PROFILES).flatMap(([profile, { elsewhere, secrets, withPostgres }]) => {
    if (!chosen.includes(profile)) {
      if (elsewhere === undefined || env[elsewhere]) return [];
      const variable = elsewhere.replace('EXTERNAL_', '');
      return [`add ${profile} to COMPOSE_PROFILES, or set ${variable} to the address of another one`];
    }
    const more = withPostgres !== undefined && chosen.includes('postgres') ? [withPostgres] : [];
    return [...secrets, ...more].flatMap((name) => {
      const { env: given, faults } = readSecretFiles([name], env);
      if (faults.length > 0) return faults;
      return given[name] ? [] : [`${name} is not set, expected a password (\`openssl rand -hex 24\`)`];
    });
  });
}

/** Settings that docker-compose.yml now decides itself, besides those that no service reads any more. */
const DECIDED = [
  'DRAIN_SECONDS',
  'LOGIN_BURST',
  'LOGIN_RATE',
  'METRICS_PORT',
  'S3_ROOT_USER',
  'SHUTDOWN_TIMEOUT_MS',
  'TRUST_PROXY',
];

const RETIRED = new RegExp(`^(?:${[...RETIRED_SETTINGS, ...DECIDED].join('|')})(?==)`, 'gm');

/** The settings in `.env` without effect, a line each; nothing fails because of them. */
export function ignoredSettings(text: string, example = ''): string[] {
  const known = settingsIn(example);
  return [
    ...(text.match(RETIRED) ?? []).map((name) => `${name} is ignored: it is no longer a setting`),
    ...unknownSettings(known, givenIn(text)).map(
      ({ variable, setting }) => `${variable} is ignored: it is not a setting; the nearest one is ${setting}`,
    ),
  ];
}

/** The settings of an `.env`, without those that Compose reads itself. */
function givenIn(text: string): Environment {
  return Object.fromEntries(
    Object.entries(parseEnv(text)).filter(([name]) => !/^(COMPOSE|DOCKER)_/.test(name)),
  );
}

/** The settings in the text of `.env.example`, none if there is no text, and what has been one. */
function settingsIn(example: string): string[] {
  const names = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]*)=/gm)].flatMap(([, name = '']) => [
    name,
    `${name}_FILE`,
  ]);
  return names.length === 0 ? [] : [...names, ...RETIRED_SETTINGS, ...DECIDED];
}

/** Settings that the proxy would refuse when it starts, after everything else. */
function proxyFaults(env: Environment): string[] {
  const rules: [RegExp, RegExp, string][] = [
    [/^DOMAIN$/, /^[a-z0-9.-]+$/i, 'a name such as news.example'],
    [/^CONNECTION_LIMIT$/, /^\d+$/, 'a whole number'],
    [/^TRUSTED_PROXIES$/, /^[\w.:/, -]+$/, 'addresses or CIDR blocks separated by commas'],
    [/_UPSTREAM$/, /^[\w.:, -]+$/, 'a name or address with its port, several separated by commas'],
  ];
  return Object.entries(env).flatMap(([name, value]) =>
    rules
      .filter(([names, accepted]) => value && names.test(name) && !accepted.test(value))
      .map(([, , expected]) => `${name} is ${JSON.stringify(value)}, expected ${expected}`),
  );
}

function serviceFaults(env: Environment): string[] {
  const login = env.ADMIN_PASSWORD || env.ADMIN_PASSWORD_FILE;
  const hash = env.ADMIN_PASSWORD_HASH || env.ADMIN_PASSWORD_HASH_FILE;
  const faults = login || hash ? [] : ['ADMIN_PASSWORD is not set; set it or ADMIN_PASSWORD_HASH'];
  for (const read of [
    readContentConfig,
    readNewsFeedConfig,
    readWorkerConfig,
    readGalleryConfig,
    readMediaConfig,
    readBackupConfig,
  ]) {
    try {
      read(env);
    } catch (error) {
      const lines = error instanceof Error ? error.message.split('\n').slice(1) : [];
      if (lines.length === 0) throw error;
      faults.push(...lines.map((line) => line.trim()));
    }
  }
  return faults;
}

/** Compose replaces `$NAME` in a value, unless single quotes are around it. */
function dollarFaults(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name, value = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value.startsWith("'")) return [];
    const unquoted = value.replace(/\s#.*$/, '');
    if (!/\$[\w{]/.test(unquoted.replaceAll('$$', ''))) return [];
    return [`${name} has a $ that Compose replaces, expected single quotes around the value`];
  });
}

if (import.meta.main) {
  const [text, example] = ['.env', '.env.example'].map((name) => {
    try {
      return readFileSync(join(PROJECT, name), 'utf8');
    } catch {
      // Settings may come from the environment, without a file.
      return '';
    }
  });
  for (const line of ignoredSettings(text ?? '', example)) console.warn(line);
  const faults = settingFaults(process.env, text, example);
  if (faults.length > 0) {
    console.error(['The settings in .env cannot work:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
    process.exitCode = 1;
  }
}
