import { z } from 'zod';
import { folderPath, objectKey } from '../names.ts';

/** The most paths in one look-up. */
const MAX_PATHS = 1000;

/** The body of a request for a new folder. */
export const folderBody = z.strictObject({
  path: folderPath
    .refine((value) => value !== '', 'must not be empty: the root always exists')
    .meta({ minLength: 1, maxLength: 1024 })
    .describe('The folder, with or without "/" at its end. Folders around it need not exist.'),
});

/** The response to a request for a new folder. */
export const folderAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  created: z.boolean().describe('False if the folder existed.'),
  path: z.string().describe('The folder as a prefix, ending with "/".'),
});

/** The body of a look-up. */
export const lookUpBody = z.strictObject({
  paths: z
    .array(objectKey, `must be a list of 1 to ${MAX_PATHS} paths`)
    .min(1, 'must contain at least one path')
    .max(MAX_PATHS, `must contain at most ${MAX_PATHS} paths`)
    .describe('Keys of files, and folders, such as the keys that an upload is about to have.'),
});

/** What one path names. */
const lookedUp = z.object({
  path: z.string().describe('As sent.'),
  file: z
    .object({
      size: z.int().describe('In bytes.'),
      lastModified: z.string().describe('RFC 3339, UTC: as in the listing.'),
      etag: z.string().describe('Changes with the content; without quotes.'),
    })
    .nullable()
    .describe('The file at the path; null if there is none.'),
  folder: z.boolean().describe('True if a folder with this name exists.'),
});

/** What a path names: a file, a folder, both or neither. */
export type LookedUp = z.infer<typeof lookedUp>;

/** The response to a look-up. */
export const lookUpAnswer = z.object({
  success: z.literal(true),
  data: z.array(lookedUp).describe('One entry per path, in the order of the request.'),
});
