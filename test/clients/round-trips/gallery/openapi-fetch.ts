import createClient from 'openapi-fetch';
import type { paths } from './openapi.js';

/**
 * Logs in, uploads a file, finds, signs and deletes it with a client of openapi-typescript; returns what it
 * has seen.
 */
export async function roundTrip(baseUrl: string, account: { username: string; password: string }) {
  const anybody = createClient<paths>({ baseUrl });
  const refused = await anybody.GET('/api/settings/buckets');
  const login = await anybody.POST('/api/login', { body: account });
  const cookie = login.response.headers.get('set-cookie')?.split(';')[0] ?? '';
  const client = createClient<paths>({ baseUrl, headers: { cookie } });
  const buckets = await client.GET('/api/settings/buckets');

  const file = { filename: 'note.txt', path: 'fetch/', contentType: 'text/plain' };
  const upload = await client.POST('/api/upload', { body: file });
  if (!upload.data) throw new Error(upload.error.detail);
  const put = await fetch(upload.data.url, {
    method: 'PUT',
    body: 'A round trip',
    headers: { 'content-type': file.contentType },
  });

  const listed = await client.GET('/api/gallery', {
    params: { query: { json: '1', path: 'fetch/', maxKeys: 10 } },
  });
  if (listed.data?.mode !== 'json') throw new Error('not listed');
  const keys = listed.data.data.files.map(({ path }) => path);
  const signed = await client.POST('/api/gallery', { body: { action: 'sign-get-objects', keys } });
  const text = await (await fetch(signed.data?.data[upload.data.key] ?? '')).text();

  const size = 6 * 1024 * 1024;
  const multipart = await client.POST('/api/upload/multipart', { body: { ...file, action: 'create', size } });
  const begun = multipart.data?.data;
  if (!begun || !('uploadId' in begun)) throw new Error('not begun');
  const { uploadId, key } = begun;
  const aborted = await client.POST('/api/upload/multipart', { body: { action: 'abort', uploadId, key } });

  const deleted = await client.POST('/api/gallery/batch', { body: { action: 'delete', paths: ['fetch/'] } });
  const logout = await client.POST('/api/logout');
  return {
    refused: refused.error?.message !== undefined,
    active: buckets.data?.data.runtime.activeBucketId,
    put: put.status,
    sizes: listed.data.data.files.map((entry): number => entry.size),
    text,
    aborted: aborted.data?.success,
    // A batch in the background is answered differently; this one did not ask for it.
    deleted: deleted.data && 'affected' in deleted.data ? deleted.data.affected : undefined,
    out: logout.data?.success,
  };
}
