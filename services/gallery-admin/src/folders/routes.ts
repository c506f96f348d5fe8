import { operation } from '@pressroom/common/http/operation';
import type { BucketSource } from '../buckets/bucket.ts';
import type { OriginalDates } from '../listing/original-dates.ts';
import { problemResponses } from '../problems.ts';
import { logWrite } from '../writing.ts';
import { folderAnswer, folderBody, lookUpAnswer, lookUpBody } from './schema.ts';
import { createFolder, lookUpPaths } from './store.ts';

const TAGS = ['gallery'];
const PROBLEMS = problemResponses(400, 401, 403, 413, 415, 500, 503);

/** New folders, and which names are taken: additions to `docs/spec/gallery-admin.md`, "Endpoints". */
export function folderOperations(buckets: BucketSource, dates: OriginalDates) {
  return { create: createOperation(buckets), lookUp: lookUpOperation(buckets, dates) };
}

function createOperation(buckets: BucketSource) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'createFolder',
      summary: 'Create an empty folder',
      description:
        'Stores a folder marker. A folder that exists stays as it is, so the request can be repeated.',
      body: folderBody,
      response: { 200: folderAnswer, ...PROBLEMS },
    },
    handler: async (request) => {
      const { path } = request.body;
      const created = await createFolder(await buckets.current(), path);
      if (created) logWrite(request, 'folder_created', { path });
      const message = created ? 'folder created' : 'the folder existed';
      return { success: true as const, message, created, path };
    },
  });
}

function lookUpOperation(buckets: BucketSource, dates: OriginalDates) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'lookUpPaths',
      summary: 'Find out which of up to 1,000 names are taken',
      description: 'Says for each path whether a file or a folder has it. Nothing is changed or reserved.',
      body: lookUpBody,
      response: { 200: lookUpAnswer, ...PROBLEMS },
    },
    handler: async ({ body: { paths } }) => {
      return { success: true as const, data: await lookUpPaths(await buckets.current(), paths, dates) };
    },
  });
}
