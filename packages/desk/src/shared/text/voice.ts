import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import i18next from 'i18next';
import { en } from './en.ts';

export const LANGUAGES = { en: 'English', zh: '中文' } as const;

export type Language = keyof typeof LANGUAGES;

const SHARED = 'shared';
const PROBLEMS = 'problems';

/** Loads texts by their names, for each language. */
export type Catalogue = Readonly<Record<Language, () => Promise<Readonly<Record<string, string>>>>>;

/** The language that all sections speak, and the texts that have been loaded. */
export class Voice {
  readonly #language: Signal<Language>;
  #wanted: Language | undefined;
  readonly #i18n = i18next.createInstance();
  readonly #catalogues = new Map<string, Catalogue>();
  readonly #knowsProblems = signal(false);
  readonly #zone = signal<string | undefined>(undefined);

  constructor(language: Language) {
    this.#language = signal(language);
    void this.#i18n.init({
      lng: language,
      fallbackLng: 'en',
      resources: { en: { [SHARED]: en } },
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
  get language(): ReadonlySignal<Language> {
    return this.#language;
  }

  /** The time zone in which times are said; undefined for that of the browser. */
  get zone(): ReadonlySignal<string | undefined> {
    return this.#zone;
  }

  /** Says times in this zone from now on, or in that of the browser, also if it does not know this one. */
  liveIn(zone: string | null): void {
    this.#zone.value = zone !== null && isZone(zone) ? zone : undefined;
  }

  /** Changes the language of all that is shown once its texts are there; the one wanted last stays. */
  async speak(language: Language): Promise<void> {
    this.#wanted = language;
    const loading = [...this.#catalogues].map(([section, texts]) => this.#load(section, texts, language));
    const isWanted = () => this.#wanted === language;
    await Promise.all(loading).catch((error: unknown) => {
      if (isWanted()) throw error;
    });
    if (!isWanted()) return;
    void this.#i18n.changeLanguage(language);
    document.documentElement.lang = language;
    this.#language.value = language;
  }

  /** Takes up what all sections say; where it cannot be loaded, they say it in English. */
  async learnShared(): Promise<void> {
    const texts: Catalogue = { en: async () => en, zh: async () => (await import('./zh.ts')).zh };
    await this.learn(SHARED, texts).catch(() => undefined);
  }

  /** Takes up the texts of a section: those of the language that is spoken, and others when they are. */
  async learn(section: string, catalogue: Catalogue): Promise<void> {
    this.#catalogues.set(section, catalogue);
    const language = this.#language.peek();
    await this.#load(section, catalogue, language);
    if (language !== this.#language.peek()) await this.learn(section, catalogue);
  }

  /** Takes up the texts of problems; without them a problem is said in general. */
  async learnProblems(): Promise<void> {
    if (this.#knowsProblems.peek()) return;
    const texts: Catalogue = {
      en: async () => (await import('./problems-en.ts')).problemsEn,
      zh: async () => (await import('./problems-zh.ts')).problemsZh,
    };
    await this.learn(PROBLEMS, texts).then(
      () => {
        this.#knowsProblems.value = true;
      },
      () => this.#catalogues.delete(PROBLEMS),
    );
  }

  async #load(section: string, catalogue: Catalogue, language: Language): Promise<void> {
    if (this.#i18n.hasResourceBundle(language, section)) return;
    this.#i18n.addResourceBundle(language, section, await catalogue[language]());
  }

  /** A text of a section, else the one that all share, with its values filled in, whatever they contain. */
  read(section: string, name: string, values: Readonly<Record<string, unknown>>): string {
    if (/^(?:problem|fault|field)_/.test(name) && !this.#knowsProblems.value) void this.learnProblems();
    const interpolation = { skipOnVariables: true, escapeValue: false };
    return this.#i18n.t(name, { ...values, ns: [section, PROBLEMS, SHARED], interpolation });
  }
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
