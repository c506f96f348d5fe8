import { setTimeout as delay } from 'node:timers/promises';
import { violates } from '@pressroom/common/database/database-fault';
import fc from 'fast-check';
import pg from 'pg';
import { until } from './until.ts';

/** What a writer does to an item, whether it is there or not. */
const OPERATIONS = {
  put: `insert into news.item (id, title, source_name, original_url, canonical_url, published_at, selected)
    values ($1, $2, 'Source', 'https://source.example/' || $1, 'https://source.example/' || $1, now(), true)
    on conflict (id) do update set title = excluded.title, selected = true, withdrawn_at = null`,
  edit: 'update news.item set title = $2 where id = $1',
  editSummary: 'update news.item set summary = $2 where id = $1',
  editReason: 'update news.item set reason = $2 where id = $1',
  select: 'update news.item set selected = true where id = $1 and $2::text is not null',
  deselect: 'update news.item set selected = false where id = $1 and $2::text is not null',
  withdraw: 'update news.item set withdrawn_at = now() where id = $1 and $2::text is not null',
  restore: 'update news.item set withdrawn_at = null where id = $1 and $2::text is not null',
  remove: 'delete from news.item where id = $1 and $2::text is not null',
};

const KINDS = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[];

const operation = fc.record({
  kind: fc.constantFrom('put', ...KINDS),
  item: fc.integer({ min: 0, max: 11 }).map((number) => `item-${String(number).padStart(2, '0')}`),
  value: fc.integer({ min: 0, max: 999_999 }).map((number) => `Text ${number}`),
  pauseMs: fc.integer({ min: 0, max: 3 }),
});

const transaction = fc.record({
  operations: fc.array(operation, { minLength: 1, maxLength: 6 }),
  end: fc.constantFrom('commit', 'commit', 'commit', 'commit', 'rollback', 'kill', 'kill while committing'),
});

/** A transaction, and how it ends. */
type Transaction = typeof transaction extends fc.Arbitrary<infer Value> ? Value : never;

/** What happens at once: writers, and a mirror that ends without warning now and then. */
export const historyArbitrary = fc.record({
  writers: fc.array(fc.array(transaction, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }),
  fields: fc.constantFrom<'default' | 'minimal'>('default', 'minimal'),
  /** Page sizes, used in turn. */
  snapshotLimits: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 }),
  changesLimits: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 }),
  /** The replicas that the mirror's requests go to, used in turn. */
  replicas: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 5 }),
  /** How many points at which it may crash the mirror passes before each crash. */
  crashes: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 6 }),
});

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

/** Runs operations; false when another writer was first to insert the same item. */
async function runAll(client: pg.Client, operations: Transaction['operations']): Promise<boolean> {
  try {
    // In the order of the items: a deadlock would only cost time here.
    for (const { kind, item, value, pauseMs } of operations.toSorted((a, b) => (a.item < b.item ? -1 : 1))) {
      await client.query(OPERATIONS[kind], [item, value]);
      if (pauseMs > 0) await delay(pauseMs);
    }
    return true;
  } catch (error) {
    if (violates(error, 'item_canonical_url_key')) return false;
    throw error;
  }
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
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
