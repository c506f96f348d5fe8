import { z } from 'zod';
import { pageParameters, releaseName, timeAhead } from '../articles/schema.ts';
import { envelope, pagedEnvelope } from '../envelope.ts';

const timestamp = z.iso.datetime({ offset: true });

/** Body of `PUT`. */
export const releasePut = z.strictObject({
  publish_at: timeAhead.describe('When its articles are published; null: not decided yet.'),
});

const release = z.object({
  name: z.string(),
  publish_at: timestamp.nullable(),
  published_at: timestamp.nullable().describe('When it was published; null before.'),
  created_at: timestamp,
});

/** A release as clients see it. */
export type ShownRelease = z.infer<typeof release>;

/** Path of one release. */
export const releasePath = z.object({ name: releaseName });

/** Query string of the list. */
export const releaseListQuery = z.strictObject(pageParameters);

/** Answer of the list. */
export const releaseListAnswer = pagedEnvelope(z.array(release));

/** Answer of `PUT`. */
export const releaseAnswer = envelope(release);

/** Answer of the detail. */
export const releaseDetailAnswer = envelope(
  release.extend({
    articles: z
      .array(z.object({ id: z.int(), title: z.string(), slug: z.string() }))
      .describe('Those that will be published; none once they are.'),
  }),
);
