import { lazy, Suspense } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import { isApple } from '../../shared/state/apple.ts';
import { Header } from '../../shared/views/header.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { KeyboardHelp } from '../../shared/views/keyboard-help.tsx';
import { onGo } from '../../shared/views/link.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { useApp } from '../app-context.ts';
import { EDITOR_SHORTCUTS } from '../editor/text/shortcuts.ts';
import type { TextName } from '../text/texts.ts';
import { ArticlePage } from './article-page.tsx';
import { ListPage } from './list-page.tsx';
import { NoticeView } from './notice-view.tsx';

const CalendarPage = lazy(() =>
  import('./calendar-page.tsx').then(({ CalendarPage: View }) => ({ default: View })),
);

type Keys = readonly (readonly [keys: string, text: TextName])[];

const LIST_KEYS: Keys = [
  ['N', 'newArticle'],
  ['/', 'keySearch'],
  ['↑ ↓ Home End', 'keyMove'],
  ['Enter', 'open'],
  ['V', 'seeOnSite'],
  ['Space', 'keySelect'],
  ['Shift + ↑ ↓', 'keyRange'],
  ['Ctrl + A', 'selectAll'],
  ['Delete', 'delete'],
];

const CALENDAR_KEYS: Keys = [
  ['N', 'newArticle'],
  ['Enter', 'open'],
  ['Shift + ← →', 'keyMoveDay'],
  ['Shift + ↑ ↓', 'keyMoveWeek'],
];

const ARTICLE_KEYS: Keys = [
  ['Ctrl + S', 'keySave'],
  ['Ctrl + Enter', 'publish'],
  ...(isApple ? [] : [['Alt + ←', 'keyBack'] as const]),
  ...EDITOR_SHORTCUTS,
];

/** The whole section: the list, or the article that is open. */
export function Page() {
  const { me, place, presence, site, texts } = useApp();
  const { say } = texts;
  const [isHelpShown, setHelpShown] = useState(false);
  const { article } = place.value.value;
  const isWriting = typeof article === 'number' || article === 'new';
  const state = site.value?.state ?? 'ready';
  const keys = isWriting ? ARTICLE_KEYS : article === 'calendar' ? CALENDAR_KEYS : LIST_KEYS;
  useEffect(() => presence.watch(), [presence]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (
        target.closest(
          'input:not([type="checkbox"]), textarea, select, dialog, [contenteditable], [role="menu"]',
        )
      )
        return;
      if (event.key === '?') setHelpShown(true);
      if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLElement>('[type="search"]')?.focus();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || !me.may('write')) return;
      if (event.key === 'n') place.open('new');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [me, place]);
  return (
    <div class="page">
      <Header onKeyboard={() => setHelpShown(true)}>
        <span class="space" />
        {!isWriting && state === 'ready' && me.may('write') && (
          <a
            class="button primary"
            href={place.hrefOf('new')}
            aria-label={say('newArticle')}
            onClick={onGo(() => place.open('new'))}
          >
            <Icon name="edit" />
            <span>{say('newArticle')}</span>
          </a>
        )}
      </Header>
      <main class="main">
        {state === 'not_configured' || state === 'refused' ? (
          <div class="empty" role="alert">
            <Icon name="alert" size={28} />
            <h1 class="empty-title">{say(state === 'refused' ? 'refusedKey' : 'notConfigured')}</h1>
            <p class="hint">{say('notConfiguredHint')}</p>
          </div>
        ) : article === undefined ? (
          <ListPage />
        ) : article === 'calendar' ? (
          <Suspense fallback={<Loading />}>
            <CalendarPage />
          </Suspense>
        ) : (
          <ArticlePage id={article === 'new' ? undefined : article} />
        )}
      </main>
      <NoticeView />
      {isHelpShown && (
        <KeyboardHelp
          keys={keys.map(([key, text]) => [key, say(text)])}
          onClose={() => setHelpShown(false)}
        />
      )}
    </div>
  );
}
