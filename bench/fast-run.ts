/**
 * `pnpm bench fast [ROUNDS]`: what each trick of `packages/common/src/fast`, and the signer of the gallery's
 * lists, saves per use, compared to the plain way. The table in `packages/common/src/fast/README.md` has
 * these figures.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHmac, hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@pressroom/common/database/migrate';
import { eventLine } from '@pressroom/common/fast/event-line';
import { LineBatch } from '@pressroom/common/fast/line-batch';
import { NamingClient, nameStatement } from '@pressroom/common/fast/named-statements';
import { createLogger } from '@pressroom/common/log/logging';
import { startPostgres } from '@pressroom/embedded-postgres/postgres';
import { stringSigner } from '@pressroom/gallery-admin/listing/string-signer';
import { destination } from 'pino';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { type Figure, figureOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { printFigures } from './report.ts';

/** How often each variant runs in one round. */
const ROUNDS = Number(process.argv[2] ?? 100_000);

/** The number of rounds. */
const RUNS = 7;

/**
 * The page of a list as the news feed reads it, on empty tables, so that only parsing and planning remain.
 */
const STATEMENT = `select id, title, summary, source_name, original_url, published_at, category, score, directions
  from news.item where in_selected_set and published_at > $1 and published_at <= $2 and category = $3
  order by published_at desc, id desc limit $4`;

/** A way of doing what is measured. */
interface Way {
  work: () => unknown;
  /** Ends what many times `work` have begun; belongs to their time. */
  finish?: () => unknown;
}

/** The microseconds that each time takes, by round. */
async function measure({ work, finish }: Way, rounds = ROUNDS): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const begin = performance.now();
    for (let round = 0; round < rounds; round += 1) {
      const result = work();
      if (result instanceof Promise) await result;
    }
    finish?.();
    times.push(((performance.now() - begin) * 1000) / rounds);
  }
  return times;
}

const figures: Figure[] = [];

/** Compares a file's trick with the plain way, which `instead` names. */
async function compare(file: string, instead: string, fast: Way, plain: Way, rounds?: number) {
  const label = { what: file, metric: 'time', unit: 'µs', at: {} };
  figures.push(
    figureOf({ ...label, subject: 'trick' }, await measure(fast, rounds)),
    figureOf({ ...label, subject: instead }, await measure(plain, rounds)),
  );
}

async function compareLines(): Promise<void> {
  const event = {
    requestId: 'b47d1e6a-2c0b-4a1c-9f14-0c3a4f3f6a10',
    method: 'GET',
    url: '/api/v1/items?mode=selected&limit=50',
    status: 304,
    ms: 0.123,
    address: '203.0.113.7',
  };
  const log = createLogger({ service: 'bench', level: 'info', stream: { write: () => undefined } });
  const line = eventLine(log.lines, 'info', 'request_answered');
  await compare(
    'event-line.ts',
    'handing the event of a request to pino',
    { work: () => log.lines.stream.write(line(event)) },
    { work: () => log.info(event, 'request_answered') },
  );
  const text = line(event);
  const [direct, batch] = [
    destination({ fd: await readPipe(), sync: true }),
    new LineBatch(await readPipe()),
  ];
  await compare(
    'line-batch.ts',
    'a system call for each line of the log',
    { work: () => batch.write(text), finish: () => batch.flushSync() },
    { work: () => direct.write(text) },
  );
}

/** A pipe that another process reads, as the log of a container is; a file descriptor. */
async function readPipe(): Promise<number> {
  const pipe = join(mkdtempSync(join(tmpdir(), 'pressroom-bench-')), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = spawn('cat', [pipe], { stdio: 'ignore' });
  await once(reader, 'spawn');
  return openSync(pipe, 'w');
}

async function compareSigners(): Promise<void> {
  const key = hash('sha256', 'a key of a day', 'buffer');
  const begin = 'AWS4-HMAC-SHA256\n20261122T000000Z\n20261122/us-east-1/s3/aws4_request\n';
  const sign = stringSigner(key, begin);
  const digest = hash('sha256', 'a canonical request');
  await compare(
    'string-signer.ts',
    "an object of node:crypto's `Hmac` for each text",
    { work: () => sign(digest) },
    {
      work: () =>
        createHmac('sha256', key)
          .update(begin + digest)
          .digest('hex'),
    },
  );
}

async function compareStatements(): Promise<void> {
  const server = await startPostgres({ dataDir: await temporaryHome(), port: 0 });
  await migrate(server.url, fileURLToPath(new URL('../migrations', import.meta.url)));
  const client = new NamingClient({ connectionString: server.url });
  await client.connect();
  const values = [new Date(0), new Date(), 'research', 51];
  const named = nameStatement(STATEMENT);
  await compare(
    'named-statements.ts',
    'having PostgreSQL parse each statement again',
    { work: () => client.query(named, values) },
    { work: () => client.query(STATEMENT, values) },
    500,
  );
  await client.end();
  await server.stop();
}

await compareLines();
await compareSigners();
await compareStatements();
printFigures(figures);
keepFigures('fast', figures);
// Does not wait for the batch's timer or the standard streams.
process.exit();
