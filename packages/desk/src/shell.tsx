import type { ReadonlySignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Desk, useDesk } from './shared/desk.ts';
import type { SectionName } from './shared/state/address.ts';
import type { Catalogue } from './shared/text/voice.ts';
import { MissingFiles } from './shared/views/loading.tsx';

interface Source {
  /** Opens it: what it consists of is made once, and stays while others are shown. */
  readonly load: () => Promise<(desk: Desk) => ComponentType>;
  readonly texts: Catalogue;
}

const SOURCES: Readonly<Record<SectionName, Source>> = {
  home: {
    load: async () => (await import('./home/home.tsx')).openHome,
    texts: {
      en: async () => (await import('./home/text/en.ts')).en,
      zh: async () => (await import('./home/text/zh.ts')).zh,
    },
  },
  media: {
    load: async () => (await import('./media/media.tsx')).openMedia,
    texts: {
      en: async () => (await import('./media/text/en.ts')).en,
      zh: async () => (await import('./media/text/zh.ts')).zh,
    },
  },
  articles: {
    load: async () => (await import('./articles/articles.tsx')).openArticles,
    texts: {
      en: async () => (await import('./articles/text/en.ts')).en,
      zh: async () => (await import('./articles/text/zh.ts')).zh,
    },
  },
  news: {
    load: async () => (await import('./news/news.tsx')).openNews,
    texts: {
      en: async () => (await import('./news/text/en.ts')).en,
      zh: async () => (await import('./news/text/zh.ts')).zh,
    },
  },
  organise: {
    load: async () => (await import('./organise/organise.tsx')).openOrganise,
    texts: {
      en: async () => (await import('./organise/text/en.ts')).en,
      zh: async () => (await import('./organise/text/zh.ts')).zh,
    },
  },
  people: {
    load: async () => (await import('./people/people.tsx')).openPeople,
    texts: {
      en: async () => (await import('./people/text/en.ts')).en,
      zh: async () => (await import('./people/text/zh.ts')).zh,
    },
  },
  moving: {
    load: async () => (await import('./moving/moving.tsx')).openMoving,
    texts: {
      en: async () => (await import('./moving/text/en.ts')).en,
      zh: async () => (await import('./moving/text/zh.ts')).zh,
    },
  },
  operations: {
    load: async () => (await import('./operations/operations.tsx')).openOperations,
    texts: {
      en: async () => (await import('./operations/text/en.ts')).en,
      zh: async () => (await import('./operations/text/zh.ts')).zh,
    },
  },
  account: {
    load: async () => (await import('./account/account.tsx')).openAccount,
    texts: {
      en: async () => (await import('./account/text/en.ts')).en,
      zh: async () => (await import('./account/text/zh.ts')).zh,
    },
  },
  invitation: {
    load: async () => (await import('./invitation/invitation.tsx')).openInvitation,
    texts: {
      en: async () => (await import('./invitation/text/en.ts')).en,
      zh: async () => (await import('./invitation/text/zh.ts')).zh,
    },
  },
};

const LoginScreen = late(async () => (await import('./shared/views/login.tsx')).LoginScreen);
const LoginAgain = late(async () => (await import('./shared/views/login.tsx')).LoginAgain);
const Confirmation = late(async () => (await import('./shared/views/confirmation.tsx')).Confirmation);

/** Makes a view whose file is loaded when it is first shown: most visits need none of them. */
function late(load: () => Promise<ComponentType>): ComponentType {
  return () => {
    const [View, setView] = useState<ComponentType>();
    const [isMissing, setMissing] = useState(false);
    useEffect(() => {
      load().then(
        (view) => setView(() => view),
        () => setMissing(true),
      );
    }, []);
    if (View !== undefined) return <View />;
    return isMissing ? <MissingFiles /> : null;
  };
}

const opened = new Map<SectionName, Promise<ComponentType>>();

/** The document: the section that its address names, and the login before it. */
export function Shell({ said }: { said: ReadonlySignal<string> }) {
  const { address, session } = useDesk();
  const { section } = address.here.value;
  const { value: refusals } = session.setUp;
  useEffect(() => {
    if (refusals > 0) address.replace('account');
  }, [refusals, address]);
  const isFirst = session.needed.value && !session.isConfirmed.value;
  return (
    <>
      {isFirst ? <LoginScreen /> : <Section key={section} name={section} />}
      {session.doubted.value && <Confirmation />}
      {session.needed.value && !isFirst && <LoginAgain />}
      <div role="status" class="unseen">
        {said}
      </div>
    </>
  );
}

function Section({ name }: { name: SectionName }) {
  const desk = useDesk();
  const [View, setView] = useState<ComponentType>();
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    open(name, desk).then(
      (view) => isCurrent && setView(() => view),
      () => isCurrent && setMissing(true),
    );
    return () => {
      isCurrent = false;
    };
  }, [name, desk]);
  if (View !== undefined) return <View />;
  return isMissing ? <MissingFiles /> : null;
}

function open(name: SectionName, desk: Desk): Promise<ComponentType> {
  const before = opened.get(name);
  if (before !== undefined) return before;
  const { load, texts } = SOURCES[name];
  // Whoever has an invitation is not logged in yet.
  const known = name === 'invitation' ? undefined : desk.me.known();
  const view = Promise.all([
    load(),
    desk.voice.learn(name, texts),
    styled(name, desk.address.base),
    known,
  ]).then(([openSection]) => openSection(desk));
  opened.set(name, view);
  view.catch(() => opened.delete(name));
  return view;
}

/** Waits for the section's styles; those of the section with which the document came are there. */
async function styled(name: SectionName, base: URL): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>(`link[data-section="${name}"]`);
  const file = link?.dataset.href;
  if (link === null || link.href !== '' || file === undefined) return;
  await new Promise((resolve) => {
    link.addEventListener('load', resolve, { once: true });
    link.addEventListener('error', resolve, { once: true });
    link.href = new URL(file, base).href;
  });
}
