import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { until } from './until.ts';

/** Statements of a writer about an item that may not exist: `$1` is its number, `$2` a text. */
export type Statements = Readonly<Record<string, string>>;

/** Number of items. */
const ITEMS = 12;

interface Operation {
  statement: string;
  item: number;
  value: string;
  pauseMs: number;
}

/** A transaction, and how it ends. */
interface Transaction {
  operations: Operation[];
  end: 'commit' | 'rollback' | 'kill' | 'kill while committing';
}

/** Transactions of statements, of which the first is the most frequent. */
function transactionOf(statements: Statements): fc.Arbitrary<Transaction> {
  const [first = '', ...others] = Object.values(statements);
  const operation = fc.record({
    statement: fc.constantFrom(first, first, ...others),
    item: fc.integer({ min: 0, max: ITEMS - 1 }),
    value: fc.integer({ min: 0, max: 999_999 }).map((number) => `Text ${number}`),
    pauseMs: fc.integer({ min: 0, max: 3 }),
  });
  return fc.record({
    operations: fc.array(operation, { minLength: 1, maxLength: 6 }),
    end: fc.constantFrom('commit', 'commit', 'commit', 'commit', 'rollback', 'kill', 'kill while committing'),
  });
}

/** Things that happen at once: writers, and a mirror that ends without warning now and then. */
export function historyOf<Fields>(statements: Statements, fields: readonly Fields[]) {
  return fc.record({
    writers: fc.array(fc.array(transactionOf(statements), { minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 4,
    }),
    fields: fc.constantFrom(...fields),
    /** Page sizes, used in turn. */
    snapshotLimits: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 }),
    changesLimits: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 }),
    /** The replicas that the mirror's requests go to, used in turn. */
    replicas: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 5 }),
    /** The mirror passes so many points at which it may crash before each crash. */
    crashes: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 6 }),
  });
}

/** The SQLSTATEs of a constraint that is violated, and of a transaction that must be run again. */
const REFUSED = /^(23|40)...$/;

/** Values in turn, from the start again after the last one. */
export function inTurn<T>(values: readonly T[]): () => T {
  let next = 0;
  return () => values[next++ % values.length] as T;
}

/** Runs a writer's transactions, one after the other, on its own connections. */
export async function write(
  databaseUrl: string,
  administrator: pg.Pool,
  transactions: readonly Transaction[],
): Promise<void> {
  let client: pg.Client | undefined;
  for (const { operations, end } of transactions) {
    client ??= await connect(databaseUrl);
    await client.query('begin');
    if (!(await runAll(client, operations))) {
      await client.query('rollback');
      continue;
    }
    if (end === 'commit' || end === 'rollback') await client.query(end);
    else client = await kill(client, administrator, end === 'kill while committing');
  }
  await client?.end();
}

/** Runs operations; false when another writer was first, or what they need is not there. */
async function runAll(client: pg.Client, operations: Transaction['operations']): Promise<boolean> {
  try {
    // In the order of the items: a deadlock would only cost time here.
    for (const { statement, item, value, pauseMs } of operations.toSorted((a, b) => a.item - b.item)) {
      await client.query(statement, [item, value]);
      if (pauseMs > 0) await delay(pauseMs);
    }
    return true;
  } catch (error) {
    if (REFUSED.test((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  // If a deadlock happens nevertheless, nobody waits a second for it.
  await client.query(`set deadlock_timeout = '10ms'`);
  return client;
}

/** Ends a writer's session from outside, and waits until the server has nothing left of it. */
async function kill(client: pg.Client, administrator: pg.Pool, committing: boolean): Promise<undefined> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const { pid } = rows[0];
  const commit = committing ? client.query('commit').catch(() => undefined) : undefined;
  await administrator.query('select pg_terminate_backend($1)', [pid]);
  await commit;
  await client.end().catch(() => undefined);
  await until('the writer is gone', async () => {
    const left = await administrator.query('select from pg_stat_activity where pid = $1', [pid]);
    return left.rowCount === 0;
  });
}
