import { z } from 'zod';
import { existingPath, filename, folderPrefix } from '../names.ts';
import { isInTrash, TRASH_DAYS, trashedAt } from '../trash-path.ts';

/** The most paths in one request. */
const MAX_PATHS = 1000;

/** A non-empty path: the root cannot be deleted, copied or moved. */
const namedPath = existingPath
  .refine((value) => value !== '', 'must not be empty')
  .meta({ minLength: 1, maxLength: 1024 });

/** The header that makes a request repeatable; other headers are not checked. */
export const repeatableHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .optional()
    .describe(
      'A value chosen by the client, such as a UUID: for a day, the same request with the same key has the same outcome.',
    ),
});

const trash = z
  .boolean()
  .optional()
  .describe(
    `true: keep it in the trash for ${TRASH_DAYS} days, from which "restore" brings it back; otherwise it is gone for good.`,
  );

/** What is in the trash can only be deleted for good. */
function isOutside(trash: boolean | undefined, paths: readonly string[]): boolean {
  return !trash || !paths.some(isInTrash);
}

const IN_TRASH = 'is in the trash already; without "trash" it is deleted for good';

/** The body of a deletion. */
export const deleteBody = z.discriminatedUnion(
  'type',
  [
    z
      .strictObject({
        type: z.literal('image'),
        path: namedPath
          .refine((value) => !value.endsWith('/'), 'must be the key of a file, without "/" at the end')
          .meta({ pattern: '[^/]$' }),
        trash,
      })
      .refine((body) => isOutside(body.trash, [body.path]), { path: ['path'], error: IN_TRASH }),
    z
      .strictObject({ type: z.literal('folder'), path: namedPath.transform(folderPrefix), trash })
      .refine((body) => isOutside(body.trash, [body.path]), { path: ['path'], error: IN_TRASH }),
  ],
  'must have a type, image or folder',
);

/** The response to a deletion. */
export const deleteAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  deleted: z.int().describe('Number of objects deleted; 0 if there was nothing at the path.'),
});

const paths = z
  .array(namedPath, `must be a list of 1 to ${MAX_PATHS} paths`)
  .min(1, 'must contain at least one path')
  .max(MAX_PATHS, `must contain at most ${MAX_PATHS} paths`)
  .describe(
    'Keys of files, and folders; a path without a trailing "/" names a file if there is one, else a folder.',
  );

const background = z
  .boolean()
  .optional()
  .describe('true: answer 202 at once with a batch, which GET /api/gallery/batches/{id} follows.');

const names = z
  .array(z.strictObject({ path: namedPath, name: filename }))
  .max(MAX_PATHS)
  .optional()
  .describe('Other names at the destination for some of the paths, which are spelled as in paths.');

const transfer = {
  paths,
  background,
  dest: existingPath
    .transform(folderPrefix)
    .describe('The destination folder; everything keeps its own name. Empty for the root.'),
  names,
};

/** A name for a path that is not transferred would be lost in silence. */
function isForPaths({ paths, names = [] }: { paths: string[]; names?: { path: string }[] | undefined }) {
  const given = new Set(names.map(({ path }) => path));
  return given.size === names.length && [...given].every((path) => paths.includes(path));
}

const NAMES_RULE = {
  path: ['names'],
  error: 'must have at most one name for each path, and only for those in paths',
};

/** The body of a batch. */
export const batchBody = z.discriminatedUnion(
  'action',
  [
    z
      .strictObject({
        action: z.literal('delete'),
        paths,
        dest: existingPath.optional().describe('Not used.'),
        trash,
        background,
      })
      .refine((body) => isOutside(body.trash, body.paths), { path: ['paths'], error: IN_TRASH }),
    z
      .strictObject({
        action: z.literal('restore'),
        paths: paths.describe('As GET /api/gallery/trash lists them; each goes back to its place.'),
        background,
        names,
      })
      .refine(isForPaths, NAMES_RULE)
      .refine((body) => body.paths.every((path) => trashedAt(path) !== undefined), {
        path: ['paths'],
        error: 'must be paths as GET /api/gallery/trash lists them',
      }),
    z.strictObject({ action: z.literal('copy'), ...transfer }).refine(isForPaths, NAMES_RULE),
    z.strictObject({ action: z.literal('move'), ...transfer }).refine(isForPaths, NAMES_RULE),
  ],
  'must have an action: delete, restore, copy or move',
);

/** The response to a batch. */
export const batchAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  affected: z.int().describe('Number of objects deleted, restored, copied or moved.'),
});

/** The body of a renaming. */
export const renameBody = z.strictObject({
  path: namedPath.describe('The key of a file, or a folder, which is renamed with everything in it.'),
  name: filename.describe('The new name, in the same folder.'),
  background,
});

/** The response to a renaming. */
export const renameAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  affected: z.int().describe('Number of objects renamed.'),
  path: z.string().describe('The path with the new name; that of a folder ends with "/".'),
  undo: z
    .object({ path: z.string(), name: z.string() })
    .nullable()
    .describe(
      'The request that takes it back; null if something stayed behind or no new file may have the old name.',
    ),
});
