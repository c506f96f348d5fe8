/**
 * Runs in the browser: the AWS S3 plugin of Uppy 5 over the gallery administration, as a site's own page
 * would use it.
 */
import AwsS3 from '@uppy/aws-s3';
import Uppy from '@uppy/core';
import { PART_SIZE, type PageResult, type PageUpload, post, uploadWith } from '../page-upload.ts';

async function upload(what: PageUpload): Promise<PageResult> {
  const { folder } = what;
  const actions: string[] = [];
  const keys: string[] = [];
  const seen: Pick<PageResult, 'actions' | 'keys' | 'uploadId'> = { actions, keys };
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
      seen.uploadId = uploadId;
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
  return uploadWith(uppy, (listener) => uppy.once('s3-multipart:part-uploaded', listener), what, seen);
}

Object.assign(globalThis, { post, upload });
