import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { backupMeters } from '@pressroom/backup/backup';
import { BackupFolder } from '@pressroom/backup/backup-folder';
import { processRegistry } from '@pressroom/common/http/metrics';
import { SHANGHAI } from '@pressroom/news-feed/calendar';
import { workerMetrics } from '@pressroom/news-feed/work/status';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { NO_PROMTOOL } from '../support/left-out-notes.ts';
import type { TestLog } from '../support/log.ts';
import { skipUnless } from '../support/needed-programs.ts';
import { itemRow, type NewsFeedFixture, newsFeedFixture } from '../support/news-feed.ts';
import { until } from '../support/until.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/monitoring/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const METRICS = { METRICS_PORT: '0' };

/** Metrics of the exporters beside the services that alerts read, and Prometheus's own. */
const OTHERS = [
  'up',
  'kube_cronjob_created',
  'kube_cronjob_status_last_successful_time',
  'pg_up',
  'pg_stat_activity_count',
  'pg_stat_activity_max_tx_duration',
  'pg_settings_max_connections',
  'node_filesystem_avail_bytes',
  'node_filesystem_size_bytes',
  'probe_ssl_earliest_cert_expiry',
];

let content: ContentFixture;
let feed: NewsFeedFixture;
let gallery: GalleryFixture;

beforeAll(async () => {
  content = await contentFixture(METRICS);
  feed = await newsFeedFixture(METRICS);
  gallery = await galleryFixture(METRICS);
});

afterAll(async () => {
  await content.close();
  await feed.close();
  await gallery.close();
});

async function metricsOf({ log }: { log: TestLog }): Promise<string> {
  const event = await until('the port is known', () =>
    log.events().find(({ msg }) => msg === 'metrics_listening'),
  );
  const { port } = event.address as { port: number };
  return (await send(`http://127.0.0.1:${port}/metrics`)).text;
}

/** The value of a line of the metrics. */
function figure(metrics: string, series: string): number {
  const line = metrics.split('\n').find((text) => text.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

/** The metrics of the newsroom's worker, which need no port to be read. */
async function workerText(): Promise<string> {
  const clock = () => new Date();
  return workerMetrics(feed.db, { schedules: [], calendar: SHANGHAI, clock }).read();
}

/** The metrics of the backup service, of an empty folder. */
function backupText(): Promise<string> {
  const failures = { backup: 0, media: 0, copy: 0, verification: 0 };
  return processRegistry(backupMeters(new BackupFolder(FOLDER), { failures })).metrics();
}

/** The names of all series, as Prometheus has them. */
async function seriesNames(): Promise<Set<string>> {
  const texts = await Promise.all([...[content, feed, gallery].map(metricsOf), workerText(), backupText()]);
  const types = [...texts.join('\n').matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const names = types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set([...names, ...OTHERS]);
}

/** The names of the series that a PromQL query reads. */
function readBy(query: string): string[] {
  const bare = query
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replace(/\b(by|without|on|ignoring) *\([^)]*\)/g, '')
    .replace(/\b(bool|and|or|unless)\b/g, '');
  return [...bare.matchAll(/\b[a-z_]\w*\b(?! *\()/g)].map(([name]) => name);
}

test('answers from the cache and those that are made are counted', async () => {
  for (let times = 0; times < 3; times += 1) await send(`${content.url}/api/articles`);
  await until('an answer came from the cache', async () => {
    await send(`${content.url}/api/articles`);
    return figure(await metricsOf(content), 'cache_answers_total{result="hit"}') > 0;
  });
  expect(figure(await metricsOf(content), 'cache_answers_total{result="miss"}')).toBeGreaterThan(0);
});

test('the connections of each pool are shown', async () => {
  const metrics = await metricsOf(feed);
  expect(figure(metrics, 'database_pool_connections{pool="search",state="busy"}')).toBe(0);
  expect(figure(metrics, 'database_pool_waiting{pool="main"}')).toBe(0);
});

test('the ledger shows the changes that wait, and its head once they have numbers', async () => {
  const head = figure(await metricsOf(feed), 'news_ledger_head');
  await feed.db
    .insertInto('news.item')
    .values(itemRow('measured', { selected: true }))
    .execute();
  expect(figure(await metricsOf(feed), 'news_ledger_pending')).toBe(1);
  await send(`${feed.url}/api/v1/selected/snapshot?limit=1`);
  const metrics = await metricsOf(feed);
  expect(figure(metrics, 'news_ledger_pending')).toBe(0);
  expect(figure(metrics, 'news_ledger_head')).toBe(head + 1);
});

test('sessions, throttled logins and requests to the store are counted', async () => {
  await gallery.ask('/api/gallery?json=1');
  for (let times = 0; times < 6; times += 1) {
    const wrong = { username: 'editor', password: 'wrong' };
    await send(`${gallery.url}/api/login`, { method: 'POST', json: wrong });
  }
  const metrics = await metricsOf(gallery);
  expect(figure(metrics, 'gallery_sessions')).toBe(1);
  expect(figure(metrics, 'gallery_throttled_logins')).toBeGreaterThan(0);
  expect(figure(metrics, 'object_store_requests_total{result="answered"}')).toBeGreaterThan(0);
  expect(figure(metrics, 'object_store_request_seconds_total')).toBeGreaterThan(0);
});

/** True if a page has the heading of an address such as `docs/hooks.md#receiving`. */
async function leadsToHeading(address: string): Promise<boolean> {
  const [page = '', anchor] = address.split('#');
  const headings = (await readFile(ROOT + page, 'utf8')).matchAll(/^#+ (.+)$/gm);
  const anchors = [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
  return anchors.includes(anchor ?? '');
}

test('every alert has a runbook and the address of its page, and reads metrics that exist', async () => {
  const { groups } = parse(await readFile(`${FOLDER}alerts.yml`, 'utf8'));
  const names = await seriesNames();
  for (const { alert, expr, annotations } of [...groups[0].rules, ...groups[1].rules]) {
    expect(annotations.runbook, alert).toMatch(/\w/);
    expect(await leadsToHeading(annotations.runbook_url), alert).toBe(true);
    const read = readBy(expr);
    expect(read, alert).not.toEqual([]);
    expect(
      read.filter((name) => !names.has(name)),
      alert,
    ).toEqual([]);
  }
});

test('every panel of the dashboard reads metrics that exist', async () => {
  const { panels } = JSON.parse(await readFile(`${FOLDER}grafana-dashboard.json`, 'utf8'));
  const names = await seriesNames();
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      const read = readBy(expr);
      expect(read, title).not.toEqual([]);
      expect(
        read.filter((name) => !names.has(name)),
        title,
      ).toEqual([]);
    }
  }
});

test('every metric that the operations page names exists', async () => {
  const text = await readFile(`${FOLDER}../../docs/operations.md`, 'utf8');
  const named = [
    ...text.matchAll(/`((?:cache|database|dependency|object_store|news|newsroom|gallery)_\w+)`/g),
  ].map(([, name = '']) => name);
  expect(named).toContain('database_pool_waiting');
  const names = await seriesNames();
  expect(named.filter((name) => !names.has(name))).toEqual([]);
});

test("the dashboard shows everything that the newsroom's worker tells", async () => {
  const { panels } = JSON.parse(await readFile(`${FOLDER}grafana-dashboard.json`, 'utf8'));
  const queries: { expr: string }[] = panels.flatMap(
    (panel: { targets: { expr: string }[] }) => panel.targets,
  );
  const shown = new Set(queries.flatMap(({ expr }) => readBy(expr)));
  const told = [...(await workerText()).matchAll(/^# TYPE (newsroom_\w+) /gm)].map(([, name = '']) => name);
  expect(told).not.toEqual([]);
  expect(told.filter((name) => !shown.has(name))).toEqual([]);
});

test('a publication that the database refuses is late, and the metrics say by how much', async () => {
  const { client, database } = content;
  await database.pool.query(
    `alter table content.article add constraint refused check (not (title = 'Refused' and is_published))`,
  );
  expect(figure(await metricsOf(content), 'content_schedule_lag_seconds')).toBe(0);
  const { id } = await client.article({
    title: 'Refused',
    publish_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await database.pool.query(
    `update content.article set publish_at = now() - interval '10 minutes' where id = $1`,
    [id],
  );
  expect(figure(await metricsOf(content), 'content_schedule_lag_seconds')).toBeGreaterThanOrEqual(600);
});

describe('with promtool', () => {
  skipUnless(spawnSync('promtool', ['--version']).status === 0, NO_PROMTOOL);

  test('the configuration is valid, and each alert fires when it should', async () => {
    const promtool = (...args: string[]) => promisify(execFile)('promtool', args, { cwd: FOLDER });
    await promtool('check', 'config', 'prometheus.yml');
    const { stdout } = await promtool('test', 'rules', 'alerts.test.yml');
    expect(stdout).toContain('SUCCESS');
  });
});
