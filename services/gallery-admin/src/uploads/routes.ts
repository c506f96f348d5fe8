import { operation } from '@pressroom/common/http/operation';
import type { FastifyRequest } from 'fastify';
import { problemResponses } from '../problems.ts';
import { logWrite } from '../writing.ts';
import {
  type MultipartAction,
  type MultipartData,
  multipartAction,
  multipartAnswer,
  signedRequestAnswer,
  uploadAnswer,
  uploadBody,
  uploadRequest,
} from './schema.ts';
import type { Uploads } from './uploads.ts';

const TAGS = ['uploads'];

/** Uploads from the browser straight to the bucket (`docs/spec/wire.md`, "Upload" and "Multipart"). */
export function uploadOperations(uploads: Uploads) {
  const sign = operation({
    schema: {
      tags: TAGS,
      operationId: 'createUpload',
      summary: 'Get a URL to upload a file to',
      description: 'PUT the file to the URL within 15 minutes, with the Content-Type given here.',
      body: uploadBody,
      response: { 200: uploadAnswer, ...problemResponses(400, 401, 403, 413, 415, 500, 503) },
    },
    handler: async (request) => {
      const signed = await uploads.sign(request.body);
      logWrite(request, 'upload_signed', { key: signed.key });
      return { success: true as const, ...signed };
    },
  });
  const signRequest = operation({
    schema: {
      tags: TAGS,
      operationId: 'signUploadRequest',
      summary: 'Presign one S3 request of an upload, for pages that talk to the store themselves',
      description:
        'For signRequest of Uppy 6. Only the requests of an upload are signed: PUT the file; create a multipart upload, list' +
        ' its parts, complete or abort it, and PUT a part. Valid for 15 minutes.',
      body: uploadRequest,
      response: { 200: signedRequestAnswer, ...problemResponses(400, 401, 403, 413, 415, 500, 503) },
    },
    handler: async (request) => {
      const signed = await uploads.signRequest(request.body);
      if (!('uploadId' in request.body)) logWrite(request, 'upload_signed', { key: signed.key });
      return { success: true as const, ...signed };
    },
  });
  const multipart = operation({
    schema: {
      tags: TAGS,
      operationId: 'controlMultipartUpload',
      summary: 'Upload a large file in parts',
      description:
        'create, then sign-part and PUT each part, then complete with the ETag of each part; or abort. ' +
        'list-parts returns the uploaded parts, so that an upload can be resumed.',
      body: multipartAction,
      response: { 200: multipartAnswer, ...problemResponses(400, 401, 403, 404, 413, 415, 500, 503) },
    },
    handler: async (request) => ({ success: true as const, data: await act(request, request.body, uploads) }),
  });
  return { sign, signRequest, multipart };
}

async function act(request: FastifyRequest, body: MultipartAction, uploads: Uploads): Promise<MultipartData> {
  switch (body.action) {
    case 'create': {
      const created = await uploads.create(body);
      logWrite(request, 'upload_created', { key: created.key });
      return created;
    }
    case 'sign-part':
      return uploads.signPart(body, body.partNumber);
    case 'list-parts':
      return { parts: await uploads.listParts(body) };
    case 'complete': {
      const completed = await uploads.complete(body);
      logWrite(request, 'upload_completed', completed);
      return completed;
    }
    case 'abort':
      await uploads.abort(body);
      logWrite(request, 'upload_aborted', { key: body.key });
      return {};
  }
}
