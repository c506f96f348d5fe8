import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { parentOf } from '@pressroom/embedded-postgres/processes';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { isOpen, killHard, postmasterOf, untilUnused } from '../support/processes.ts';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';

const START = fileURLToPath(new URL('programs/start.ts', import.meta.url));
const NPX = fileURLToPath(new URL('programs/npx.mjs', import.meta.url));

let dataDir: string;
let servicePort: number;
let databasePort: number;
let launches: Launched[];

beforeEach(async () => {
  dataDir = await temporaryHome();
  servicePort = await findFreePort();
  databasePort = await findFreePort();
  launches = [];
});

afterEach(async () => {
  for (const { process } of launches) {
    process.kill('SIGTERM');
    await until('it has ended', () => process.exitCode !== null || process.signalCode !== null);
  }
  await untilUnused(path.join(dataDir, 'postgres'));
  rmSync(dataDir, { recursive: true });
});

interface Launched {
  process: ChildProcess;
  /** Everything printed so far. */
  output: string;
}

function launch(more: NodeJS.ProcessEnv = {}, program = START, args: string[] = []): Launched {
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      DATABASE_PORT: String(databasePort),
      FIXTURE_PORT: String(servicePort),
      ...more,
    },
    // Its own process group, as a terminal's foreground job is.
    detached: true,
  });
  const launched = { process: child, output: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      launched.output += chunk;
    });
  }
  launches.push(launched);
  return launched;
}

async function running(more?: NodeJS.ProcessEnv, program?: string, args?: string[]): Promise<Launched> {
  const launched = launch(more, program, args);
  await until(
    'it runs or has ended',
    () => launched.output.includes('Ctrl-C') || launched.process.exitCode !== null,
  );
  expect(launched.output).toContain('Pressroom is running');
  return launched;
}

async function exitCode({ process }: Launched): Promise<number> {
  const [code] = await once(process, 'close');
  return code;
}

function clusterOf(dir: string): string {
  return path.join(dir, 'postgres', 'data');
}

async function ask(): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${servicePort}/`, { headers: { connection: 'close' } });
  return response.json();
}

describe('pnpm start', () => {
  test('migrates, leaves sample data, runs the services and says where everything is', async () => {
    const { output } = await running();
    expect(await ask()).toEqual([{ name: 'sample' }]);
    expect(output).toContain(`http://127.0.0.1:${servicePort}/docs`);
    expect(output).toContain(`http://127.0.0.1:${servicePort}/openapi.json`);
    expect(output).toMatch(/Make a thing +make thing/);
    expect(output).toContain(dataDir);
    expect(output).not.toContain(readFileSync(path.join(dataDir, 'postgres', 'password'), 'utf8'));
  });

  test('tells commands in other terminals where the database is, while it runs', async () => {
    const note = path.join(dataDir, 'database-url');
    const launched = await running();
    expect(new URL(readFileSync(note, 'utf8').trim()).port).toBe(String(databasePort));
    expect(statSync(note).mode & 0o777).toBe(0o600);
    launched.process.kill('SIGTERM');
    expect(await exitCode(launched)).toBe(0);
    expect(existsSync(note)).toBe(false);
  });

  test('Ctrl-C ends the services before the database', async () => {
    const launched = await running();
    process.kill(-Number(launched.process.pid), 'SIGINT');
    expect(await exitCode(launched)).toBe(0);
    expect(launched.output).toContain('service: at the end the database answers');
    expect(launched.output).not.toContain('service: SIGINT');
    expect(await isOpen(servicePort)).toBe(false);
    expect(await isOpen(databasePort)).toBe(false);
  });

  test('Ctrl-C while it is still starting ends it in good order', async () => {
    const launched = launch();
    await until('it creates the database', () => launched.output.includes('Creating the database'));
    launched.process.kill('SIGINT');
    expect(await exitCode(launched)).toBe(0);
    expect(await isOpen(databasePort)).toBe(false);
    await running();
  });

  test('a page that cannot be built ends the start, and the database with it', async () => {
    const launched = launch({ FIXTURE_BUILD: 'broken' });
    expect(await exitCode(launched)).toBe(1);
    expect(launched.output).toContain('the fixture cannot be built\n');
    expect(launched.output.trim().split('\n').at(-1)).toBe(
      'The build of the page of fixture failed (exit code 1); see its message above',
    );
    expect(await isOpen(databasePort)).toBe(false);
    await running();
  });

  test('samples that were deleted do not come back', async () => {
    const first = await running();
    const own = new pg.Client(readFileSync(path.join(dataDir, 'database-url'), 'utf8').trim());
    await own.connect();
    await own.query('delete from made_by_migration');
    await own.end();
    first.process.kill('SIGTERM');
    expect(await exitCode(first)).toBe(0);
    await running();
    expect(await ask()).toEqual([]);
  });

  test('leaves nothing running when it is killed, and starts again at once', async () => {
    const first = await running();
    await killHard(first.process);
    const second = await running();
    expect(await ask()).toEqual([{ name: 'sample' }]);
    await killHard(second.process);
    await until(
      'all ports are free',
      async () => !(await isOpen(servicePort)) && !(await isOpen(databasePort)),
    );
  });

  test('ends in good order when npx, which started it, is killed', async () => {
    const npx = await running({}, NPX);
    await killHard(npx.process);
    await until(
      'all ports are free',
      async () => !(await isOpen(servicePort)) && !(await isOpen(databasePort)),
    );
    await until('the service has ended', () => npx.output.includes('at the end'));
    expect(npx.output).toContain('service: at the end the database answers');
  });

  test('says that a service has died, starts it again, and leaves the others alone', async () => {
    const launched = await running();
    const postmaster = postmasterOf(clusterOf(dataDir));
    for (const pause of ['1 s', '2 s']) {
      await fetch(`http://127.0.0.1:${servicePort}/die`).catch(() => undefined);
      const line = `fixture ended by itself (exit code 3); starting it again in ${pause}`;
      await until('it says so', () => launched.output.includes(line));
      await until('it answers again', () => isOpen(servicePort));
    }
    expect(await ask()).toEqual([{ name: 'sample' }]);
    expect(postmasterOf(clusterOf(dataDir))).toBe(postmaster);
  });

  test('Ctrl-C ends it while a service that died is about to be started again', async () => {
    const launched = await running();
    await fetch(`http://127.0.0.1:${servicePort}/die`).catch(() => undefined);
    await until('it says so', () => launched.output.includes('starting it again'));
    process.kill(-Number(launched.process.pid), 'SIGINT');
    expect(await exitCode(launched)).toBe(0);
    expect(await isOpen(servicePort)).toBe(false);
    expect(await isOpen(databasePort)).toBe(false);
  });

  test.each([
    ['PostgreSQL', (postmaster: number) => postmaster],
    ["PostgreSQL's supervisor", (postmaster: number) => Number(parentOf(postmaster))],
  ])('ends with an error when %s is killed, and frees the ports', async (_what, victim) => {
    const launched = await running();
    process.kill(victim(postmasterOf(clusterOf(dataDir))), 'SIGKILL');
    expect(await exitCode(launched)).toBe(1);
    expect(launched.output).toContain('PostgreSQL ended by itself');
    expect(await isOpen(servicePort)).toBe(false);
    expect(await isOpen(databasePort)).toBe(false);
    await running();
  });

  test.each([
    ['service', 'fixture', 'FIXTURE_PORT', () => servicePort],
    ['database', 'PostgreSQL', 'DATABASE_PORT', () => databasePort],
  ])('a taken port of the %s is one line', async (_what, owner, variable, port) => {
    const holder = createServer().listen(port(), '127.0.0.1');
    const launched = launch();
    expect(await exitCode(launched)).toBe(1);
    expect(launched.output).toBe(
      `Port ${port()} for ${owner} is already in use; set ${variable} to a free port\n`,
    );
    holder.close();
    await once(holder, 'close');
  });

  test('several taken ports are one line, with free ones to paste', async () => {
    const holders = [servicePort, databasePort].map((port) => createServer().listen(port, '127.0.0.1'));
    const launched = launch();
    expect(await exitCode(launched)).toBe(1);
    expect(launched.output).toMatch(
      new RegExp(
        `^Ports ${databasePort} \\(PostgreSQL\\), ${servicePort} \\(fixture\\) cannot be used; ` +
          'with free ones: DATABASE_PORT=\\d+ FIXTURE_PORT=\\d+ npx -y pnpm@12 start\n$',
      ),
    );
    for (const holder of holders) await once(holder.close(), 'close');
  });

  test('a taken port that nobody has chosen is another one, which is said', async () => {
    const holder = createServer().listen(servicePort, '127.0.0.1');
    const { output } = await running({ FIXTURE_PORT: '', FIXTURE_DEFAULT: String(servicePort) });
    const said = new RegExp(`Port ${servicePort} for fixture is already in use: it has (\\d+) this time`);
    servicePort = Number(said.exec(output)?.[1]);
    expect(output).toContain(`http://127.0.0.1:${servicePort}/docs`);
    expect(await ask()).toEqual([{ name: 'sample' }]);
    await once(holder.close(), 'close');
  });

  test('the terminal shows what to act on, and a file has everything', async () => {
    const launched = await running();
    await ask();
    const logs = path.join(dataDir, 'logs');
    expect(launched.output).toMatch(new RegExp(`Logs +${logs} `));
    const log = () => readFileSync(path.join(logs, 'fixture.log'), 'utf8');
    const matters = ['"level":"warn","msg":"asked"', 'asked for names'];
    await until('what matters is shown', () => matters.every((line) => launched.output.includes(line)));
    await until('all is kept', () =>
      ['"level":"info","msg":"asked"', ...matters].every((line) => log().includes(line)),
    );
    expect(launched.output).not.toContain('"level":"info"');
  });

  test('a second start says that the first one is running, and where', async () => {
    const first = await running();
    const second = launch({ FIXTURE_PORT: String(await findFreePort()) });
    expect(await exitCode(second)).toBe(1);
    expect(second.output).toContain(`Pressroom is already running on ${dataDir}`);
    expect(second.output).toContain(`fixture  http://127.0.0.1:${servicePort}`);
    expect(await ask()).toEqual([{ name: 'sample' }]);
    await killHard(first.process);
    // The leftovers of a killed start are no start.
    await running();
  });

  test("an empty database of the reader's own gets samples only when asked", async () => {
    const own = await createTestDatabase();
    onTestFinished(own.drop);
    const without = await running({ DATABASE_URL: own.url });
    expect(await ask()).toEqual([]);
    without.process.kill('SIGTERM');
    expect(await exitCode(without)).toBe(0);
    await running({ DATABASE_URL: own.url }, START, ['--sample']);
    expect(await ask()).toEqual([{ name: 'sample' }]);
  });

  test('a database that does not answer is reported by the name of its variable', async () => {
    const launched = launch({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
    expect(await exitCode(launched)).toBe(1);
    expect(launched.output).toContain('The migration of the database of DATABASE_URL failed');
  });

  test('embeds nothing when DATABASE_URL names a server', async () => {
    const first = await running();
    const url = readFileSync(path.join(dataDir, 'database-url'), 'utf8').trim();
    const otherDir = path.join(dataDir, 'other');
    const otherPort = await findFreePort();
    const second = await running({ DATABASE_URL: url, DATA_DIR: otherDir, FIXTURE_PORT: String(otherPort) });
    expect(existsSync(path.join(otherDir, 'postgres'))).toBe(false);
    second.process.kill('SIGTERM');
    expect(await exitCode(second)).toBe(0);
    expect(await ask()).toEqual([{ name: 'sample' }]);
    expect(first.process.exitCode).toBe(null);
  });
});
