import type { Meter } from '@pressroom/common/metrics/meter';
import type { Kysely } from 'kysely';
import type { GalleryTables } from '../tables.ts';
import { countSessions } from './store.ts';
import { countThrottled } from './throttle.ts';

/** The sessions and the login throttle; they are the same on all replicas. */
export function sessionMeters(db: Kysely<GalleryTables>): Meter[] {
  return [
    {
      name: 'gallery_sessions',
      help: 'Sessions that have not ended',
      kind: 'gauge',
      read: async () => [{ value: await countSessions(db) }],
    },
    {
      name: 'gallery_throttled_logins',
      help: 'Addresses, usernames and devices that may not try to log in now',
      kind: 'gauge',
      read: async () => [{ value: await countThrottled(db) }],
    },
  ];
}
