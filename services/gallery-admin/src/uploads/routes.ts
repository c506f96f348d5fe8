import type { Server } from '@pressroom/common/http/server';
import { problemResponses } from '../problems.ts';
import { SESSION_SECURITY } from '../session/routes.ts';
import {
  type MultipartAction,
  type MultipartData,
  multipartAction,
  multipartAnswer,
  uploadAnswer,
  uploadBody,
} from './schema.ts';
import type { Uploads } from './store.ts';

const TAGS = ['uploads'];

/** `/api/upload` and `/api/upload/multipart`: files go from the browser straight to the bucket. */
export function addUploadRoutes(app: Server, uploads: Uploads): void {
  app.post(
    '/api/upload',
    {
      schema: {
        tags: TAGS,
        summary: 'Get a URL to upload a file to',
        description: 'PUT the file to the URL within 15 minutes, with the Content-Type that was announced.',
        security: SESSION_SECURITY,
        body: uploadBody,
        response: { 200: uploadAnswer, ...problemResponses(400, 401, 403, 413, 415, 500, 503) },
      },
    },
    async (request) => ({ success: true as const, ...(await uploads.sign(request.body)) }),
  );
  app.post(
    '/api/upload/multipart',
    {
      schema: {
        tags: TAGS,
        summary: 'Upload a large file in parts',
        description:
          'create, then sign-part and PUT each part, then complete with the ETag of each part; or abort. ' +
          'list-parts tells what has arrived, so that an upload can be resumed.',
        security: SESSION_SECURITY,
        body: multipartAction,
        response: { 200: multipartAnswer, ...problemResponses(400, 401, 403, 404, 413, 415, 500, 503) },
      },
    },
    async (request) => ({ success: true as const, data: await act(request.body, uploads) }),
  );
}

async function act(body: MultipartAction, uploads: Uploads): Promise<MultipartData> {
  switch (body.action) {
    case 'create':
      return uploads.create(body);
    case 'sign-part':
      return uploads.signPart(body, body.partNumber);
    case 'list-parts':
      return { parts: await uploads.listParts(body) };
    case 'complete':
      return uploads.complete(body);
    case 'abort':
      await uploads.abort(body);
      return {};
  }
}
