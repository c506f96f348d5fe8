/** Runs in the browser: Uppy's AWS S3 plugin over the gallery administration, as a site's own page would use it. */
import AwsS3 from '@uppy/aws-s3';
import Uppy from '@uppy/core';
import { sampleBytes } from './sample-bytes.ts';

/** Parts of 5 MiB: 40 MB are eight of them. */
const PART_SIZE = 5 * 2 ** 20;

/** What a test asks the page to upload. */
export interface PageUpload {
  name: string;
  folder: string;
  size: number;
  /** What happens when the first part has arrived. */
  afterFirstPart?: 'pause and resume' | 'cancel';
}

/** What the page tells of an upload. */
export interface PageResult {
  successful: number;
  failed: string[];
  /** The actions of `/api/upload/multipart` that the page has asked for, in their order. */
  actions: string[];
  /** Keys of S3 that were announced. */
  keys: string[];
}

/** POSTs JSON, again when the service asks to come back later. */
async function post(path: string, json: unknown) {
  const request = () =>
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
  let response = await request();
  while (response.status === 503) {
    const seconds = Number(response.headers.get('retry-after'));
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    response = await request();
  }
  const body = await response.json();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${body.message}`);
  return body;
}

async function upload({ name, folder, size, afterFirstPart }: PageUpload): Promise<PageResult> {
  const actions: string[] = [];
  const keys: string[] = [];
  const multipart = async (action: string, more: object) => {
    actions.push(action);
    return (await post('/api/upload/multipart', { action, ...more })).data;
  };
  const uppy = new Uppy().use(AwsS3, {
    shouldUseMultipart: (file) => (file.size ?? 0) > PART_SIZE,
    getChunkSize: () => PART_SIZE,
    limit: 3,
    async getUploadParameters(file) {
      const asked = { filename: file.name, path: folder, contentType: file.type };
      const { url, key } = await post('/api/upload', asked);
      keys.push(key);
      return { method: 'PUT', url, headers: { 'content-type': file.type } };
    },
    async createMultipartUpload(file) {
      const { uploadId, key } = await multipart('create', {
        filename: file.name,
        path: folder,
        contentType: file.type,
        size: file.size,
        partSize: PART_SIZE,
      });
      keys.push(key);
      return { uploadId, key };
    },
    async signPart(_file, { uploadId, key, partNumber }) {
      return { url: (await multipart('sign-part', { uploadId, key, partNumber })).url };
    },
    async listParts(_file, { uploadId = '', key }) {
      const { parts } = await multipart('list-parts', { uploadId, key });
      return parts.map((part: { partNumber: number; etag: string; size: number }) => ({
        PartNumber: part.partNumber,
        ETag: part.etag,
        Size: part.size,
      }));
    },
    async completeMultipartUpload(_file, { uploadId, key, parts }) {
      const sent = parts.map(({ PartNumber, ETag }) => ({ partNumber: PartNumber, etag: ETag }));
      await multipart('complete', { uploadId, key, parts: sent });
      return {};
    },
    async abortMultipartUpload(_file, { uploadId, key }) {
      await multipart('abort', { uploadId, key });
    },
  });
  const type = 'video/mp4';
  const data = new File([sampleBytes(size, size)], name, { type });
  const id = uppy.addFile({ name, type, data });
  if (afterFirstPart) {
    uppy.once('s3-multipart:part-uploaded', () => {
      if (afterFirstPart === 'cancel') return uppy.cancelAll();
      uppy.pauseResume(id);
      actions.push('paused');
      setTimeout(() => {
        actions.push('resumed');
        uppy.pauseResume(id);
      }, 0);
    });
  }
  const result = await uppy.upload();
  return {
    successful: result?.successful?.length ?? 0,
    failed: (result?.failed ?? []).map(({ error }) => String(error)),
    actions,
    keys,
  };
}

Object.assign(globalThis, { post, upload });
