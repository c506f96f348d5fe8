import { useEffect, useState } from 'preact/hooks';
import { useTitle } from '../../shared/desk.ts';
import { Header } from '../../shared/views/header.tsx';
import { KeyboardHelp } from '../../shared/views/keyboard-help.tsx';
import { Link } from '../../shared/views/link.tsx';
import type { Vocabulary } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { pathTo, placeOf, SCREENS, type Screen } from '../state/news-place.ts';
import type { TextName } from '../text/texts.ts';
import { Hot } from './hot.tsx';
import { Report } from './report.tsx';
import { SourcePage } from './source-page.tsx';
import { Sources } from './sources.tsx';
import { Stories } from './stories.tsx';
import { Today } from './today.tsx';
import { Waiting } from './trouble.tsx';
import { useAnswer } from './use-answer.ts';
import { useKeys } from './use-keys.ts';

/** The interval between requests for the newsroom's status, in ms. */
const STATUS_MS = 60_000;

/** The keys of the section, and what they do. */
const KEYS: readonly (readonly [keys: string, text: TextName])[] = [
  ['1 – 5', 'keyScreens'],
  ['j / k', 'keyMove'],
  ['Enter', 'showDetails'],
  ['Space', 'keyChoose'],
  ['s', 'keySelectItem'],
  ['d', 'keyDeselect'],
  ['w', 'keyWithdraw'],
  ['e', 'edit'],
  ['a', 'keyAdd'],
  ['c', 'compare'],
  ['Alt+↑ / Alt+↓', 'keyReorder'],
  ['l', 'makeLead'],
  ['u', 'undo'],
  ['/', 'keySearch'],
  ['?', 'keyboard'],
];

/** The section: one screen, and what was done last. */
export function NewsPage({ onVocabulary }: { onVocabulary: (vocabulary: Vocabulary) => void }) {
  const { address, api, edits, texts } = useNews();
  const { say } = texts;
  const language = texts.language.value;
  const { screen, id } = placeOf(address.here.value);
  const [isHelping, setHelping] = useState(false);
  const vocabulary = useAnswer((signal) => api.vocabulary(signal), 'vocabulary');
  useEffect(() => {
    if (vocabulary.value !== undefined) onVocabulary(saidIn(language, vocabulary.value));
  }, [vocabulary.value, language]);
  useTitle(say(screen), say('news'));
  useKeys({
    '?': () => setHelping(true),
    '/': () => document.querySelector<HTMLElement>('[type="search"]')?.focus(),
    u: () => void edits.undo(),
    ...Object.fromEntries(SCREENS.map((name, index) => [String(index + 1), () => address.go(pathTo(name))])),
  });
  return (
    <div class="page news">
      <Header onKeyboard={() => setHelping(true)}>
        <span class="space" />
      </Header>
      <main class="main">
        <h1 class="unseen">{say(screen)}</h1>
        <nav class="screens" aria-label={say('screens')}>
          {SCREENS.map((name) => (
            <Link key={name} to={pathTo(name)} aria-current={name === screen ? 'page' : undefined}>
              {say(name)}
            </Link>
          ))}
        </nav>
        {vocabulary.value === undefined ? (
          <Waiting asked={vocabulary} />
        ) : (
          <>
            <NewsroomNotice />
            <ScreenView screen={screen} id={id} />
          </>
        )}
      </main>
      {isHelping && (
        <KeyboardHelp
          keys={KEYS.map(([key, text]) => [key, say(text)] as const)}
          onClose={() => setHelping(false)}
        />
      )}
    </div>
  );
}

function ScreenView({ screen, id }: { screen: Screen; id: string | undefined }) {
  switch (screen) {
    case 'today':
      return <Today />;
    case 'sources':
      return id === undefined ? <Sources /> : <SourcePage key={id} id={Number(id)} />;
    case 'report':
      return <Report />;
    case 'stories':
      return <Stories />;
    case 'hot':
      return <Hot />;
  }
}

/** Without a worker, nothing is read. */
function NewsroomNotice() {
  const { api, texts } = useNews();
  const { say } = texts;
  const [turn, setTurn] = useState(0);
  const { value } = useAnswer((signal) => api.status(signal), 'status', { turn });
  useEffect(() => {
    const timer = setInterval(() => setTurn((one) => one + 1), STATUS_MS);
    return () => clearInterval(timer);
  }, []);
  if (value === undefined) return null;
  const hasFailed = value.schedules.some(({ lastError }) => lastError !== null);
  if (value.workers > 0 && !hasFailed) return null;
  return (
    <p class="notice" role="status">
      {say(value.workers === 0 ? 'noWorker' : 'scheduleFailed')}
    </p>
  );
}

/** With the labels of packs in a language; one that the site has set stays as readers see it. */
function saidIn(language: string, { categories, directions, ...others }: Vocabulary): Vocabulary {
  const said = <One extends Vocabulary['directions'][number]>(one: One): One => {
    return { ...one, label: one.packLabels?.[language] ?? one.label };
  };
  return { ...others, categories: categories.map(said), directions: directions.map(said) };
}
