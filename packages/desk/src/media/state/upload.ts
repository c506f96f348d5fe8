import type { KeptUpload } from './upload-memory.ts';
import type { OpenUpload } from './uploader.ts';

/** A file on its way to the bucket. */
export interface Upload {
  readonly id: string;
  readonly key: string;
  readonly size: number;
  readonly uploaded: number;
  readonly state: 'waiting' | 'sending' | 'paused' | 'done' | 'failed' | 'unfinished';
  readonly problem?: unknown;
  /** The file; undefined if a person has to choose it again. */
  readonly file?: File | undefined;
  readonly open?: OpenUpload | undefined;
  readonly lastModified: number;
  /** The folder and the path in it, until the server could be asked whether the name is taken. */
  readonly unasked?: { readonly folder: string; readonly path: string };
}

/** A file that somebody has just chosen, on its way to `key`. */
export function newUpload(id: string, key: string, file: File): Upload {
  const { size, lastModified } = file;
  return { id, key, size, uploaded: 0, state: 'waiting', file, lastModified };
}

/** An upload that an earlier page began; without a file until a person chooses it again. */
export function unfinishedUpload(
  id: string,
  { key, size, lastModified, open }: KeptUpload,
  file: File | undefined,
): Upload {
  return { id, key, size, lastModified, uploaded: 0, state: 'unfinished', file, open };
}
