import { type ReadonlySignal, signal } from '@preact/signals';
import type { Language } from '../text/voice.ts';
import { keep, kept } from './storage.ts';

export type Theme = 'system' | 'light' | 'dark';

const THEME = 'pressroom-theme';
const LANGUAGE = 'pressroom-language';

export class Preferences {
  readonly #theme = signal<Theme>('system');

  constructor() {
    const theme = kept(() => localStorage.getItem(THEME));
    this.setTheme(theme === 'light' || theme === 'dark' ? theme : 'system');
  }

  /** The chosen look. */
  get theme(): ReadonlySignal<Theme> {
    return this.#theme;
  }

  setTheme(theme: Theme): void {
    this.#theme.value = theme;
    document.documentElement.dataset.theme = theme;
    keep(() => localStorage.setItem(THEME, theme));
  }

  /** True if a language was chosen in this browser. */
  get hasLanguage(): boolean {
    return kept(() => localStorage.getItem(LANGUAGE)) !== undefined;
  }

  /** The chosen language, else the browser's. */
  get language(): Language {
    const wanted =
      kept(() => localStorage.getItem(LANGUAGE)) ??
      navigator.languages.find((tag) => /^(en|zh)\b/.test(tag)) ??
      'en';
    return wanted.startsWith('zh') ? 'zh' : 'en';
  }

  keepLanguage(language: Language): void {
    keep(() => localStorage.setItem(LANGUAGE, language));
  }
}
