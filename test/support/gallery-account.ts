import { randomBytes } from 'node:crypto';
import { type Server, storeSettings } from './s3/servers.ts';

/** The administrator of a gallery in a process of its own. */
export const ADMIN = { username: 'editor', password: randomBytes(16).toString('hex') };

/** The settings of a gallery administration with that account, on a bucket. */
export function gallerySettings(store: Server, bucket: string): Record<string, string> {
  return {
    ADMIN_USERNAME: ADMIN.username,
    ADMIN_PASSWORD: ADMIN.password,
    COOKIE_SECURE: 'false',
    SETTINGS_KEY: randomBytes(32).toString('base64'),
    ...storeSettings(store, bucket),
  };
}

/** Logs in; the status of the answer, and its cookies: of the session, and of the browser. */
export async function logIn(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; cookies: string[] }> {
  const response = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(ADMIN),
  });
  await response.arrayBuffer();
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return { status: response.status, cookies };
}
