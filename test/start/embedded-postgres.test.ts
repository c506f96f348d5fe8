import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { isRunning, parentOf } from '@pressroom/embedded-postgres/processes';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isOpen, killHard, postmasterOf, untilUnused } from '../support/processes.ts';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';

const STARTER = fileURLToPath(new URL('programs/start-postgres.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;

let directory: string;
let port: number;
let children: ChildProcess[];
/** Every directory that a server was started on, and those that lie outside of the test's own. */
let homes: Set<string>;
let elsewhere: Set<string>;

beforeEach(async () => {
  directory = realpathSync(await temporaryHome());
  port = await findFreePort();
  children = [];
  homes = new Set();
  elsewhere = new Set();
});

afterEach(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) await end(child);
  }
  for (const home of homes) await untilUnused(home);
  rmSync(directory, { recursive: true });
  for (const place of elsewhere) rmSync(place, { recursive: true });
});

interface Started {
  process: ChildProcess;
  log: string[];
  url: string;
  dataDir: string;
}

/** Runs a starter until it has started PostgreSQL. Throws the error that it reports. */
async function start(home = path.join(directory, 'postgres')): Promise<Started> {
  const child = spawn(process.execPath, [STARTER, home, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  homes.add(home);
  const log: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line);
    if (event.error) throw new Error(event.error);
    if (event.log) log.push(event.log);
    if (!event.url) continue;
    if (!event.dataDir.startsWith(directory)) elsewhere.add(path.dirname(event.dataDir));
    return { process: child, log, url: event.url, dataDir: event.dataDir };
  }
  throw new Error('the starter ended without a word');
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await until('it has ended', () => child.exitCode !== null || child.signalCode !== null);
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const leaveMark = (url: string) => query(url, "CREATE TABLE mark AS SELECT 'é' AS text");
const readMark = (url: string) => query(url, 'SELECT text FROM mark');

describe('embedded PostgreSQL', () => {
  test('keeps its data from one run to the next, and frees its port in between', async () => {
    const first = await start();
    await leaveMark(first.url);
    await end(first.process);
    expect(await isOpen(port)).toBe(false);

    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await readMark(second.url)).toEqual([{ text: 'é' }]);
  });

  test('sorts the same on every machine, keeps UTC, and asks for the password', async () => {
    const { url, dataDir } = await start();
    expect(await query(url, "SELECT x FROM unnest(ARRAY['b', 'É', 'a', 'B']) x ORDER BY x")).toEqual(
      ['B', 'a', 'b', 'É'].map((x) => ({ x })),
    );
    expect(await query(url, "SELECT lower('É') AS lower, current_setting('timezone') AS zone")).toEqual([
      { lower: 'é', zone: 'UTC' },
    ]);
    const guess = new URL(url);
    guess.password = 'guess';
    await expect(query(guess.href, 'SELECT')).rejects.toThrow('password authentication failed');
    expect(statSync(path.join(directory, 'postgres', 'password')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  test('ends with a starter that is killed; the next start works at once', async () => {
    const first = await start();
    await leaveMark(first.url);
    await killHard(first.process);

    const second = await start();
    expect(await readMark(second.url)).toEqual([{ text: 'é' }]);
    await killHard(second.process);
    await until('the port is free', async () => !(await isOpen(port)));
  });

  test('replaces a server that was left running when starter and supervisor were killed', async () => {
    const first = await start();
    await leaveMark(first.url);
    const leftover = postmasterOf(first.dataDir);
    process.kill(Number(parentOf(leftover)), 'SIGKILL');
    await killHard(first.process);
    expect(isRunning(leftover)).toBe(true);
    expect(await isOpen(port)).toBe(true);

    const second = await start();
    expect(isRunning(leftover)).toBe(false);
    expect(second.log.join()).toContain(`process ${leftover}`);
    expect(await readMark(second.url)).toEqual([{ text: 'é' }]);
  });

  test('does not take another process for its own when a stale postmaster.pid names it', async () => {
    const first = await start();
    await leaveMark(first.url);
    const { dataDir } = first;
    await end(first.process);
    const { uid, gid } = statSync(dataDir);
    const other = spawn('sleep', ['600'], { ...(isRoot && { uid, gid }), cwd: '/', stdio: 'ignore' });
    children.push(other);
    writeFileSync(
      path.join(dataDir, 'postmaster.pid'),
      `${other.pid}\n${dataDir}\n0\n${port}\n\n127.0.0.1\n`,
    );

    const second = await start();
    expect(await readMark(second.url)).toEqual([{ text: 'é' }]);
    expect(isRunning(Number(other.pid))).toBe(true);
  });

  test('refuses a directory that a living starter uses, and leaves that one alone', async () => {
    const first = await start();
    await leaveMark(first.url);
    await expect(start()).rejects.toThrow(
      `${path.join(directory, 'postgres')} is in use by another start; stop that one first, or set DATA_DIR to another directory`,
    );
    expect(await readMark(first.url)).toEqual([{ text: 'é' }]);
  });

  test('names a taken port and the variable that moves it', async () => {
    const holder = createServer().listen(port, '127.0.0.1');
    await expect(start()).rejects.toThrow(
      `Port ${port} for PostgreSQL is already in use; set DATABASE_PORT to a free port`,
    );
    holder.close();
  });

  test('lives below a directory that only its owner can enter', async () => {
    chmodSync(directory, 0o700);
    const first = await start();
    await leaveMark(first.url);
    await end(first.process);
    expect(first.dataDir.startsWith(directory)).toBe(!isRoot);
    expect(first.log.join('\n')).toContain(first.dataDir);

    const second = await start();
    expect(second.dataDir).toBe(first.dataDir);
    expect(await readMark(second.url)).toEqual([{ text: 'é' }]);
    expect(statSync(second.dataDir).uid === 0).toBe(false);
  });

  test('lives in a path with a space, a quote and letters of any script', async () => {
    const home = path.join(directory, "the editor's café 新闻 ".repeat(6).trim(), 'postgres');
    const first = await start(home);
    expect(first.dataDir).toBe(path.join(home, 'data'));
    await leaveMark(first.url);
    await killHard(first.process);
    const second = await start(home);
    expect(await readMark(second.url)).toEqual([{ text: 'é' }]);
  });
});
