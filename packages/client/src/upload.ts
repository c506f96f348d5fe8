import { DEFAULT_RETRY, type RetryPolicy, withRetries } from './api-client.ts';
import { ConnectionError, isProblem } from './problem.ts';
import type { GalleryClient } from './services.ts';

/** An upload in parts that has begun. */
export interface BegunUpload {
  uploadId: string;
  key: string;
  /** In bytes. */
  partSize: number;
}

/**
 * Remembers begun uploads, so that a later run of the program resumes them: `localStorage`, a file, a `Map`.
 *
 * @public part of the client's interface, which `knip` cannot see
 */
export interface UploadMemory {
  get(id: string): BegunUpload | undefined | Promise<BegunUpload | undefined>;
  set(id: string, upload: BegunUpload): unknown;
  delete(id: string): unknown;
}

export interface UploadOptions {
  /** The folder; empty for the root. */
  path: string;
  filename: string;
  /** `application/octet-stream` if absent and the file does not say. */
  contentType?: string;
  /**
   * Remembers uploads in parts. Without it, a program that ends starts the file again. Files are recognized
   * by folder, name and size, so give `version` too if their content changes.
   */
  memory?: UploadMemory;
  /** Tells apart versions of a file with the same name and size, such as its `lastModified`. */
  version?: string | number;
  /** Files of this many bytes and more go in parts; 64 MiB if absent. */
  partsFrom?: number;
  /** In bytes; the service's own choice if absent. */
  partSize?: number;
  /** Parts on their way at a time; 3 if absent. */
  concurrency?: number;
  /** Keeps the file that is replaced, also by somebody else at the same time, in the trash. */
  trash?: boolean;
  /** Called with the number of bytes that have arrived. */
  onProgress?: (arrived: number, size: number) => void;
  signal?: AbortSignal;
  /** Changes how requests to the store are repeated. */
  retry?: Partial<RetryPolicy>;
  /** Sends the bytes to the store; the platform's own `fetch` if absent. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** From how many bytes on a file goes in parts. */
const PARTS_FROM = 64 * 2 ** 20;

interface Upload extends UploadOptions {
  client: GalleryClient;
  file: Blob;
  contentType: string;
}

/** Thrown when the object store refuses bytes; `status` is that of its answer. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly status: number;

  constructor(status: number) {
    super(`the object store answered ${status} to the upload`);
    this.status = status;
  }
}

/**
 * Uploads a file straight to the object store, and resolves to its key. A large file goes in parts: what has
 * arrived is kept when the connection breaks, and `memory` lets a later run continue where this one ended. An
 * existing file is replaced, and lost unless `trash` is given.
 */
export async function uploadFile(client: GalleryClient, file: Blob, options: UploadOptions): Promise<string> {
  const contentType = options.contentType || file.type || 'application/octet-stream';
  const upload: Upload = { ...options, client, file, contentType };
  return file.size < (options.partsFrom ?? PARTS_FROM) ? uploadWhole(upload) : uploadInParts(upload);
}

async function uploadWhole(upload: Upload): Promise<string> {
  const { client, file, contentType, path, filename, trash, signal, onProgress } = upload;
  const body = { filename, path, contentType, ...(trash && { trash }) };
  return attempt(upload, async () => {
    // Signed again for each attempt: a URL is valid for 15 minutes.
    const signed = await client.post('/api/upload', { body, ...(signal && { signal }) });
    const { url, key, headers = { 'content-type': contentType } } = signed;
    await putBytes(upload, url, file, headers);
    onProgress?.(file.size, file.size);
    return key;
  });
}

async function uploadInParts(upload: Upload): Promise<string> {
  const { memory, path, filename, file, version } = upload;
  const id = JSON.stringify([path, filename, file.size, version]);
  const known = await memory?.get(id);
  if (known !== undefined) {
    try {
      return await finish(upload, id, known);
    } catch (error) {
      // The store has forgotten it, or somebody has cancelled it.
      if (!isProblem(error, 'upload_not_found')) throw error;
      await memory?.delete(id);
    }
  }
  const begun = await begin(upload);
  await memory?.set(id, begun);
  return finish(upload, id, begun);
}

async function begin({
  client,
  path,
  filename,
  contentType,
  file,
  partSize,
  signal,
}: Upload): Promise<BegunUpload> {
  const { data } = await client.post('/api/upload/multipart', {
    body: {
      action: 'create',
      filename,
      path,
      contentType,
      size: file.size,
      ...(partSize !== undefined && { partSize }),
    },
    ...(signal && { signal }),
  });
  if (!('partCount' in data)) throw new Error('the service did not create an upload');
  const { uploadId, key, partSize: size } = data;
  return { uploadId, key, partSize: size };
}

/** Sends the parts that have not arrived, and assembles the file. */
async function finish(upload: Upload, id: string, begun: BegunUpload): Promise<string> {
  const { client, file, memory, trash, onProgress, signal, concurrency = 3 } = upload;
  const { uploadId, key, partSize } = begun;
  const ranges = Array.from({ length: Math.ceil(file.size / partSize) }, (_, index) => ({
    partNumber: index + 1,
    bytes: file.slice(index * partSize, (index + 1) * partSize),
  }));
  const arrived = new Map((await listParts(upload, begun)).map((part) => [part.partNumber, part.size]));
  const missing = ranges.filter(({ partNumber, bytes }) => arrived.get(partNumber) !== bytes.size);
  let sent = file.size - missing.reduce((sum, { bytes }) => sum + bytes.size, 0);
  onProgress?.(sent, file.size);
  const queue = [...missing];
  const sendParts = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { partNumber, bytes } = next;
      await attempt(upload, () => sendPart(upload, begun, partNumber, bytes)).catch((error: unknown) => {
        queue.length = 0;
        throw error;
      });
      sent += bytes.size;
      onProgress?.(sent, file.size);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendParts));
  // The store says what has arrived: a page may not be allowed to read the ETag of its own request.
  const parts = (await listParts(upload, begun)).map(({ partNumber, etag }) => ({ partNumber, etag }));
  await attempt(upload, () =>
    client.post('/api/upload/multipart', {
      body: { action: 'complete', uploadId, key, parts, ...(trash && { trash }) },
      ...(signal && { signal }),
    }),
  );
  await memory?.delete(id);
  return key;
}

async function sendPart(upload: Upload, begun: BegunUpload, partNumber: number, bytes: Blob): Promise<void> {
  const { uploadId, key } = begun;
  const { data } = await upload.client.post('/api/upload/multipart', {
    body: { action: 'sign-part', uploadId, key, partNumber },
    ...(upload.signal && { signal: upload.signal }),
  });
  if (!('url' in data)) throw new Error('the service did not sign the part');
  await putBytes(upload, data.url, bytes, {});
}

async function listParts(upload: Upload, { uploadId, key }: BegunUpload) {
  const { client, signal } = upload;
  const { data } = await attempt(upload, () =>
    client.post('/api/upload/multipart', {
      body: { action: 'list-parts', uploadId, key },
      ...(signal && { signal }),
    }),
  );
  return 'parts' in data ? data.parts : [];
}

async function putBytes(upload: Upload, url: string, body: Blob, headers: Record<string, string>) {
  const { fetch: send = fetch, signal } = upload;
  const response = await send(url, { method: 'PUT', body, headers, ...(signal && { signal }) }).catch(
    (error: unknown) => {
      if (signal?.aborted) throw signal.reason;
      throw new ConnectionError('the connection to the object store broke', { cause: error });
    },
  );
  await response.arrayBuffer().catch(() => undefined);
  if (!response.ok) throw new StoreError(response.status);
}

/** Every step of an upload may be repeated: it has the same outcome. */
function attempt<T>({ retry, signal }: Upload, step: () => Promise<T>): Promise<T> {
  const policy = { ...DEFAULT_RETRY, ...retry };
  const send = () =>
    step().catch((error: unknown) => {
      const isPassing =
        error instanceof StoreError &&
        (error.status >= 500 || [403, 408, 409, 412, 429].includes(error.status));
      throw isPassing ? new ConnectionError(error.message, { cause: error }) : error;
    });
  return withRetries(send, { policy, repeatable: true, signal });
}
