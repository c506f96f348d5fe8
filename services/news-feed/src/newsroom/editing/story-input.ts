import { requiredText, text } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import { MAX_TEXT, MAX_TITLE, storyId } from './fields.ts';

const reference = z.strictObject({ publicId: storyId, relation: requiredText(200) });

/** The schema of a story's values; an absent member keeps its value. */
export const storyInput = z.strictObject({
  publicId: storyId,
  title: requiredText(MAX_TITLE),
  status: z.enum(['active', 'settled'], 'must be active or settled').optional(),
  digest: text(MAX_TEXT).nullable().optional(),
  storyline: z.array(reference).max(100).optional(),
  related: z.array(reference).max(100).optional(),
});

/** The values of a story. */
export type StoryInput = z.infer<typeof storyInput>;
