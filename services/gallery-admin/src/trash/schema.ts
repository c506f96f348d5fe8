import { integerParameter } from '@pressroom/common/fields/parameters';
import { z } from 'zod';
import { fileEntry, folderEntry } from '../listing/schema.ts';
import { isKeyLength } from '../names.ts';
import { isInTrash, TRASH_DAYS } from '../trash-path.ts';

/** Reads the cursor of a page, which is the last path of the page before. */
function cursor() {
  return z
    .string('must be given once')
    .regex(/^[\w-]{1,2000}$/, 'must be the continuationToken of a page of the trash')
    .transform((token, context) => {
      const path = Buffer.from(token, 'base64url').toString();
      if (isInTrash(path) && isKeyLength(path) && !path.includes('\0')) return path;
      context.addIssue('must be the continuationToken of a page of the trash');
      return z.NEVER;
    });
}

/** The query string of the trash. */
export const trashQuery = z.strictObject({
  continuationToken: cursor().optional().describe('The continuationToken of the previous page.'),
  maxKeys: integerParameter(1, 1000).default(1000).describe('The most folders and files in a page.'),
});

/** Which page of the trash is wanted. */
export type TrashQuery = z.infer<typeof trashQuery>;

const deletion = {
  original: z.string().describe('The path before the deletion, to which a restoration brings it back.'),
  deletedAt: z.string().describe('RFC 3339, UTC.'),
  expiresAt: z.string().describe(`RFC 3339, UTC: ${TRASH_DAYS} days later, when it is removed for good.`),
};

const trashedFolder = folderEntry.extend(deletion);
const trashedFile = fileEntry.extend(deletion);

const trashPage = z.object({
  folders: z.array(trashedFolder).describe('Folders that were deleted as a whole.'),
  files: z.array(trashedFile),
  continuationToken: z.string().nullable().describe('Cursor of the next page.'),
});

/** A page of the trash, the oldest deletions first. */
export type TrashPage = z.infer<typeof trashPage>;

/** The response of the trash. */
export const trashAnswer = z.object({ success: z.literal(true), data: trashPage });
