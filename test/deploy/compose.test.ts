import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { backupSettings } from '@pressroom/common/start/backup-settings';
import { isSecret } from '@pressroom/common/start/config';
import { contentSettings } from '@pressroom/content/config';
import { gallerySettings, mediaSettings } from '@pressroom/gallery-admin/config';
import { newsFeedSettings } from '@pressroom/news-feed/config';
import { workerSettings } from '@pressroom/news-feed/work/worker-config';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ComposeService, composeNetworks, resolvedCompose } from '../support/compose.ts';

type Setting = Parameters<typeof isSecret>[0];

const SERVICES: [string, Record<string, Setting>][] = [
  ['content', contentSettings],
  ['news-feed', newsFeedSettings],
  ['gallery-admin', gallerySettings],
  ['media', mediaSettings],
  ['newsroom', workerSettings],
  ['backup', backupSettings],
];

/** Addresses in the file, whose password is DATABASE_PASSWORD. */
const ADDRESSES = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL'];

/** Settings that the file decides itself: the address of a container, the proxies in front, and its end. */
const FIXED = [
  'METRICS_PORT',
  'TRUST_PROXY',
  'DRAIN_SECONDS',
  'SHUTDOWN_TIMEOUT_MS',
  'HOST',
  'CONTENT_PORT',
  'NEWS_FEED_PORT',
  'GALLERY_ADMIN_PORT',
  'MEDIA_PORT',
  'newsroom NEWS_CALLBACK_PORT',
  'newsroom NEWS_DESK_PORT',
  'backup BACKUP_DIR',
];

let services: Record<string, ComposeService>;
beforeAll(async () => {
  services = await resolvedCompose({});
});

describe.each(SERVICES)('%s', (name, settings) => {
  test.each(
    Object.keys(settings).filter(
      (setting) => !FIXED.includes(setting) && !FIXED.includes(`${name} ${setting}`),
    ),
  )('%s in .env reaches the container', async (setting) => {
    const { [name]: service } = await resolvedCompose({
      [setting]: 'the value',
      ...passedAs(name, setting),
    });
    expect(service?.environment?.[setting]).toBe('the value');
  });

  test('gets no variable that it does not have', () => {
    const known = new Set(Object.keys(settings).flatMap((setting) => [setting, `${setting}_FILE`]));
    expect(Object.keys(services[name]?.environment ?? {}).filter((setting) => !known.has(setting))).toEqual(
      [],
    );
  });

  test('each of its secrets may be in a file', async () => {
    const secrets = Object.entries(settings).flatMap(([setting, schema]) =>
      isSecret(schema) && !ADDRESSES.includes(setting) ? [setting] : [],
    );
    expect(secrets).toContain('DATABASE_PASSWORD');
    for (const setting of secrets) {
      const env = {
        [`${setting}_FILE`]: '/run/secrets/it',
        ...passedAs(name, `${setting}_FILE`, '/run/secrets/it'),
      };
      const { [name]: service } = await resolvedCompose(env);
      expect(service?.environment?.[`${setting}_FILE`], setting).toBe('/run/secrets/it');
    }
  });
});

/** Services have one password each, under their own names in .env. */
function passedAs(service: string, setting: string, value = 'the value'): Record<string, string> {
  // Backups are made as the owner of the tables.
  if (service === 'backup') return { [setting.replace('DATABASE_PASSWORD', 'POSTGRES_PASSWORD')]: value };
  // The newsroom works on the news feed's tables as its role, and public media are the gallery's.
  const roles: Record<string, string> = { newsroom: 'news-feed', media: 'gallery-admin' };
  const role = roles[service] ?? service;
  return { [`${role.toUpperCase().replaceAll('-', '_')}_${setting}`]: value };
}

interface SecretsFile {
  services: Record<string, { environment: Record<string, string>; secrets: string[] }>;
  secrets: Record<string, { file: string }>;
}

async function readSecretsFile(): Promise<SecretsFile> {
  const text = await readFile(join(import.meta.dirname, '../../deploy/compose.secrets.yml'), 'utf8');
  return parse(text, { merge: true });
}

test('every secret that a new .env has may be in a file, but for those of hooks and sources, and that of Grafana', async () => {
  const made = execFileSync(join(import.meta.dirname, '../../deploy/new-env'), { encoding: 'utf8' });
  const names = Object.entries(parseEnv(made)).flatMap(([name, value]) =>
    /PASSWORD|KEY/.test(name) && value ? [name.toLowerCase()] : [],
  );
  const { secrets } = await readSecretsFile();
  expect([...Object.keys(secrets), 'content_hooks_key', 'news_sources_key'].sort()).toEqual(
    [...names, 'grafana_password'].sort(),
  );
});

test('with secrets in files every service that has one gets its file, and nothing else', async () => {
  const overlay = await readSecretsFile();
  const values = Object.fromEntries(Object.keys(overlay.secrets).map((name) => [name.toUpperCase(), name]));
  const plain = await resolvedCompose(values);
  for (const [name, { environment = {} }] of Object.entries(plain)) {
    const { environment: files = {}, secrets = [] } = overlay.services[name] ?? {};
    const secret = Object.entries(environment).filter(([, value]) => value && value in overlay.secrets);
    const expected = secret.map(([setting, value]) => [`${setting}_FILE`, `/run/secrets/${value}`]);
    expect(files, name).toEqual(Object.fromEntries(expected));
    expect([...secrets].sort(), name).toEqual([...new Set(secret.map(([, value]) => value))].sort());
  }
  for (const [name, { file }] of Object.entries(overlay.secrets)) expect(file).toBe(`./secrets/${name}`);
});

test('the image of the services is built once, and used by all of them', () => {
  const own = Object.entries(services).filter(([, { image }]) => image?.startsWith('pressroom:'));
  expect(own.length).toBeGreaterThan(SERVICES.length);
  expect(own.flatMap(([name, { build }]) => (build === undefined ? [] : [name]))).toEqual(['settings']);
});

test('only the proxy publishes ports, and Grafana one on this machine', () => {
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
  expect(published.map(([name]) => name)).toEqual(['proxy', 'grafana']);
  expect(services.grafana?.ports).toMatchObject([{ host_ip: '127.0.0.1' }]);
});

test('every container has limits and rotates its log, none can be written to or become more than it is', () => {
  for (const [name, service] of Object.entries(services)) {
    expect(service.mem_limit, name).toMatch(/^\d+[mg]$/);
    expect(service.pids_limit, name).toBeGreaterThan(0);
    expect(service.logging?.options, name).toMatchObject({ 'max-size': '10m', 'max-file': '5' });
    expect(service.restart, name).toBeDefined();
    expect(service, name).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    // Files in memory count against the container's.
    for (const place of service.tmpfs ?? []) expect(place, name).toMatch(/:size=\d+m\b/);
    if (service.restart !== 'unless-stopped') continue;
    expect(service.healthcheck, name).toBeDefined();
    expect(service.stop_grace_period, name).toBeDefined();
  }
});

const on = (network: string) =>
  Object.entries(services).flatMap(([name, { networks }]) => (networks?.includes(network) ? [name] : []));

test('PostgreSQL and the store are reached by those who work with them, and reach nobody else', async () => {
  expect(on('database')).toEqual([
    ...[
      'postgres',
      'migrate',
      'roles',
      'content',
      'news-feed',
      'newsroom',
      'gallery-admin',
      'media',
      'backup',
      'postgres-exporter',
    ],
  ]);
  expect(on('store')).toEqual(['minio', 'store-key', 'bucket', 'gallery-admin', 'media', 'backup', 'proxy']);
  expect(services.postgres?.networks).toEqual(['database']);
  expect(services.minio?.networks).toEqual(['store']);
  expect(await composeNetworks()).toEqual({
    outside: null,
    database: { internal: true },
    store: { internal: true },
    logs: { internal: true },
  });
  // Without its own, a container is on a network with all others.
  for (const [name, { networks, network_mode }] of Object.entries(services)) {
    expect(networks !== undefined || network_mode === 'none', name).toBe(true);
  }
});

test('logs are read from files, without Docker’s socket, and only Grafana reaches what keeps them', async () => {
  expect(on('logs')).toEqual(['grafana', 'logs', 'log-collector']);
  for (const name of ['logs', 'log-collector']) expect(services[name]?.networks).toEqual(['logs']);
  expect(await readFile(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8')).not.toContain(
    'docker.sock',
  );
  // By these the collector knows whose line it is.
  const collector = await readFile(join(import.meta.dirname, '../../deploy/logs/syslog-ng.conf'), 'utf8');
  const labels = [...collector.matchAll(/\.attrs\.([\w.]+)/g)].map(([, label]) => label);
  expect(new Set(services.content?.logging?.options?.labels?.split(','))).toEqual(new Set(labels));
});

test('what is elsewhere is left out, and nothing waits for it', () => {
  const profiled = Object.entries(services).flatMap(([name, { profiles = [] }]) =>
    profiles.map((profile) => [profile, name]),
  );
  expect(profiled).toEqual([
    ['postgres', 'postgres'],
    ['store', 'minio'],
    ['store', 'store-key'],
    ...[
      'prometheus',
      'grafana',
      'logs',
      'log-collector',
      'postgres-exporter',
      'node-exporter',
      'blackbox-exporter',
    ].map((name) => ['monitoring', name]),
  ]);
  for (const [name, { depends_on: needs = {}, profiles }] of Object.entries(services)) {
    if (profiles !== undefined) continue;
    for (const [other, { required }] of Object.entries(needs)) {
      if (services[other]?.profiles !== undefined) expect(required, `${name} needs ${other}`).toBe(false);
    }
  }
});

test.each([
  ['nothing', {}, 'http://127.0.0.1:9000'],
  ['a domain', { DOMAIN: 'site.example' }, 'https://store.site.example'],
  ['another store', { DOMAIN: 'site.example', S3_ENDPOINT: 'https://s3.example' }, 'https://s3.example'],
  [
    'an address',
    { DOMAIN: 'site.example', S3_PUBLIC_ENDPOINT: 'https://cdn.example' },
    'https://cdn.example',
  ],
])(
  'with %s set, browsers reach the store at the address that they can reach',
  async (_what, env, expected) => {
    const resolved = await resolvedCompose(env);
    expect(resolved['gallery-admin']?.environment?.S3_PUBLIC_ENDPOINT).toBe(expected);
  },
);
