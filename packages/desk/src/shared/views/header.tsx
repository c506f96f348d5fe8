import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useDesk } from '../desk.ts';
import { SECTIONS } from '../state/address.ts';
import type { Theme } from '../state/preferences.ts';
import { LANGUAGES, type Language } from '../text/voice.ts';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';
import { MissingFilesDialog } from './loading.tsx';
import { Menu } from './menu.tsx';
import type { MenuItem } from './menu-item.ts';

const THEMES = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' } as const;

interface HeaderProps {
  /** The section's own controls, between the sections and the menu. */
  children: ComponentChildren;
  items?: readonly MenuItem[];
  onSelect?: (value: string) => void;
  /** Shows the keys of the section, if it has any. */
  onKeyboard?: () => void;
}

/** The sections, what the one that is open has at hand, and the menu. */
export function Header({ children, items = [], onSelect, onKeyboard }: HeaderProps) {
  return (
    <header class="header">
      <Home />
      <Sections />
      {children}
      <MainMenu items={items} onSelect={onSelect} onKeyboard={onKeyboard} />
    </header>
  );
}

function Home() {
  const { address, texts } = useDesk();
  const name = texts.say('home');
  return (
    <Link
      to="home"
      class="brand-mark"
      aria-label={name}
      title={name}
      aria-current={address.here.value.section === 'home' ? 'page' : undefined}
    >
      <Icon name="desk" size={16} />
    </Link>
  );
}

function Sections() {
  const { address, me, texts } = useDesk();
  const { section } = address.here.value;
  return (
    <nav class="sections" aria-label={texts.say('sections')}>
      {SECTIONS.filter((name) => name !== 'people' || me.may('administer')).map((name) => {
        const label = texts.say(name === 'people' ? 'admin' : name);
        return (
          <Link key={name} to={name} aria-label={label} aria-current={name === section ? 'page' : undefined}>
            <Icon name={name} size={16} />
            <span>{label}</span>
          </Link>
        );
      })}
    </nav>
  );
}

function MainMenu({ items, onSelect, onKeyboard }: Omit<HeaderProps, 'children'>) {
  const { address, me, preferences, service, session, texts, voice } = useDesk();
  const { say } = texts;
  const theme = preferences.theme.value;
  const [isMissing, setMissing] = useState(false);
  const lines: MenuItem[] = [
    ...(items ?? []),
    ...(onKeyboard === undefined
      ? []
      : [{ value: 'keyboard', label: say('keyboard'), icon: 'keyboard', shortcut: '?' } as const]),
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
    ...(me.may('edit')
      ? [{ value: 'moving', label: say('moving'), icon: 'download', heading: '' } as const]
      : []),
    ...(me.may('administer')
      ? [
          { value: 'people/site', label: say('siteSettings'), icon: 'settings' } as const,
          { value: 'operations', label: say('operations'), icon: 'operations' } as const,
        ]
      : []),
    {
      ...{ value: 'account', label: say('account'), icon: 'account' },
      ...(!me.may('edit') && { heading: '' }),
    },
    { value: 'logout', label: say('logOut'), icon: 'logout' },
  ];
  const select = async (value: string) => {
    if (value === 'keyboard') return onKeyboard?.();
    if (['account', 'moving', 'operations', 'people/site'].includes(value)) return address.go(value);
    if (value in THEMES) return preferences.setTheme(value as Theme);
    if (value in LANGUAGES) {
      preferences.keepLanguage(value as Language);
      // Without a network it is spoken when the page is loaded again.
      return voice.speak(value as Language).catch(() => setMissing(true));
    }
    if (value !== 'logout') return onSelect?.(value);
    const elsewhere = await service.logOut();
    // Nothing of the site stays in the page.
    void session.wait();
    location.assign(elsewhere ?? location.pathname);
  };
  return (
    <>
      <Menu label={say('settings')} items={lines} onSelect={(value) => void select(value)}>
        <Icon name="settings" />
      </Menu>
      {isMissing && <MissingFilesDialog title={say('language')} onClose={() => setMissing(false)} />}
    </>
  );
}
