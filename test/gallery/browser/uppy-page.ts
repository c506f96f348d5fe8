/**
 * Runs in the browser: the AWS S3 plugin of Uppy 6 over the gallery administration, as a site's own page
 * would use it.
 */
import AwsS3 from '@uppy/aws-s3';
import Uppy from '@uppy/core';
import { PART_SIZE, type PageResult, type PageUpload, post, uploadWith } from './page-upload.ts';

/** Names Uppy's request in the words of the multipart endpoint. */
function actionOf(request: { method: string; uploadId?: string }): string {
  if (request.uploadId === undefined) return request.method === 'POST' ? 'create' : 'put';
  return { PUT: 'sign-part', GET: 'list-parts', POST: 'complete', DELETE: 'abort' }[request.method] ?? '';
}

async function upload(what: PageUpload): Promise<PageResult> {
  const seen: Pick<PageResult, 'actions' | 'keys' | 'uploadId'> = { actions: [], keys: [] };
  const uppy = new Uppy().use(AwsS3, {
    shouldUseMultipart: (file) => (file.size ?? 0) > PART_SIZE,
    getChunkSize: () => PART_SIZE,
    generateObjectKey: (file) => `${what.folder}/${file.name}`,
    async signRequest(request) {
      const action = actionOf(request);
      if (action !== 'put') seen.actions.push(action);
      const signed = await post('/api/upload/sign', request);
      if ('uploadId' in request) seen.uploadId = request.uploadId;
      else seen.keys.push(signed.key);
      return signed;
    },
  });
  return uploadWith(uppy, (listener) => uppy.once('s3-multipart:part-uploaded', listener), what, seen);
}

Object.assign(globalThis, { post, upload });
