import { z } from 'zod';
import { NOT_MODIFIED } from '../http/bodiless.ts';
import type { Operation } from '../http/operation.ts';
import { problemResponses } from '../problems/problem-document.ts';
import type { Feed, FeedEntry } from './feed.ts';
import { FEED_FORMATS, type FeedEnding } from './formats.ts';

/** One feed, by the ending of its path. */
export type FeedOperations = Record<FeedEnding, Operation>;

/** When a feed without entries was changed: Atom wants a date, and validators doubt those before 1990. */
const NEVER = Date.UTC(2000);

const ENDINGS = Object.keys(FEED_FORMATS) as FeedEnding[];

/** The first word of an operation's id for each ending. */
export const FORMAT_NAMES: Record<FeedEnding, string> = { xml: 'Rss', atom: 'Atom', json: 'Json' };

/** Makes the operation of each ending. */
export function forEachEnding(make: (ending: FeedEnding) => Operation): FeedOperations {
  const operations = ENDINGS.map((ending) => [ending, make(ending)] as const);
  return Object.fromEntries(operations) as FeedOperations;
}

/** The answers of a feed, for the OpenAPI description; `problems` are the statuses of its errors. */
export function feedResponses<Status extends number>(ending: FeedEnding, ...problems: Status[]) {
  const [mediaType = ''] = FEED_FORMATS[ending].mediaType.split(';');
  const schema = ending === 'json' ? z.looseObject({}) : z.string();
  return {
    200: { description: 'The feed.', content: { [mediaType]: { schema } } },
    ...NOT_MODIFIED,
    ...problemResponses(...problems),
  };
}

/** A feed in the format of an ending, as what an operation loads. */
export function feedDocument(ending: FeedEnding, feed: Omit<Feed, 'updated'>) {
  const { mediaType, write } = FEED_FORMATS[ending];
  return { text: write({ ...feed, updated: lastChange(feed.entries) }), mediaType };
}

function lastChange(entries: readonly FeedEntry[]): Date {
  return new Date(Math.max(NEVER, ...entries.map(({ updated }) => updated.getTime())));
}
