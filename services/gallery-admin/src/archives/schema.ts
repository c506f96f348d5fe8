import { z } from 'zod';
import { existingPath } from '../names.ts';

/** The most paths in one archive. */
const MAX_PATHS = 10_000;

/** The body of a request for an archive. */
export const archiveBody = z.strictObject({
  paths: z
    .array(
      existingPath
        .refine((value) => value !== '', 'must not be empty')
        .meta({ minLength: 1, maxLength: 1024 }),
      `must be a list of 1 to ${MAX_PATHS} paths`,
    )
    .min(1, 'must contain at least one path')
    .max(MAX_PATHS, `must contain at most ${MAX_PATHS} paths`)
    .describe('Keys of files, and folders with everything in them.'),
});

/** The response to a request for an archive. */
export const archiveAnswer = z.object({
  success: z.literal(true),
  data: z.object({
    id: z.uuid().describe('For an hour, GET /api/gallery/archives/{id} downloads the archive.'),
    files: z.int().describe('The number of files in it.'),
    size: z.int().describe('In bytes.'),
  }),
});

/** The path of an archive. */
export const archivePath = z.strictObject({ id: z.uuid('must be the id of an archive') });

/** An archive. */
export const archiveFile = {
  description: 'The archive, as it is read from the store.',
  content: { 'application/zip': { schema: z.string().meta({ format: 'binary' }) } },
};
