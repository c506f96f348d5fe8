import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ignoredSettings, settingFaults } from '../../deploy/settings.ts';
import { resolvedCompose } from '../support/compose.ts';

const EXAMPLE = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8');

const COMPLETE = {
  COMPOSE_PROFILES: 'postgres,store',
  POSTGRES_PASSWORD: 'one',
  CONTENT_DATABASE_PASSWORD: 'two',
  NEWS_FEED_DATABASE_PASSWORD: 'three',
  GALLERY_ADMIN_DATABASE_PASSWORD: 'four',
  S3_ROOT_PASSWORD: 'five',
  S3_SECRET_ACCESS_KEY: 'six-and-more',
  ADMIN_PASSWORD: 'seven of nine words',
  SETTINGS_KEY: Buffer.alloc(32).toString('base64'),
};

/** The faults with these lines in .env, as the container `settings` sees them. */
async function faultsOf(env: Record<string, string>, text?: string): Promise<string[]> {
  const { settings } = await resolvedCompose(env);
  return settingFaults((settings?.environment ?? {}) as Record<string, string>, text, EXAMPLE);
}

/** The variables that the faults are about. */
const named = (faults: string[]) => faults.map((fault) => fault.split(' ')[0]).sort();

test('complete settings have no faults', async () => {
  expect(await faultsOf(COMPLETE)).toEqual([]);
});

test('all that is missing is named at once', async () => {
  expect(named(await faultsOf({ COMPOSE_PROFILES: 'postgres,store' }))).toEqual(
    Object.keys(COMPLETE)
      .filter((name) => name !== 'COMPOSE_PROFILES')
      .sort(),
  );
});

test('wrong values of every service are named with what is missing, without secrets', async () => {
  const faults = await faultsOf({
    ...COMPLETE,
    CONTENT_HTML: 'any',
    NEWS_STORIES: 'no',
    SETTINGS_KEY: 'short',
    ADMIN_PASSWORD: '',
  });
  expect(named(faults)).toEqual(['ADMIN_PASSWORD', 'CONTENT_HTML', 'NEWS_STORIES', 'SETTINGS_KEY']);
  expect(faults.join('\n')).not.toContain('short');
});

test('settings that are gone are named, and fail nothing', () => {
  const text = 'LOGIN_RATE=60\n# LOGIN_BURST=10\nDRAIN_SECONDS=5\nDRAIN=1\nREDIS_TIMEOUT_MS=250\n';
  expect(ignoredSettings(text)).toEqual([
    'LOGIN_RATE is ignored: it is no longer a setting',
    'DRAIN_SECONDS is ignored: it is no longer a setting',
    'REDIS_TIMEOUT_MS is ignored: it is no longer a setting',
  ]);
});

test('a misspelt name is refused with the right one, and what is near to nothing is told', async () => {
  const text = 'BACKUP_KYE=x\nS3_BUCKETS=y\nCONTENT_ORIGINS=z\nMY_PORT=1\nHTTPS_PORT=443\nCOMPOSE_FILE=a\n';
  expect(await faultsOf(COMPLETE, text)).toEqual([
    'BACKUP_KYE is not a setting, expected BACKUP_KEY',
    'S3_BUCKETS is not a setting, expected S3_BUCKET',
  ]);
  expect(ignoredSettings(text, EXAMPLE)).toEqual([
    'CONTENT_ORIGINS is ignored: it is not a setting; the nearest one is CONTENT_CORS_ORIGINS',
  ]);
  expect(await faultsOf(COMPLETE, EXAMPLE.replaceAll(/^# (?=[A-Z0-9_]+=)/gm, ''))).toEqual([]);
});

test('what the proxy would refuse is named with the rest', async () => {
  const proxy = {
    DOMAIN: 'https://news.example',
    CONNECTION_LIMIT: 'many',
    TRUSTED_PROXIES: '10.0.0.0/8; include x',
    CONTENT_UPSTREAM: 'http://content',
  };
  expect(named(await faultsOf({ ...COMPLETE, ...proxy }))).toEqual(Object.keys(proxy).sort());
  const accepted = {
    DOMAIN: 'news.example',
    CONNECTION_LIMIT: '10',
    TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    CONTENT_UPSTREAM: 'content_1:4003,127.0.0.1:4003',
  };
  expect(named(await faultsOf({ ...COMPLETE, ...accepted }))).toEqual([]);
});

test('every service has ended before Docker kills it', async () => {
  const services = await resolvedCompose({});
  for (const name of ['content', 'news-feed', 'newsroom', 'gallery-admin', 'media']) {
    const { environment = {}, stop_grace_period: period } = services[name] ?? {};
    const seconds = Number(environment.DRAIN_SECONDS ?? 0) + Number(environment.SHUTDOWN_TIMEOUT_MS) / 1000;
    expect(seconds, name).toBeLessThan(Number.parseInt(String(period), 10));
  }
});

test('what is elsewhere needs no password of ours', async () => {
  const faults = await faultsOf({
    COMPOSE_PROFILES: '',
    DATABASE_URL: 'postgres://user:password@db.example/pressroom',
    S3_ENDPOINT: 'https://s3.example',
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
    ADMIN_PASSWORD: 'seven of nine words',
    SETTINGS_KEY: COMPLETE.SETTINGS_KEY,
  });
  expect(faults).toEqual([]);
});

test('monitoring needs passwords for Grafana and, with the own database, for its role', async () => {
  const env = { ...COMPLETE, COMPOSE_PROFILES: 'postgres,store,monitoring' };
  expect(named(await faultsOf(env))).toEqual(['GRAFANA_PASSWORD', 'MONITORING_DATABASE_PASSWORD']);
  const passwords = { GRAFANA_PASSWORD: 'eight', MONITORING_DATABASE_PASSWORD: 'nine' };
  expect(await faultsOf({ ...env, ...passwords })).toEqual([]);
});

test('no profile and no address is a fault', async () => {
  expect(await faultsOf({ ...COMPLETE, COMPOSE_PROFILES: 'store' })).toEqual([
    'add postgres to COMPOSE_PROFILES, or set DATABASE_URL to the address of another one',
  ]);
});

test.each([
  ['PASSWORD=pa$word', true],
  ['PASSWORD="pa$word"', true],
  ['PASSWORD=pa${', true],
  ['  export PASSWORD = pa$word # why', true],
  ["PASSWORD='pa$word'", false],
  ['PASSWORD=pa$$word', false],
  ['PASSWORD=100$', false],
  ['PASSWORD=pass # not $this', false],
  ['# PASSWORD=pa$word', false],
])('.env with the line %j: %j is refused', async (line, refused) => {
  const faults = await faultsOf(COMPLETE, `A=b\n${line}\n`);
  expect(named(faults)).toEqual(refused ? ['PASSWORD'] : []);
});
