import AwsS3 from '@uppy/aws-s3';
import Uppy from '@uppy/core';
import type { SignedRequest, UploadRequest } from '../api/gallery.ts';
import { signingAhead } from './signing-ahead.ts';

/** A file that goes up in parts, as far as a later page needs to know to go on. */
export interface OpenUpload {
  readonly uploadId: string;
  readonly key: string;
}

export interface UploaderEvents {
  progress(id: string, uploaded: number): void;
  /** The store has begun to collect the parts of the file. */
  opened(id: string, upload: OpenUpload): void;
  done(id: string): void;
  failed(id: string, error: unknown): void;
}

/** A file to upload; with an open upload, it goes on with that. */
export interface UploaderFile {
  readonly id: string;
  readonly key: string;
  readonly data: File;
  readonly open?: OpenUpload | undefined;
}

/** Facts about a file that Uppy keeps besides its bytes. */
type UploadMeta = { key: string; relativePath: string };

/** From this size files go in parts, in bytes; also the size of a part, unless there would be too many. */
const PART_SIZE = 8 * 2 ** 20;

/** The most parts, with a margin below S3's 10,000. */
const MAX_PARTS = 9000;

/** Sends files straight to the store; loaded when the first file is uploaded. */
export class Uploader {
  readonly #uppy: Uppy<UploadMeta, Record<string, never>>;
  /** Uppy's id of each file by ours, and the other way round. */
  readonly #theirs = new Map<string, string>();
  readonly #ours = new Map<string, string>();

  constructor(sign: (request: UploadRequest) => Promise<SignedRequest>, events: UploaderEvents) {
    const signRequest = signingAhead(sign);
    this.#uppy = new Uppy<UploadMeta, Record<string, never>>({ autoProceed: false });
    this.#uppy.use(AwsS3, {
      // Whoever calls `send` decides how many there are.
      limit: Number.POSITIVE_INFINITY,
      shouldUseMultipart: (file) => (file.size ?? 0) > PART_SIZE,
      getChunkSize: ({ size }) => Math.max(PART_SIZE, 2 ** 20 * Math.ceil(size / MAX_PARTS / 2 ** 20)),
      generateObjectKey: (file) => String(file.meta.key),
      allowedMetaFields: false,
      signRequest: (request) => signRequest(keepingReplaced(request as UploadRequest)),
    });
    const ours = (file: { id: string } | undefined) => this.#ours.get(file?.id ?? '');
    this.#uppy.on('upload-progress', (file, { bytesUploaded }) => {
      const id = ours(file);
      if (id !== undefined) events.progress(id, Number(bytesUploaded));
    });
    this.#uppy.on('s3-multipart:part-uploaded', (file) => {
      const id = ours(file);
      const open = this.#openOf(file);
      if (id !== undefined && open !== undefined) events.opened(id, open);
    });
    this.#uppy.on('upload-success', (file) => {
      const id = ours(file);
      if (id === undefined) return;
      this.#forget(id);
      events.done(id);
    });
    this.#uppy.on('upload-error', (file, error) => {
      const id = ours(file);
      if (id === undefined) return;
      const open = this.#openOf(file);
      // Uppy would send a failed file again with the next one. Parts that have arrived stay in the store.
      this.#forget(id);
      if (open !== undefined) events.opened(id, open);
      events.failed(id, error);
    });
  }

  /** Begins to send a file, or goes on with its open upload. */
  send({ id, key, data, open }: UploaderFile): void {
    const theirs = this.#uppy.addFile({
      name: data.name,
      type: data.type || 'application/octet-stream',
      data,
      // Uppy refuses what looks like the same file; here only the key decides.
      meta: { key, relativePath: id },
    });
    this.#theirs.set(id, theirs);
    this.#ours.set(theirs, id);
    if (open !== undefined) this.#uppy.setFileState(theirs, { s3Multipart: open });
    void this.#uppy.upload().catch(() => undefined);
  }

  /** True while a file is being sent, or held. */
  has(id: string): boolean {
    return this.#theirs.has(id);
  }

  /** Stops sending a file, or goes on. */
  pause(id: string): void {
    const theirs = this.#theirs.get(id);
    if (theirs !== undefined) this.#uppy.pauseResume(theirs);
  }

  /** Stops sending a file for good; what has arrived is deleted. */
  cancel(id: string): void {
    // While its parts are sent, Uppy aborts the upload in the store.
    this.#forget(id);
  }

  #openOf(file: { id: string } | undefined): OpenUpload | undefined {
    const state = file === undefined ? undefined : this.#uppy.getFile(file.id);
    if (state === undefined || !('s3Multipart' in state) || !state.s3Multipart) return undefined;
    return state.s3Multipart as OpenUpload;
  }

  #forget(id: string): void {
    const theirs = this.#theirs.get(id);
    if (theirs === undefined) return;
    this.#theirs.delete(id);
    this.#ours.delete(theirs);
    this.#uppy.removeFile(theirs);
  }
}

/** Has the request that puts the file in place move the old one to the trash. */
function keepingReplaced(request: UploadRequest): UploadRequest {
  if (request.method === 'PUT' && 'contentType' in request) return { ...request, trash: true };
  return request.method === 'POST' && 'uploadId' in request ? { ...request, trash: true } : request;
}
