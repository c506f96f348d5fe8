import { integerParameter } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import { address, illustrationShape, linksSchema, timestamp } from '../items/representation.ts';
import { cursorParameter, pageSchema } from '../items/schema.ts';
import type { Site } from '../site.ts';
import { body } from '../wire.ts';

const STATUSES = ['active', 'settled'] as const;

/** The longest `publicId`, in characters (`docs/spec/news-feed.md`, "Limits"). */
const MAX_PUBLIC_ID = 128;

/** Path of one story. */
export const storyPath = z.object({
  publicId: z
    .string()
    .min(1)
    .refine((value) => value.length <= MAX_PUBLIC_ID, `must be at most ${MAX_PUBLIC_ID} characters long`)
    .meta({ maxLength: MAX_PUBLIC_ID }),
});

/** That of the newest report that has a picture; the language only if all its reports have the same. */
const storyIllustration = {
  image: illustrationShape.image.describe('That of the newest report that has one.'),
  language: z.string().optional().describe('The language of all its reports that say one (BCP 47).'),
};

function neighborSchema(site: Site) {
  return z.object({
    publicId: z.string(),
    title: z.string(),
    relation: z.string(),
    links: linksSchema(site, {
      api: z
        .string()
        .meta({ format: 'uri-reference' })
        .describe(
          'The story in this API. Absolute if the service knows its own address (from `SITE_API_URL` or a trusted proxy).',
        ),
    }),
  });
}

function reportSchema(site: Site) {
  return z.object({
    id: z.string(),
    title: z.string(),
    summary: z.string().nullable(),
    source: z.object({ name: z.string(), firstParty: z.boolean() }),
    publishedAt: timestamp,
    links: linksSchema(site, { original: address.optional() }),
    ...illustrationShape,
  });
}

/** Query string of the stories. */
export const storiesQuery = z.strictObject({
  status: z.enum(STATUSES, 'must be active or settled').optional(),
  limit: integerParameter(1, 100).default(50),
  cursor: cursorParameter,
});

/** A query of the stories. */
export type StoriesQuery = z.infer<typeof storiesQuery>;

/** Answer of the stories. */
export function storiesAnswer(site: Site) {
  return body({
    items: z.array(
      z.object({
        publicId: z.string(),
        title: z.string(),
        status: z.enum(STATUSES),
        reportCount: z.int(),
        latestAt: timestamp,
        latest: z.string().describe('The title of the newest report.'),
        digest: z.string().nullable(),
        links: linksSchema(site, {}),
      }),
    ),
    page: pageSchema,
  });
}

/** Answer of a story. */
export function storyAnswer(site: Site) {
  return body({
    story: z.object({
      publicId: z.string(),
      title: z.string(),
      status: z.enum(STATUSES),
      sourceCount: z.int(),
      reportCount: z.int(),
      firstReportAt: timestamp,
      latestAt: timestamp,
      latest: z.string().describe('The title of the newest report.'),
      digest: z.string().nullable(),
      digestUpdatedAt: timestamp.nullable(),
      ...storyIllustration,
      links: linksSchema(site, {}),
      reports: z.array(reportSchema(site)).describe('Newest first.'),
      storyline: z.array(neighborSchema(site)),
      related: z.array(neighborSchema(site)),
    }),
  });
}
