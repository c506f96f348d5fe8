import { operation } from '@pressroom/common/http/operation';
import type { BucketSource } from '../buckets/bucket.ts';
import { problemResponses } from '../problems.ts';
import type { CopyLimits } from './copy-request.ts';
import { deleteSources } from './delete-paths.ts';
import { objects } from './messages.ts';
import { batchAnswer, batchBody, deleteAnswer, deleteBody } from './schema.ts';
import { findSources } from './sources.ts';
import { type Transferred, transfer } from './transfer.ts';
import type { UnfinishedTransfers } from './unfinished.ts';

/** What deletions and batches need. */
export interface FileParts {
  buckets: BucketSource;
  unfinished: UnfinishedTransfers;
  limits: CopyLimits;
}

const TAGS = ['gallery'];
const PROBLEMS = problemResponses(400, 401, 403, 413, 415, 500, 503);

/** Deletions, and batches of deletions, copies and moves (`docs/spec/gallery-admin.md`, "Endpoints"). */
export function fileOperations(parts: FileParts) {
  return { remove: removeOperation(parts), batch: batchOperation(parts) };
}

function removeOperation({ buckets }: FileParts) {
  return operation({
    schema: {
      tags: TAGS,
      summary: 'Delete a file, or a folder with everything in it',
      body: deleteBody,
      response: { 200: deleteAnswer, ...PROBLEMS },
    },
    handler: async ({ body }) => {
      const bucket = await buckets.current();
      const { sources } = await findSources(bucket, [body.path]);
      // A file that is not there does not make the folder of its name one.
      const kind = body.type === 'image' ? 'object' : 'folder';
      const deleted = await deleteSources(
        bucket,
        sources.filter((source) => source.kind === kind),
      );
      return { success: true as const, message: `${objects(deleted)} deleted`, deleted };
    },
  });
}

function batchOperation({ buckets, unfinished, limits }: FileParts) {
  return operation({
    schema: {
      tags: TAGS,
      summary: 'Delete, copy or move files and folders',
      description:
        'Everything is checked before anything is changed. A request that was interrupted can be sent again: it' +
        ' finishes what it began.',
      body: batchBody,
      response: { 200: batchAnswer, ...PROBLEMS },
    },
    handler: async ({ body }) => {
      const bucket = await buckets.current();
      if (body.action === 'delete') {
        const { sources } = await findSources(bucket, body.paths);
        const affected = await deleteSources(bucket, sources);
        return { success: true as const, message: `${objects(affected)} deleted`, affected };
      }
      const done = await transfer({ bucket, unfinished, limits }, body);
      return { success: true as const, message: messageOf(body.action, done), affected: done.affected };
    },
  });
}

function messageOf(action: 'copy' | 'move', { affected, stayed }: Transferred): string {
  const message = `${objects(affected)} ${action === 'copy' ? 'copied' : 'moved'}`;
  if (stayed === 0) return message;
  return `${message}; ${objects(stayed)} arrived or changed at the source meanwhile and stay there`;
}
