import { hash } from 'node:crypto';
import { unquoted } from '../listing/object-page.ts';

/** The version of an object: the same as long as its entity tag, and so its bytes, are the same. */
export function versionOf(etag: string): string {
  return hash('sha256', unquoted(etag), 'hex').slice(0, 12);
}

/** The path at which this version of an object is found for good. */
export function versionedPath(key: string, version: string): string {
  return `/media/v${version}/${key.split('/').map(encodeURIComponent).join('/')}`;
}
