import { createClient } from './sdk/client/index.js';
import {
  controlMultipartUpload,
  createUpload,
  listBuckets,
  listFolder,
  login,
  logout,
  runBatch,
  signDownloads,
} from './sdk/index.js';

/**
 * Logs in, uploads a file, finds, signs and deletes it with a client of Hey API; returns what it has seen.
 */
export async function roundTrip(baseUrl: string, account: { username: string; password: string }) {
  const anybody = createClient({ baseUrl });
  const refused = await listBuckets({ client: anybody });
  const entered = await login({ client: anybody, body: account });
  const cookie = entered.response?.headers.get('set-cookie')?.split(';')[0] ?? '';
  const client = createClient({ baseUrl, auth: cookie.slice(cookie.indexOf('=') + 1) });
  const buckets = await listBuckets({ client });

  const body = { filename: 'note.txt', path: 'hey/', contentType: 'text/plain' };
  const upload = await createUpload({ client, body });
  if (!upload.data) throw new Error(upload.error.detail);
  const put = await fetch(upload.data.url, {
    method: 'PUT',
    body: 'A round trip',
    headers: { 'content-type': body.contentType },
  });

  const listed = await listFolder({ client, query: { json: '1', path: 'hey/', maxKeys: 10 } });
  if (listed.data?.mode !== 'json') throw new Error('not listed');
  const keys = listed.data.data.files.map(({ path }) => path);
  const signed = await signDownloads({ client, body: { action: 'sign-get-objects', keys } });
  const text = await (await fetch(signed.data?.data[upload.data.key] ?? '')).text();

  const size = 6 * 1024 * 1024;
  const multipart = await controlMultipartUpload({ client, body: { ...body, action: 'create', size } });
  const begun = multipart.data?.data;
  if (!begun || !('uploadId' in begun)) throw new Error('not begun');
  const { uploadId, key } = begun;
  const aborted = await controlMultipartUpload({ client, body: { action: 'abort', uploadId, key } });

  const deleted = await runBatch({ client, body: { action: 'delete', paths: ['hey/'] } });
  const left = await logout({ client });
  return {
    refused: refused.error?.message !== undefined,
    active: buckets.data?.data.runtime.activeBucketId,
    put: put.status,
    sizes: listed.data.data.files.map((entry): number => entry.size),
    text,
    aborted: aborted.data?.success,
    // A batch in the background is answered differently; this one did not ask for it.
    deleted: deleted.data && 'affected' in deleted.data ? deleted.data.affected : undefined,
    out: left.data?.success,
  };
}
