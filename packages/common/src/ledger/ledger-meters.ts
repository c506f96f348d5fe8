import { type QueryExecutorProvider, sql } from 'kysely';
import type { Meter } from '../metrics/meter.ts';

/** The most changes that are counted, so that reading the metrics stays cheap. */
const COUNTED = 10_000;

/** The head of the ledger of `schema`, and the changes that wait for a number. */
export function ledgerMeters(db: QueryExecutorProvider, schema: string): Meter[] {
  return [
    {
      name: `${schema}_ledger_head`,
      help: 'The largest number in the ledger',
      kind: 'gauge',
      read: async () => {
        const head = sql<{ value: number }>`select head as value from ${sql.id(schema, 'ledger')}`;
        return (await head.execute(db)).rows;
      },
    },
    {
      name: `${schema}_ledger_pending`,
      help: `Changes without a number yet, counted up to ${COUNTED}; clients that follow assign them`,
      kind: 'gauge',
      read: async () => {
        const pending = sql<{ value: number }>`
          select count(*) as value from (
            select from ${sql.id(schema, 'ledger_change')} limit ${COUNTED}
          ) as pending
        `;
        return (await pending.execute(db)).rows;
      },
    },
  ];
}
