import { type ReadonlySignal, signal } from '@preact/signals';
import i18next from 'i18next';
import { isInTrash, originalOf, TRASH } from '../trash.ts';
import { en, type TextKey } from './en.ts';
import { localized } from './locale.ts';
import { visible } from './visible.ts';
import { zh } from './zh.ts';

/** The languages of the page. */
export const LANGUAGES = { en: 'English', zh: '中文' } as const;

/** A language of the page. */
export type Language = keyof typeof LANGUAGES;

/** The name of a text, without the ending that stands for its count. */
export type TextName = TextKey extends infer Key
  ? Key extends `${infer Stem}_one` | `${infer Stem}_other`
    ? Stem
    : Key
  : never;

/** Says a text in the current language. */
export type Say = (name: TextName, values?: Record<string, string | number>) => string;

/** The page's texts, numbers and dates in the current language. */
export class Texts {
  readonly #language: ReturnType<typeof signal<Language>>;
  readonly #i18n = i18next.createInstance();

  constructor(language: Language) {
    this.#language = signal<Language>(language);
    void this.#i18n.init({
      lng: language,
      fallbackLng: 'en',
      resources: { en: { translation: en }, zh: { translation: zh } },
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

  /** See {@link Say}; a count is written with its separators, and what a text names can be seen. */
  readonly say: Say = (name, values = {}) => {
    const language = this.#language.value;
    const written = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        typeof value === 'string' ? visible(value) : key === 'count' ? value : value.toLocaleString(language),
      ]),
    );
    const text = this.#i18n.t(name, {
      ...written,
      interpolation: { skipOnVariables: true, escapeValue: false },
    });
    const { count } = values;
    // The library needs the number to choose the form, and would write it without separators.
    if (typeof count !== 'number' || count < 1000) return text;
    return text.replace(String(count), count.toLocaleString(language));
  };

  /** A size such as `3.2 MB`. */
  size(bytes: number): string {
    const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
    const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
    const value = bytes / 1000 ** power;
    return this.#unit(units[power] ?? 'byte', power > 0 && value < 100 ? 1 : 0).format(value);
  }

  /** A date with its time, short or long. */
  date(ms: number, length: 'short' | 'long' = 'short'): string {
    const dateStyle = length === 'short' ? 'medium' : 'full';
    const make = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'short' });
    return this.#format(this.#dates, length, make).format(ms);
  }

  /** A duration such as `3 min`, rounded up. */
  duration(seconds: number): string {
    const [value, unit] =
      seconds < 90
        ? [seconds, 'second']
        : seconds < 5400
          ? [seconds / 60, 'minute']
          : [seconds / 3600, 'hour'];
    return this.#unit(unit, 0).format(Math.ceil(value));
  }

  /** A folder's name for messages: the root and the trash have one, too. */
  folder(path: string): string {
    if (path === '' || path === TRASH) return this.say(path === '' ? 'root' : 'trash');
    return visible((isInTrash(path) ? originalOf(path) : path).replace(/\/$/, ''));
  }

  /** The name of a file or folder, as it is shown everywhere. */
  name(name: string): string {
    return visible(name) || this.say('unnamed');
  }

  readonly #dates = new Map<string, Intl.DateTimeFormat>();
  readonly #numbers = new Map<string, Intl.NumberFormat>();

  /** Numbers of a unit. */
  #unit(unit: string, maximumFractionDigits: number): Intl.NumberFormat {
    const style = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits } as const;
    const make = (locale: string) => new Intl.NumberFormat(locale, style);
    return this.#format(this.#numbers, `${unit} ${maximumFractionDigits}`, make);
  }

  /**
   * A format of the language as the browser's region writes it: `en-GB` has other dates than `en-US`. Making
   * one costs more than using it a thousand times.
   */
  #format<Format>(made: Map<string, Format>, name: string, make: (locale: string) => Format): Format {
    const language = this.#language.value ?? 'en';
    const key = `${language} ${name}`;
    const format = made.get(key) ?? localized(make, language);
    made.set(key, format);
    return format;
  }
}
