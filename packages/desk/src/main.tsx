import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { Service } from './shared/api/service.ts';
import { type Desk, DeskContext } from './shared/desk.ts';
import { Address } from './shared/state/address.ts';
import { Connection } from './shared/state/connection.ts';
import { Me } from './shared/state/me.ts';
import { Preferences } from './shared/state/preferences.ts';
import { Session } from './shared/state/session.ts';
import { takeSignOn } from './shared/state/sign-on.ts';
import { Texts } from './shared/text/texts.ts';
import { Voice } from './shared/text/voice.ts';
import { Shell } from './shell.tsx';

// Its address is relative to a document's address, which changes with every step.
const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
if (icon !== null) icon.href = String(icon.href);

const said = signal('');
// Before anything reads the address.
const signOn = signal(takeSignOn());
const preferences = new Preferences();
const voice = new Voice(preferences.language);
await voice.learnShared();
const session = new Session();
const meta = document.querySelector<HTMLMetaElement>('meta[name="pressroom-base"]');
const address = new Address(new URL(meta?.content ?? '/', location.href));
const connection = new Connection(() => fetch(address.href(''), { method: 'HEAD', cache: 'no-store' }));
const service = new Service(address.base, session, connection, () => voice.learnProblems());
const desk: Desk = {
  address,
  connection,
  me: new Me(() => service.me()),
  preferences,
  service,
  session,
  signOn,
  texts: new Texts(voice),
  voice,
  announce: (text) => {
    said.value = text;
  },
};

// A person's choice holds in every browser that has no choice of its own.
effect(() => {
  const language = desk.me.profile.value?.language ?? undefined;
  if (language !== undefined && !preferences.hasLanguage) void voice.speak(language).catch(() => undefined);
});

effect(() => voice.liveIn(desk.me.profile.value?.timeZone ?? null));

const root = document.getElementById('page');
if (root !== null) {
  render(
    <DeskContext.Provider value={desk}>
      <Shell said={said} />
    </DeskContext.Provider>,
    root,
  );
}
