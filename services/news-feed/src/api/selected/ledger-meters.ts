import type { Meter } from '@pressroom/common/metrics/meter';
import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** The most changes that are counted, so that reading the metrics stays cheap. */
const COUNTED = 10_000;

/** The head of the ledger, and the changes that wait for a number. */
export function ledgerMeters(db: Kysely<NewsTables>): Meter[] {
  return [
    {
      name: 'news_ledger_head',
      help: 'The largest number in the ledger of the selected set',
      kind: 'gauge',
      read: async () => [
        await db.selectFrom('news.ledger').select('head as value').executeTakeFirstOrThrow(),
      ],
    },
    {
      name: 'news_ledger_pending',
      help: `Changes without a number yet, counted up to ${COUNTED}; clients that follow assign them`,
      kind: 'gauge',
      read: async () => {
        const pending = sql<{ value: number }>`
          select count(*) as value from (select from news.ledger_change limit ${COUNTED}) as pending
        `;
        return (await pending.execute(db)).rows;
      },
    },
  ];
}
