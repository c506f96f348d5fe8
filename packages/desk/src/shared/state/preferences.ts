import { type ReadonlySignal, signal } from '@preact/signals';
import type { Language } from '../text/voice.ts';

/** How the page looks, whatever the system says. */
export type Theme = 'system' | 'light' | 'dark';

const THEME = 'pressroom-theme';
const LANGUAGE = 'pressroom-language';

/** What a person has chosen in this browser. */
export class Preferences {
  readonly #theme = signal<Theme>('system');

  constructor() {
    const theme = read(THEME);
    this.setTheme(theme === 'light' || theme === 'dark' ? theme : 'system');
  }

  /** The chosen look. */
  get theme(): ReadonlySignal<Theme> {
    return this.#theme;
  }

  /** Chooses the look, and keeps it. */
  setTheme(theme: Theme): void {
    this.#theme.value = theme;
    document.documentElement.dataset.theme = theme;
    keep(THEME, theme);
  }

  /** The chosen language, else the browser's. */
  get language(): Language {
    const wanted = read(LANGUAGE) ?? navigator.languages.find((tag) => /^(en|zh)\b/.test(tag)) ?? 'en';
    return wanted.startsWith('zh') ? 'zh' : 'en';
  }

  /** Keeps the chosen language. */
  keepLanguage(language: Language): void {
    keep(LANGUAGE, language);
  }
}

function read(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A browser that stores nothing for this page only forgets the choice. */
function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {}
}
