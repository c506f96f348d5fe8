import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { run } from '../support/command.ts';
import { temporaryHome } from '../support/temporary-home.ts';

const PRESSROOM = 'packages/start/src/start.ts';
const FIXTURE = fileURLToPath(new URL('programs/start.ts', import.meta.url));

let home: string;

beforeEach(async () => {
  home = await temporaryHome();
});

/** Starts what cannot start, and returns what it says before it ends. */
async function faults(program: string, env: Record<string, string>, args: string[] = []): Promise<string[]> {
  const { code, stdout, stderr } = await run([program, ...args], { env: { DATA_DIR: home, ...env } });
  expect([code, stdout]).toEqual([1, '']);
  return stderr.trimEnd().split('\n');
}

test('the errors of all services are reported at once, each once, and nothing is started', async () => {
  const told = await faults(PRESSROOM, {
    DATABASE_URL: 'mysql://me:hunter2@host/db',
    NEWS_FEED_PORT: '70000',
    NEWS_RATE_LIMIT: 'many',
    CONTENT_HTML: 'maybe',
    COOKIE_SECURE: 'maybe',
    LOG_LEVEL: 'loud',
  });
  expect(told).toEqual([
    'The configuration is invalid:',
    '  DATABASE_URL is (hidden), expected a URL such as postgres://user:password@host/name',
    '  NEWS_FEED_PORT is "70000", expected a port from 1 to 65535',
    '  LOG_LEVEL is "loud", expected one of trace, debug, info, warn, error, fatal, silent',
    expect.stringMatching(/^ {2}NEWS_RATE_LIMIT is "many", expected /),
    '  CONTENT_HTML is "maybe", expected checked or trusted',
    expect.stringMatching(/^ {2}COOKIE_SECURE is "maybe", expected /),
  ]);
});

test('a store of the reader’s own lacks what is not set', async () => {
  const told = await faults(PRESSROOM, { S3_ENDPOINT: 'https://s3.example.com', S3_BUCKET: 'media' });
  expect(told.slice(1)).toEqual([
    expect.stringMatching(/^ {2}S3_ACCESS_KEY_ID is not set/),
    expect.stringMatching(/^ {2}S3_SECRET_ACCESS_KEY is not set/),
  ]);
});

test('two services on one port, and errors found by the services, are reported before anything starts', async () => {
  const told = await faults(PRESSROOM, {
    NEWS_FEED_PORT: '4321',
    CONTENT_PORT: '4321',
    DATABASE_PORT: '5000',
    OBJECT_STORE_PORT: '5000',
  });
  expect(told.slice(1)).toEqual([
    '  NEWS_FEED_PORT and CONTENT_PORT are both 4321, expected different ports',
    '  DATABASE_PORT and OBJECT_STORE_PORT are both 5000, expected different ports',
  ]);
  expect(await faults(FIXTURE, { FIXTURE_PORT: '0', FIXTURE_MOOD: 'bad' })).toEqual([
    'The configuration is invalid:',
    '  FIXTURE_PORT is "0", expected a port from 1 to 65535',
    '  FIXTURE_MOOD is "bad", expected a good one',
  ]);
});

test.each([
  ['below a file', async () => path.join(await fileIn(home), 'data')],
  ['that is a file', () => fileIn(home)],
  ['of too long a name', async () => path.join(home, 'x'.repeat(300))],
  ['where the system lets nothing be made', async () => '/proc/pressroom/data'],
  ['that may not be written', () => (process.getuid?.() === 0 ? fileIn(home) : lockedIn(home))],
])('a DATA_DIR %s is reported with its path at once', async (_what, make) => {
  const directory = await make();
  const [, fault, ...more] = await faults(FIXTURE, { DATA_DIR: directory });
  expect(fault).toContain(`  DATA_DIR is ${JSON.stringify(directory)}, expected a directory`);
  expect(more).toEqual([]);
});

test('an unknown argument is reported', async () => {
  expect(await faults(FIXTURE, {}, ['--samples'])).toEqual([expect.stringContaining('--samples')]);
});

async function fileIn(folder: string): Promise<string> {
  await writeFile(path.join(folder, 'file'), '');
  return path.join(folder, 'file');
}

async function lockedIn(folder: string): Promise<string> {
  await mkdir(path.join(folder, 'locked'));
  await chmod(path.join(folder, 'locked'), 0o555);
  return path.join(folder, 'locked');
}
