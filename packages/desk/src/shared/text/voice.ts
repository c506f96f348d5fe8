import { type ReadonlySignal, signal } from '@preact/signals';
import i18next from 'i18next';
import { en } from './en.ts';
import { zh } from './zh.ts';

/** The languages of the desk. */
export const LANGUAGES = { en: 'English', zh: '中文' } as const;

/** A language of the desk. */
export type Language = keyof typeof LANGUAGES;

/** The texts that all sections have. */
const SHARED = 'shared';

/** Texts by their names, in each language. */
export type Catalogue = Readonly<Record<Language, Readonly<Record<string, string>>>>;

/** The language that all sections speak, and the texts that have been loaded. */
export class Voice {
  readonly #language: ReturnType<typeof signal<Language>>;
  readonly #i18n = i18next.createInstance();

  constructor(language: Language) {
    this.#language = signal<Language>(language);
    void this.#i18n.init({
      lng: language,
      fallbackLng: 'en',
      resources: { en: { [SHARED]: en }, zh: { [SHARED]: zh } },
      defaultNS: SHARED,
      // Preact escapes what it renders.
      interpolation: { escapeValue: false },
      initAsync: false,
      keySeparator: false,
      nsSeparator: false,
    });
    document.documentElement.lang = language;
  }

  /** The current language. */
  get language(): ReadonlySignal<Language | undefined> {
    return this.#language;
  }

  /** Changes the language of everything that is shown. */
  speak(language: Language): void {
    void this.#i18n.changeLanguage(language);
    document.documentElement.lang = language;
    this.#language.value = language;
  }

  /** Takes up the texts of a section. */
  learn(section: string, catalogue: Catalogue): void {
    for (const [language, texts] of Object.entries(catalogue)) {
      this.#i18n.addResourceBundle(language, section, texts);
    }
  }

  /** A text of a section, else the one that all share, with its values filled in, whatever they contain. */
  read(section: string, name: string, values: Readonly<Record<string, unknown>>): string {
    const interpolation = { skipOnVariables: true, escapeValue: false };
    return this.#i18n.t(name, { ...values, ns: [section, SHARED], interpolation });
  }
}
