import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '../problems.ts';
import { logWrite } from '../writing.ts';
import type { Articles } from './articles.ts';
import { moveUsesAnswer, moveUsesBody, usesAnswer, usesBody } from './schema.ts';

const TAGS = ['gallery'];

/** Which articles show a file, and new addresses in them: additions to `docs/spec/gallery-admin.md`. */
export function usesOperations(articles: Articles) {
  return { read: readOperation(articles), move: moveOperation(articles) };
}

function readOperation(articles: Articles) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'readUses',
      summary: 'Find the articles that show or link to files',
      description: 'Asks the content service of `CONTENT_URL` for addresses below `/media/`.',
      body: usesBody,
      response: { 200: usesAnswer, ...problemResponses(400, 401, 403, 413, 415, 500, 503) },
    },
    handler: async ({ body: { paths } }) => {
      return { success: true as const, data: await articles.showing(paths) };
    },
  });
}

function moveOperation(articles: Articles) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'moveUses',
      summary: 'Change the addresses of a moved or renamed file in articles',
      description: 'With `DESK_KEY`, in the name of who is logged in. The request can be repeated.',
      body: moveUsesBody,
      response: { 200: moveUsesAnswer, ...problemResponses(400, 401, 403, 409, 413, 415, 500, 503) },
    },
    handler: async (request) => {
      const { from, to } = request.body;
      const data = await articles.move(from, to);
      logWrite(request, 'article_addresses_changed', {
        from,
        to,
        changed: data.changed,
        failed: data.failed.length,
      });
      return { success: true as const, data };
    },
  });
}
