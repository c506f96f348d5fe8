import { anyText } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { Problem } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  contentType,
  filename,
  folderPath,
  isKeyLength,
  MAX_KEY_BYTES,
  NEW_KEY_PATTERN,
  objectKey,
  TRASH_DAYS,
} from './names.ts';
import type { Role } from './people/people-store.ts';
import { logWrite, problemResponses } from './problems.ts';
import {
  DEFAULT_PART_SIZE,
  MAX_PART_SIZE,
  MAX_PARTS,
  MAX_SIZE,
  MIN_PART_SIZE,
  type Uploads,
} from './uploads-store.ts';

const named = { filename, path: folderPath, contentType };

const KEY_TOO_LONG = {
  message: `path and filename together must be at most ${MAX_KEY_BYTES} bytes of UTF-8`,
  path: ['path'],
};

function isShort({ path, filename: name }: { path: string; filename: string }): boolean {
  return isKeyLength(path + name);
}

function wholeNumber(min: number, max: number, unit = '') {
  const expected = `must be a whole number from ${min} to ${max}${unit}`;
  return z.int(expected).min(min, expected).max(max, expected);
}

const trash = z
  .boolean()
  .optional()
  .describe(
    `true: what the upload replaces is kept in the trash for ${TRASH_DAYS} days. It is copied there before the answer,` +
      ' and where the store can, nothing that comes after that is replaced: send the headers of the answer, and ask' +
      ' again after 409 or 412.',
  );

/** The body of `POST /api/upload`. */
const uploadBody = z.strictObject({ ...named, trash }).refine(isShort, KEY_TOO_LONG);

/** A file that is about to be uploaded; `path` is the folder's prefix. */
export type Upload = z.infer<typeof uploadBody>;

/** The answer of `POST /api/upload`. */
const uploadAnswer = z.object({
  success: z.literal(true),
  url: z.string(),
  key: z.string(),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('With "trash": send exactly these headers with the request.'),
});

const uploadId = anyText().min(1, 'must not be empty').max(1024, 'must be at most 1024 characters long');

const session = { uploadId, key: objectKey };

const partNumber = wholeNumber(1, MAX_PARTS);

const etag = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(255, 'must be at most 255 characters long');

const parts = z
  .array(z.strictObject({ partNumber, etag }), 'must be a list of parts')
  .min(1, 'must contain at least one part')
  .max(MAX_PARTS, `must contain at most ${MAX_PARTS} parts`)
  .refine(areDistinct, 'must contain each partNumber only once');

function areDistinct(list: { partNumber: number }[]): boolean {
  return new Set(list.map((part) => part.partNumber)).size === list.length;
}

const create = z
  .strictObject({
    action: z.literal('create'),
    ...named,
    size: wholeNumber(1, MAX_SIZE, ' (bytes)'),
    partSize: wholeNumber(MIN_PART_SIZE, MAX_PART_SIZE, ' (bytes)').default(DEFAULT_PART_SIZE),
  })
  .refine(isShort, KEY_TOO_LONG);

export type MultipartUpload = z.infer<typeof create>;

const complete = z.strictObject({ action: z.literal('complete'), ...session, parts, trash });

export type Completion = z.infer<typeof complete>;

/** The body of `POST /api/upload/multipart`. */
const multipartAction = z.discriminatedUnion(
  'action',
  [
    create,
    z.strictObject({ action: z.literal('sign-part'), ...session, partNumber }),
    z.strictObject({ action: z.literal('list-parts'), ...session }),
    complete,
    z.strictObject({ action: z.literal('abort'), ...session }),
  ],
  'must be create, sign-part, complete, abort or list-parts',
);

/** A requested action on a multipart upload. */
type MultipartAction = z.infer<typeof multipartAction>;

export type MultipartSession = z.infer<z.ZodObject<typeof session>>;

/** An uploaded part; `size` in bytes, `lastModified` in UTC. */
const uploadedPart = z.object({
  partNumber: z.int(),
  etag: z.string(),
  size: z.int(),
  lastModified: z.string(),
});

export type UploadedPart = z.infer<typeof uploadedPart>;

const multipartData = z.union([
  z.object({ uploadId: z.string(), key: z.string(), partSize: z.int(), partCount: z.int() }),
  z.object({ url: z.string(), partNumber: z.int(), expiresIn: z.int() }),
  z.object({ key: z.string(), etag: z.string(), size: z.int() }),
  z.object({ parts: z.array(uploadedPart) }),
  z.object({}),
]);

/** The answers of the actions, most specific first: create, sign-part, complete, list-parts, abort. */
type MultipartData = z.infer<typeof multipartData>;

/** The answer of `POST /api/upload/multipart`. */
const multipartAnswer = z.object({ success: z.literal(true), data: multipartData });

/** The key of an uploaded file: a folder's prefix and a filename, each checked by its own rule, joined. */
export const newKey = anyText()
  .meta({ minLength: 1, maxLength: MAX_KEY_BYTES, pattern: NEW_KEY_PATTERN })
  .transform((value, context) => {
    const cut = value.lastIndexOf('/') + 1;
    const folder = folderPath.safeParse(value.slice(0, cut));
    const name = filename.safeParse(value.slice(cut));
    const fault = folder.error?.issues[0] ?? name.error?.issues[0];
    const key = `${folder.data ?? ''}${name.data ?? ''}`;
    if (fault === undefined && isKeyLength(key)) return key;
    context.addIssue(fault?.message ?? `must be 1 to ${MAX_KEY_BYTES} bytes of UTF-8`);
    return z.NEVER;
  });

const ofUpload = { key: newKey, uploadId };

/**
 * The body of `POST /api/upload/sign`: one of the requests that Uppy 6 sends to upload to a key. An object is
 * never read or deleted: GET and DELETE need an upload id.
 */
const uploadRequest = z.union(
  [
    z.strictObject({ method: z.literal('PUT'), key: newKey, contentType, trash }).describe('The whole file.'),
    z
      .strictObject({ method: z.literal('POST'), key: newKey, contentType: contentType.optional() })
      .describe('Create a multipart upload.'),
    z.strictObject({ method: z.literal('PUT'), ...ofUpload, partNumber }).describe('A part.'),
    z.strictObject({ method: z.literal('GET'), ...ofUpload }).describe('List the uploaded parts.'),
    z.strictObject({ method: z.literal('POST'), ...ofUpload, trash }).describe('Complete the upload.'),
    z.strictObject({ method: z.literal('DELETE'), ...ofUpload }).describe('Abort the upload.'),
  ],
  'must be an upload request: PUT with contentType, POST, or, with uploadId, PUT (with partNumber), GET, POST or DELETE;' +
    ' key must be a folder and a filename without an empty, "." or ".." segment, "\\", control characters or' +
    ' characters that cannot be seen',
);

/** An upload request that a browser is about to send to the store. */
export type UploadRequest = z.infer<typeof uploadRequest>;

/** The answer of `POST /api/upload/sign`, which Uppy's `signRequest` may return as it is. */
const signedRequestAnswer = z.object({
  success: z.literal(true),
  url: z.string(),
  key: z.string().describe('The key in its composed form (NFC); use it in the following requests.'),
  headers: z.record(z.string(), z.string()).describe('Send exactly these headers with the request.'),
});

const TAGS = ['uploads'];

/** Uploads from the browser straight to the bucket (`docs/spec/wire.md`, "Upload" and "Multipart"). */
export function uploadOperations(uploads: Uploads, mayReplace: (role: Role) => boolean) {
  const requireTrash = ({ person }: FastifyRequest, trash: boolean | undefined) => {
    if (trash === true || mayReplace(person.role)) return;
    const detail = `the role ${person.role} may replace files only with "trash": true, which keeps them`;
    throw new Problem(403, 'role_forbids', detail);
  };
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
      requireTrash(request, request.body.trash);
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
      const { body } = request;
      const isWhole = body.method === 'PUT' && 'contentType' in body;
      if (isWhole || (body.method === 'POST' && 'uploadId' in body)) requireTrash(request, body.trash);
      const signed = await uploads.signRequest(body);
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
    handler: async (request) => {
      if (request.body.action === 'complete') requireTrash(request, request.body.trash);
      return { success: true as const, data: await act(request, request.body, uploads) };
    },
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
