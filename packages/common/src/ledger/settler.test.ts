import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LedgerSettler } from './ledger.ts';

/** A statement that was sent, for the test to answer. */
type Statement = PromiseWithResolvers<{ rows: never[] }>;

let statements: Statement[];

/** A database that answers when the test says so. */
function database(): Kysely<unknown> {
  const connection = {
    executeQuery: () => {
      const statement: Statement = Promise.withResolvers();
      statements.push(statement);
      return statement.promise as Promise<never>;
    },
    streamQuery: () => {
      throw new Error('not needed');
    },
  };
  const nothing = async () => undefined;
  return new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: nothing,
        acquireConnection: async () => connection,
        beginTransaction: nothing,
        commitTransaction: nothing,
        rollbackTransaction: nothing,
        releaseConnection: nothing,
        destroy: nothing,
      }),
    },
  });
}

async function sent(count: number): Promise<Statement> {
  await vi.waitFor(() => expect(statements).toHaveLength(count));
  return statements[count - 1] as Statement;
}

beforeEach(() => {
  statements = [];
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => void vi.useRealTimers());

test('those who come during a pass share the next one, even if that pass fails at once', async () => {
  const settler = new LedgerSettler(database(), 'news');
  const first = settler.settle();
  const statement = await sent(1);
  const others = [settler.settle(), settler.settle()];
  statement.reject(new Error('the connection broke'));
  await expect(first).rejects.toThrow('the connection broke');
  (await sent(2)).resolve({ rows: [] });
  expect(await Promise.all(others)).toEqual([0, 0]);
});

test('those who have waited for a pass that fails slowly do not wait for another', async () => {
  const settler = new LedgerSettler(database(), 'news');
  const first = settler.settle();
  const statement = await sent(1);
  const other = settler.settle();
  vi.advanceTimersByTime(5500);
  statement.reject(new Error('the database hangs'));
  await expect(first).rejects.toThrow('the database hangs');
  await expect(other).rejects.toThrow('the database hangs');
  expect(statements).toHaveLength(1);
  const next = settler.settle();
  (await sent(2)).resolve({ rows: [] });
  expect(await next).toBe(0);
});
