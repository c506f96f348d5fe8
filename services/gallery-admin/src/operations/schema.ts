import { z } from 'zod';
import { existingPath, folderPrefix } from '../names.ts';

/** The most paths in one request. */
const MAX_PATHS = 1000;

/** A path that names something: the root can be neither deleted, copied nor moved. */
const namedPath = existingPath
  .refine((value) => value !== '', 'must not be empty')
  .meta({ minLength: 1, maxLength: 1024 });

/** The header that makes a request repeatable; the others pass. */
export const repeatableHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .optional()
    .describe(
      "Of the client's own choice, such as a UUID: the same request with it has the same outcome, for a day.",
    ),
});

/** The body of a deletion. */
export const deleteBody = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('image'),
      path: namedPath
        .refine((value) => !value.endsWith('/'), 'must be the key of a file, without "/" at the end')
        .meta({ pattern: '[^/]$' }),
    }),
    z.strictObject({ type: z.literal('folder'), path: namedPath.transform(folderPrefix) }),
  ],
  'must have a type, image or folder',
);

/** What a deletion answers. */
export const deleteAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  deleted: z.int().describe('Objects that are gone; 0 when there was nothing at the path.'),
});

const paths = z
  .array(namedPath, `must be a list of 1 to ${MAX_PATHS} paths`)
  .min(1, 'must hold at least one path')
  .max(MAX_PATHS, `must hold at most ${MAX_PATHS} paths`)
  .describe('Keys of files, and folders; a path without "/" at the end is a file where there is one.');

const transfer = {
  paths,
  dest: existingPath
    .transform(folderPrefix)
    .describe('The folder that everything goes into, each under its own name; empty for the root.'),
};

/** The body of a batch. */
export const batchBody = z.discriminatedUnion(
  'action',
  [
    z.strictObject({
      action: z.literal('delete'),
      paths,
      dest: existingPath.optional().describe('Not used.'),
    }),
    z.strictObject({ action: z.literal('copy'), ...transfer }),
    z.strictObject({ action: z.literal('move'), ...transfer }),
  ],
  'must have an action: delete, copy or move',
);

/** What a batch answers. */
export const batchAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  affected: z.int().describe('Objects that were deleted, copied or moved.'),
});
