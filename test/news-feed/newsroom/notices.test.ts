import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyEvent } from '@pressroom/client/hooks';
import { readVocabulary } from '@pressroom/news-feed/config';
import { importFile } from '@pressroom/news-feed/editing/importer';
import { addSource } from '@pressroom/news-feed/reading/sources';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { collectNotices, Notifier, runNoticeCommand } from '@pressroom/news-feed/work/notices';
import { publishReport } from '@pressroom/news-feed/work/report';
import { newsroomSchedules } from '@pressroom/news-feed/work/schedules';
import { failedJobs } from '@pressroom/news-feed/work/status';
import { readWorkerConfig } from '@pressroom/news-feed/work/worker-config';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { HookReceiver } from '../../support/hook-receiver.ts';
import { memoryLog } from '../../support/log.ts';
import { importLines, itemLine } from '../../support/newsroom.ts';
import { until } from '../../support/until.ts';
import { startWholeWorker } from '../../support/worker.ts';

/** 14:00 in Shanghai, in a year when no report is past. */
const NOW = new Date('2050-05-03T06:00:00Z');
const VOCABULARY = readVocabulary({});
const COLLECTING = {
  schedules: newsroomSchedules({ vocabulary: VOCABULARY, keepDays: 90 }),
  calendar: VOCABULARY.calendar,
  now: NOW,
};
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const NEVER = new AbortController().signal;

let database: TestDatabase;
let db: Kysely<NewsTables>;
let receiver: HookReceiver;
let home: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool: database.pool }) });
  receiver = await new HookReceiver().start();
  home = await mkdtemp(join(tmpdir(), 'pressroom notices '));
});
afterAll(async () => {
  await receiver.stop();
  await database.drop();
  await rm(home, { recursive: true });
});
beforeEach(async () => {
  await database.pool.query(
    'truncate news.notice, news.schedule, news.source, news.item, news.daily cascade',
  );
  receiver.received.length = 0;
  receiver.answer = (response) => response.writeHead(204).end();
});

async function noticed() {
  const { rows } = await database.pool.query('select type, data from news.notice order by type, id');
  return rows;
}

/** Says that the daily was last done three days ago. */
async function missDaily(): Promise<void> {
  const before = new Date(NOW.getTime() - 3 * 86_400_000);
  await db
    .insertInto('news.schedule')
    .values({ name: 'daily', done_through: before, last_run_at: before })
    .execute();
}

/** A program that keeps its input and its environment, or ends as a test says. */
async function program(name: string, ending = ''): Promise<string> {
  const file = join(home, name);
  await writeFile(file, `#!/bin/sh\ncat >> '${file}.in'\nenv > '${file}.env'\n${ending}\n`);
  await chmod(file, 0o755);
  return file;
}

test('what the state says is noticed, each event once, and no private address', async () => {
  const add = async (url: string, columns: object) => {
    const { id } = await addSource(db, url, {}, NOW);
    await db.updateTable('news.source').set(columns).where('id', '=', id).execute();
    return id;
  };
  const since = new Date(NOW.getTime() - 4 * 86_400_000);
  const failing = {
    failing_since: since,
    failures: 9,
    last_error: 'https://token.feeds.example/k3y is away',
  };
  const gone = await add('https://token.feeds.example/k3y', { ...failing, state: 'gone' });
  const dead = await add('https://b.example/k3y', { ...failing, name: 'Bee' });
  await add('https://c.example/k3y', { ...failing, state: 'paused' });
  await add('https://d.example/k3y', { ...failing, failing_since: NOW });
  const replaced = await add('https://e.example/k3y', {
    ...{ failing_since: NOW, failures: 1, name: 'Ee' },
    offered_url: 'https://token.parked.example/',
  });
  await missDaily();
  const time = '2050-05-02T12:00:00.000Z';
  await importLines(db, [
    itemLine('a', { selected: true, summary: 'S.', publishedAt: time, discoveredAt: time }),
  ]);
  await db
    .transaction()
    .execute((tx) =>
      publishReport(tx, { period: 'daily', date: '2050-05-03', vocabulary: VOCABULARY, now: NOW }),
    );
  for (let time = 0; time < 2; time += 1) await collectNotices(db, COLLECTING);
  const about = { failures: 9, failingSince: since.toISOString() };
  expect(await noticed()).toEqual([
    {
      type: 'report.published',
      data: { period: 'daily', date: '2050-05-03', title: 'Title of a', items: 1 },
    },
    {
      type: 'schedule.missed',
      data: { schedule: 'daily', due: '2050-05-03T00:00:00.000Z', hasFailed: false },
    },
    { type: 'source.dead', data: { source: gone, name: null, isGone: true, ...about } },
    { type: 'source.dead', data: { source: dead, name: 'Bee', isGone: false, ...about } },
    {
      type: 'source.replaced',
      data: { source: replaced, name: 'Ee', failingSince: NOW.toISOString() },
    },
  ]);
  expect(JSON.stringify(await noticed())).not.toMatch(/k3y|token/);
  await db.updateTable('news.source').set({ failing_since: NOW }).where('id', '=', dead).execute();
  await collectNotices(db, { ...COLLECTING, now: new Date(NOW.getTime() + 4 * 86_400_000) });
  expect((await noticed()).filter(({ data }) => data.source === dead)).toHaveLength(2);
});

test('a refused import is noticed by its numbers; a rehearsal is not', async () => {
  const file = join(home, 'lines.jsonl');
  await writeFile(file, `${JSON.stringify(itemLine('good'))}\n{"type":"item"}\nnothing\n`);
  const given = { db, file, actor: 'ana', vocabulary: VOCABULARY, onProgress: () => undefined };
  await importFile({ ...given, dryRun: true });
  expect(await noticed()).toEqual([]);
  await importFile({ ...given, dryRun: false });
  expect(await noticed()).toEqual([
    {
      type: 'import.refused',
      data: { actor: 'ana', created: 1, changed: 0, unchanged: 0, refused: 2, lines: [2, 3] },
    },
  ]);
});

test('a notice is posted, signed, until the address has it', async () => {
  const log = memoryLog('newsroom');
  const notifier = new Notifier(
    { NEWS_NOTICE_URL: receiver.url, NEWS_NOTICE_SECRET: SECRET },
    { db, privateHosts: ['127.0.0.1'], log: log.log },
  );
  await missDaily();
  await collectNotices(db, COLLECTING);
  receiver.answer = (response) => response.writeHead(503).end();
  expect(await notifier.send(NEVER)).toBe(0);
  expect(await failedJobs(db)).toMatchObject([{ queue: 'notice', failures: 1, reason: 'it answered 503' }]);
  // Not before its time.
  expect(await notifier.send(NEVER)).toBe(0);
  expect(receiver.received).toHaveLength(1);
  receiver.answer = (response) => response.writeHead(204).end();
  await database.pool.query('update news.notice set due_at = now()');
  expect(await notifier.send(NEVER)).toBe(1);
  expect(await notifier.send(NEVER)).toBe(0);
  const [first, second] = receiver.received.map(({ body, headers }) => verifyEvent(body, headers, SECRET));
  expect(first).toEqual(second);
  expect(first).toMatchObject({
    id: expect.stringMatching(/^ntc_/),
    type: 'schedule.missed',
    timestamp: expect.any(String),
  });
  // Notices from before they were wanted are left alone.
  await database.pool.query(
    "update news.notice set attempts = 0, due_at = now(), at = now() - interval '4 days'",
  );
  expect(await notifier.send(NEVER)).toBe(0);
  await notifier.close();
});

test('a program gets a notice without a shell and without the secrets of the worker', async () => {
  process.env.EDITORIAL_KEY = 's3cret';
  const file = await program('keeps notices');
  const input = JSON.stringify({ data: { name: "$(touch x); 'y' `z`" } });
  expect(await runNoticeCommand(file, input, 60_000, NEVER)).toBeNull();
  delete process.env.EDITORIAL_KEY;
  expect(await readFile(`${file}.in`, 'utf8')).toBe(input);
  expect(await readFile(`${file}.env`, 'utf8')).not.toContain('s3cret');
  expect(await runNoticeCommand(await program('refuses', 'exit 3'), input, 60_000, NEVER)).toBe(
    'it ended with exit code 3',
  );
  expect(await runNoticeCommand(await program('hangs', 'exec sleep 600'), input, 100, NEVER)).toBe(
    'it did not end within 0.1 s',
  );
  expect(await runNoticeCommand(join(home, 'none'), input, 60_000, NEVER)).toBe('it cannot be run (ENOENT)');
  // It reads nothing of more than a pipe holds.
  expect(await runNoticeCommand('true', 'x'.repeat(1_000_000), 60_000, NEVER)).toBeNull();
});

test('a worker tells of what was missed before it makes that good', async () => {
  const file = await program('told');
  await missDaily();
  const settings = { NEWS_NOTICE_COMMAND: file };
  const worker = await startWholeWorker(database.url, { clock: () => NOW }, settings);
  await until('it is told', async () => (await readFile(`${file}.in`, 'utf8').catch(() => '')).includes('}'));
  await worker.stop();
  expect(JSON.parse(await readFile(`${file}.in`, 'utf8'))).toMatchObject({
    type: 'schedule.missed',
    data: { schedule: 'daily' },
  });
});

test.each([
  [{ NEWS_NOTICE_URL: 'http://a.example/s3cret' }, 'NEWS_NOTICE_URL'],
  [{ NEWS_NOTICE_SECRET: 's3cret' }, 'NEWS_NOTICE_SECRET'],
])('%j is refused without showing it', (settings, name) => {
  const read = () => readWorkerConfig({ DATABASE_URL: 'postgres://a@b/c', ...settings });
  expect(read).toThrow(name);
  expect(read).not.toThrow('s3cret');
});
