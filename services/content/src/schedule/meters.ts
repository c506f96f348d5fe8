import type { Meter } from '@pressroom/common/metrics/meter';
import type { Kysely } from 'kysely';
import type { ContentTables } from '../tables.ts';
import { untilNextDue } from './carry-out.ts';

/** How late publications are; what the database refuses stays late, so it is seen. */
export function scheduleMeters(db: Kysely<ContentTables>): Meter[] {
  return [
    {
      name: 'content_schedule_lag_seconds',
      help: 'For how long the oldest publication or withdrawal that is due has waited',
      kind: 'gauge',
      labels: [],
      read: async () => {
        const ms = (await untilNextDue(db, { articles: [], releases: [] })) ?? 0;
        return [{ labels: {}, value: Math.max(0, -ms / 1000) }];
      },
    },
  ];
}
