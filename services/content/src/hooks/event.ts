import { Failure } from '@pressroom/common/failures/failure';

/** What an event can be about, and what can happen to it. */
const HAPPENINGS = {
  article: ['created', 'updated', 'published', 'unpublished', 'deleted'],
  category: ['created', 'updated', 'deleted'],
  tag: ['created', 'updated', 'deleted'],
  author: ['created', 'updated', 'deleted'],
} as const;

/** Every type of event, and the pattern of all events of a kind. */
const PATTERNS: ReadonlySet<string> = new Set(
  Object.entries(HAPPENINGS).flatMap(([kind, whats]) => [...whats, '*'].map((what) => `${kind}.${what}`)),
);

/** An event as the database keeps it. */
export interface StoredEvent {
  id: number;
  type: string;
  subject: string;
  happened_at: Date;
  slug_before: string | null;
  slug_after: string | null;
  cache_tags: string[];
  /** Null before the first attempt to deliver it. */
  sync_cursor: string | null;
}

/**
 * Parses the events of a hook: types and patterns such as `article.*`, separated by commas.
 *
 * @throws Failure `refused` for anything else
 */
export function readEvents(value: string): string[] {
  const events = [...new Set(value.split(',').map((event) => event.trim()))];
  const unknown = events.find((event) => !PATTERNS.has(event));
  if (unknown === undefined) return events;
  throw new Failure('refused', `"${unknown}" is not an event: ${[...PATTERNS].join(', ')}`);
}

/**
 * The id that a receiver tells events apart by; with the time, because ids begin again where a backup ended.
 */
export function eventId({ id, happened_at }: Pick<StoredEvent, 'id' | 'happened_at'>): string {
  return `evt_${id}_${happened_at.getTime().toString(36)}`;
}

/** The body of a delivery: the same at every attempt. */
export function eventBody(event: StoredEvent): string {
  const [, id] = event.subject.split(':');
  return JSON.stringify({
    id: eventId(event),
    type: event.type,
    timestamp: event.happened_at.toISOString(),
    data: {
      id: Number(id),
      slug: event.slug_after,
      previous_slug: event.slug_before,
      cache_tags: event.cache_tags,
      sync_cursor: event.sync_cursor,
    },
  });
}
