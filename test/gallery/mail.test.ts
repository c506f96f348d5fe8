import { readGalleryConfig } from '@pressroom/gallery-admin/config';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { TestMailServer } from '../support/mail-server.ts';

const server = new TestMailServer();
const { received } = server;
let gallery: GalleryFixture;

beforeAll(async () => {
  await server.start();
  gallery = await galleryFixture({
    SMTP_URL: `smtp://desk:p%40ss@${server.host}`,
    SMTP_FROM: 'desk@paper.example',
  });
});
afterAll(async () => {
  await gallery.close();
  await server.stop();
});

const invite = (name: string, email: string) => gallery.post('/api/people', { name, email, role: 'reader' });

/** The link is whole on its line, in whatever encoding the text has. */
function linkIn(mail: (typeof received)[number] | undefined): string {
  const text = (mail?.text ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  return /http\S+/.exec(text)?.[0] ?? '';
}

test('an invitation is mailed with a link that works, and not written to the log', async () => {
  const { body } = await invite('Ann “Quote” 王', 'ann@example.org');
  const { token, mailed } = body.data.invitation;
  expect(mailed).toBe(true);
  const [mail] = received;
  expect(mail).toMatchObject({ from: 'desk@paper.example', to: ['ann@example.org'] });
  expect(linkIn(mail)).toBe(`${gallery.url}/desk/invitation#${token}`);
  const read = await send(`${gallery.url}/api/invitation`, { method: 'POST', json: { token } });
  expect(read.status).toBe(200);
  expect(JSON.stringify(gallery.log.events())).not.toContain(token);
});

test('the link leads to the path at which the owner has the desk, on this host alone', async () => {
  const json = { name: 'Pat', email: 'pat@example.org', role: 'reader' };
  const add = (at: string) => gallery.post(`/api/people?at=${encodeURIComponent(at)}`, json);
  for (const at of [
    '//evil.example/',
    '/a',
    'https://evil.example/',
    '/../',
    '/a/?b=/',
    '@evil.example/',
    '/\\evil.example/',
  ])
    expect((await add(at)).status, at).toBe(400);
  const added = await add('/gallery-admin/');
  expect(added.status, added.text).toBe(201);
  expect(linkIn(received.at(-1))).toBe(
    `${gallery.url}/gallery-admin/desk/invitation#${added.body.data.invitation.token}`,
  );
  const { id } = added.body.data.person;
  const again = await gallery.post(`/api/people/${id}/invitation?at=${encodeURIComponent('/desk-at/')}`, {});
  expect(linkIn(received.at(-1))).toBe(
    `${gallery.url}/desk-at/desk/invitation#${again.body.data.invitation.token}`,
  );
});

test('an invitation that the mail server refuses is shown, and said not to be sent', async () => {
  server.isRefusing = true;
  const { status, body } = await invite('Ben', 'ben@example.org');
  server.isRefusing = false;
  expect([status, body.data.invitation.mailed]).toEqual([201, false]);
  expect(gallery.log.events().find(({ msg }) => msg === 'invitation_not_mailed')).toMatchObject({
    person: body.data.person.id,
  });
  const again = await gallery.post(`/api/people/${body.data.person.id}/invitation`, {});
  expect(again.body.data.invitation.mailed).toBe(true);
});

test('a mail server without the address that mail comes from is a fault of the settings', () => {
  const { SMTP_FROM: _, ...settings } = gallery.settings;
  expect(() => readGalleryConfig(settings)).toThrow(/SMTP_FROM is missing/);
  expect(() => readGalleryConfig({ ...gallery.settings, SMTP_URL: 'http://mail.example' })).toThrow(
    /SMTP_URL/,
  );
});
