import { z } from 'zod';
import { articlePut } from '../articles/schema.ts';
import { envelope } from '../envelope.ts';
import { keyMember } from '../written-by.ts';

/** Body of a PUT: that of a PATCH of the article, but whether and when it is published. */
export const workingCopyPut = articlePut
  .omit({ is_published: true, publish_at: true, unpublish_at: true, release: true })
  .partial()
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have at least one member',
    params: { code: 'required' },
  })
  .meta({ minProperties: 1 });

/** What a working copy changes. */
export type WorkingChanges = z.infer<typeof workingCopyPut>;

/** Answer of GET and PUT. */
export const workingCopyAnswer = envelope(
  z.object({
    revision: z.int().describe('The revision of the article that it is meant to change.'),
    is_current: z.boolean().describe('Whether that is what readers see; else the article has changed since.'),
    saved_at: z.iso.datetime({ offset: true }),
    key: keyMember,
    changes: z.looseObject({}).describe('The members that it changes, as they were sent.'),
  }),
);
