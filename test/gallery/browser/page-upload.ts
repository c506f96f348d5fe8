/** The part that the pages share, whichever Uppy they load. */
import { sampleBytes } from './sample-bytes.ts';

/** Parts of 5 MiB: 40 MB are eight of them. */
export const PART_SIZE = 5 * 2 ** 20;

export interface PageUpload {
  name: string;
  folder: string;
  size: number;
  /** Done once the first part has arrived. */
  afterFirstPart?: 'pause and resume' | 'cancel';
}

export interface PageResult {
  successful: number;
  failed: string[];
  /** The actions of `/api/upload/multipart` that the page has asked for, in their order. */
  actions: string[];
  /** Keys of S3 that were announced. */
  keys: string[];
  /** The last multipart upload that the page knew; undefined when there was none. */
  uploadId?: string;
}

/** POSTs JSON, again when the service asks to come back later. */
export async function post(path: string, json: unknown) {
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

/** The members of an Uppy that the tests use, alike in both versions. */
interface AnyUppy {
  addFile(file: { name: string; type: string; data: File }): string;
  cancelAll(): void;
  pauseResume(id: string): unknown;
  upload(): Promise<{ successful?: unknown[]; failed?: { error?: unknown }[] } | undefined>;
}

/** Uploads a file of sample bytes with an Uppy that is set up, and tells how it went. */
export async function uploadWith(
  uppy: AnyUppy,
  onFirstPart: (listener: () => void) => void,
  { name, size, afterFirstPart }: PageUpload,
  seen: Pick<PageResult, 'actions' | 'keys' | 'uploadId'>,
): Promise<PageResult> {
  const type = 'video/mp4';
  const data = new File([sampleBytes(size, size)], name, { type });
  const id = uppy.addFile({ name, type, data });
  if (afterFirstPart) {
    onFirstPart(() => {
      if (afterFirstPart === 'cancel') return uppy.cancelAll();
      uppy.pauseResume(id);
      seen.actions.push('paused');
      setTimeout(() => {
        seen.actions.push('resumed');
        uppy.pauseResume(id);
      }, 0);
    });
  }
  const result = await uppy.upload();
  return {
    successful: result?.successful?.length ?? 0,
    failed: (result?.failed ?? []).map(({ error }) => String(error)),
    ...seen,
  };
}
