import { galleryClient } from '@pressroom/client';
import type { ComponentType } from 'preact';
import { makePasskey } from '../shared/api/passkeys.ts';
import { asked } from '../shared/api/problem.ts';
import type { Desk } from '../shared/desk.ts';
import { Texts } from './text/texts.ts';
import { InvitationPage } from './views/page.tsx';

/** Makes the page of somebody who has the link of an invitation, and no session. */
export function openInvitation(desk: Desk): ComponentType {
  const { address, service, voice } = desk;
  const token = location.hash.slice(1);
  // Whoever sees the window later, or its history, gets nothing that works.
  address.replace('invitation');
  const client = galleryClient(service);
  const props = {
    token,
    texts: new Texts(voice, 'invitation'),
    read: async () => (await asked(client.post('/api/invitation', { body: { token } }))).data,
    accept: async (password: string) => {
      await asked(client.post('/api/invitation/accept', { body: { token, password } }));
      location.assign(address.href('home'));
    },
    acceptByPasskey: async (name: string) => {
      const { data } = await asked(client.post('/api/invitation/passkey', { body: { token } }));
      const passkey = { name, credential: await makePasskey(data.options) };
      await asked(client.post('/api/invitation/accept', { body: { token, passkey } }));
      location.assign(address.href('home'));
    },
  };
  const acceptBy = async (provider: string) => {
    const path = { provider };
    const begun = client.post('/api/oidc/{provider}/login', { path, body: { invitation: token } });
    location.assign((await asked(begun)).data.location);
  };
  return () => <InvitationPage {...props} acceptBy={acceptBy} />;
}
