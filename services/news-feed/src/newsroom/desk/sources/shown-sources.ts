import type { Kysely } from 'kysely';
import type { NewsTables } from '../../../tables.ts';
import { newEntries, type Source, sourceCounts } from '../../sources/source-store.ts';
import { toWire } from '../wire.ts';

/** Sources as the desk shows them, with what they have brought. */
export async function shownSources(db: Kysely<NewsTables>, sources: readonly Source[], now: Date) {
  const ids = sources.map(({ id }) => id);
  const counts = new Map((await sourceCounts(db, now, ids)).map((count) => [count.source_id, count]));
  const days = await newEntries(db, now, ids);
  return sources.map((source) => {
    const { day = 0, pending = 0, refused = 0 } = counts.get(source.id) ?? {};
    return toWire({
      ...settingsOf(source),
      ...healthOf(source),
      day,
      pending,
      refused,
      days: days.get(source.id) ?? [],
    });
  });
}

/** What editors set of a source. */
export function settingsOf(source: Source) {
  return {
    id: source.id,
    url: source.url,
    givenUrl: source.given_url,
    name: source.name,
    isNamed: source.is_named,
    category: source.category,
    directions: source.directions,
    firstParty: source.first_party,
    weight: source.weight,
    select: source.select_rule,
    readPages: source.reads_pages,
    images: source.takes_images,
    rules: source.rules,
    page: source.list_selectors,
    state: source.state,
  };
}

function healthOf(source: Source) {
  return {
    createdAt: source.created_at,
    nextPollAt: source.next_poll_at,
    intervalSeconds: source.interval_seconds,
    lastPolledAt: source.last_polled_at,
    lastSuccessAt: source.last_success_at,
    lastChangeAt: source.last_change_at,
    failures: source.failures,
    failingSince: source.failing_since,
    lastError: source.last_error,
    offeredUrl: source.offered_url,
    stoppedRules: source.stopped_rules,
    unusableEntries: source.unusable_entries,
    unreadEntries: source.unread_entries,
    repeatedEntries: source.repeated_entries,
    leftOut: source.left_out,
    emptyReads: source.empty_reads,
  };
}
