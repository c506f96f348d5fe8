import { idParameter, integerParameter } from '@pressroom/common/fields/parameters';
import { z } from 'zod';
import { articlePatchAnswer, articlePath, articlePut, revisedArticle } from '../articles/schema.ts';
import { cursorEnvelope, envelope } from '../envelope.ts';
import { keyMember } from '../written-by.ts';

const timestamp = z.iso.datetime({ offset: true });

const revision = z.object({
  revision: z.int().describe('1 is the article as it was created.'),
  created_at: timestamp,
  key: keyMember,
  changed: z
    .array(z.string())
    .nullable()
    .describe('The members that are other than in the revision before; null if that is not kept.'),
});

/** Query string of the list. */
export const revisionListQuery = z.strictObject({
  per_page: integerParameter(1, 100).default(20),
  cursor: integerParameter(1, 2 ** 31 - 1)
    .optional()
    .describe('`meta.next_cursor` of the page before.'),
});

/** Answer of the list. */
export const revisionListAnswer = cursorEnvelope(revision, z.int());

/** Path of one revision. */
export const revisionPath = articlePath.extend({ revision: idParameter() });

/** Answer of the detail. */
export const revisionAnswer = envelope(
  revision.extend({
    article: revisedArticle.describe(
      'As a PUT takes it, and `published_at`; of its tags and authors, the slugs of those that still exist.',
    ),
  }),
);

/** Body of a restore: members of the article that shall be other than in the revision. */
export const revisionRestore = articlePut.partial().nullish();

/** Answer of a restore. */
export const revisionRestoredAnswer = articlePatchAnswer;
