import { useApp } from '../app-context.ts';
import type { Theme } from '../state/preferences.ts';
import { LANGUAGES, type Language } from '../text/texts.ts';
import { isInTrash, originalOf, TRASH } from '../trash.ts';
import { dropOn } from './entry-link.tsx';
import { Icon } from './icon.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import { UploadButton } from './upload-button.tsx';

const THEMES = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' } as const;

/** Where the page is, and what is always at hand. */
export function Header() {
  const { place, texts } = useApp();
  const { folder, screen } = place.value.value;
  const isFiles = screen === 'files';
  return (
    <header class="header">
      <a
        class="brand"
        aria-label={texts.say('gallery')}
        href={place.href({ screen: 'files', folder: '', file: undefined, filter: '', everywhere: false })}
        onClick={(event) => {
          event.preventDefault();
          place.go({ screen: 'files', folder: '', file: undefined, filter: '', everywhere: false });
        }}
      >
        <span class="brand-mark">
          <Icon name="image" size={16} />
        </span>
        <span class="brand-name">{texts.say('gallery')}</span>
      </a>
      {isFiles ? <Breadcrumb /> : <span class="header-title">{texts.say('buckets')}</span>}
      <span class="space" />
      {isFiles && !isInTrash(folder) && <UploadButton />}
      <MainMenu />
    </header>
  );
}

function Breadcrumb() {
  const { place, texts, transfers } = useApp();
  const { folder } = place.value.value;
  const steps = stepsOf(folder);
  return (
    <nav class="breadcrumb" aria-label={texts.say('path')}>
      <ol key={folder} ref={showEnd}>
        {steps.map(({ path, name }, index) => {
          const isLast = index === steps.length - 1;
          const change = { folder: path, file: undefined, filter: '', everywhere: false };
          return (
            <li key={path}>
              {index > 0 && <Icon name="next" size={14} />}
              <a
                href={place.href(change)}
                aria-current={isLast ? 'page' : undefined}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                  event.preventDefault();
                  place.go(change);
                }}
                {...dropOn(path, transfers)}
              >
                <bdi>{path === '' || path === TRASH ? texts.folder(path) : texts.name(name)}</bdi>
              </a>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

/** Of a path that is longer than the window, the end matters. */
function showEnd(list: HTMLElement | null): void {
  list?.scrollTo({ left: list.scrollWidth });
}

/** The folders from the root to this one; those of deletions in the trash have no names. */
function stepsOf(folder: string): { path: string; name: string }[] {
  const steps = [{ path: '', name: '' }];
  for (let end = folder.indexOf('/'); end !== -1; end = folder.indexOf('/', end + 1)) {
    const from = steps.at(-1)?.path.length ?? 0;
    steps.push({ path: folder.slice(0, end + 1), name: folder.slice(from, end) });
  }
  return steps.filter(({ path }) => !isInTrash(path) || originalOf(path) !== '');
}

function MainMenu() {
  const { api, dialogs, place, preferences, session, texts } = useApp();
  const { say } = texts;
  const theme = preferences.theme.value;
  const items: MenuItem[] = [
    { value: 'trash', label: say('trash'), icon: 'delete' },
    { value: 'buckets', label: say('buckets'), icon: 'buckets' },
    { value: 'keyboard', label: say('keyboard'), icon: 'keyboard', shortcut: '?' },
    ...Object.entries(THEMES).map(([value, text], index) => ({
      value,
      label: say(text),
      checked: theme === value,
      ...(index === 0 && { heading: say('theme') }),
    })),
    ...Object.entries(LANGUAGES).map(([value, label], index) => ({
      value,
      label,
      checked: texts.language.value === value,
      ...(index === 0 && { heading: say('language') }),
    })),
    { value: 'logout', label: say('logOut'), icon: 'logout', heading: '' },
  ];
  const select = async (value: string) => {
    if (value === 'trash') {
      const change = { folder: TRASH, file: undefined, filter: '', everywhere: false } as const;
      return place.go({ ...change, screen: 'files', sort: 'modified', descending: true });
    }
    if (value === 'buckets') return place.go({ screen: 'buckets', file: undefined });
    if (value === 'keyboard') return dialogs.show({ kind: 'keyboard' });
    if (value in THEMES) return preferences.setTheme(value as Theme);
    if (value in LANGUAGES) {
      preferences.keepLanguage(value as Language);
      return texts.speak(value as Language);
    }
    await api.logOut();
    // Nothing of the bucket stays in the page.
    void session.wait();
    location.assign(location.pathname);
  };
  return (
    <Menu label={say('settings')} items={items} onSelect={(value) => void select(value)}>
      <Icon name="settings" />
    </Menu>
  );
}
