import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { needsNginx } from '../support/needs-nginx.ts';
import { follow, latest, stopFollowing } from '../support/presence.ts';
import { type RunningProxy, startProxy, upstreamOf } from '../support/proxy.ts';
import { until } from '../support/until.ts';

needsNginx();

let gallery: GalleryFixture;
let proxy: RunningProxy | undefined;

beforeAll(async () => {
  gallery = await galleryFixture();
  proxy = await startProxy({ GALLERY_ADMIN_UPSTREAM: upstreamOf(gallery.url) });
});

afterAll(async () => {
  stopFollowing();
  await proxy?.close();
  await gallery?.close();
});

/** A page of somebody new, behind the proxy. */
async function pageOf(name: string) {
  const url = proxy?.url ?? '';
  const { body } = await gallery.post('/api/people', { name, email: 'wanda@example.org', role: 'writer' });
  const json = { token: body.data.invitation.token, password: 'a password that nobody guesses' };
  const { headers } = await send(`${url}/api/invitation/accept`, { method: 'POST', json });
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { id: body.data.person.id, cookie, url, tab: randomUUID() };
}

test('who has articles open is heard at once, also after a silence, until the person is removed', async () => {
  const page = await pageOf('Wanda Pen');
  const heard = await follow(page);
  const { url, tab, cookie } = page;
  const json = { article: 7, mode: 'writing' };
  const opened = await send(`${url}/api/presence/${tab}`, { method: 'PUT', json, headers: { cookie } });
  expect(opened.status).toBe(200);
  await until('it is heard', () => latest(heard).length === 1);
  await until('two signs of life', () => heard.hasEnded || heard.text.split(': still here').length > 2);
  expect(heard.hasEnded).toBe(false);
  await gallery.ask(`/api/people/${page.id}`, { method: 'DELETE' });
  await until('the stream has ended', () => heard.hasEnded);
});
