import type { ReadonlySignal } from '@preact/signals';
import type { en } from './en.ts';
import type { problemsEn } from './problems-en.ts';
import { visible } from './visible.ts';
import type { Language, Voice } from './voice.ts';

/** The names of texts, without the ending that stands for a count. */
export type TextNameOf<English> = keyof English extends infer Key
  ? Key extends `${infer Stem}_one` | `${infer Stem}_other`
    ? Stem
    : Key
  : never;

/** The names of the texts that all sections have. */
export type SharedTextName = TextNameOf<typeof en> | keyof typeof problemsEn;

/** Says a text in the current language. */
export type Say<Name = SharedTextName> = (name: Name, values?: Record<string, string | number>) => string;

/** Texts, numbers and dates in the current language. */
export class Texts<Name = SharedTextName> {
  readonly #voice: Voice;
  readonly #section: string;

  /** @param section whose texts the voice has learned; those that all share are always there */
  constructor(voice: Voice, section = '') {
    this.#voice = voice;
    this.#section = section;
  }

  /** The current language. */
  get language(): ReadonlySignal<Language> {
    return this.#voice.language;
  }

  /** The time zone of whoever reads; undefined for that of the browser. */
  get zone(): ReadonlySignal<string | undefined> {
    return this.#voice.zone;
  }

  /** See {@link Say}; a count is written with its separators, and what a text names can be seen. */
  readonly say: Say<Name> = (name, values = {}) => {
    const language = this.#voice.language.value;
    const written = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        typeof value === 'string' ? visible(value) : key === 'count' ? value : value.toLocaleString(language),
      ]),
    );
    const text = this.#voice.read(this.#section, String(name), written);
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
    // The short form of a byte has no plural.
    const display = power === 0 ? 'long' : 'short';
    return this.#unit(units[power] ?? 'byte', power > 0 && value < 100 ? 1 : 0, display).format(value);
  }

  /** A date with its time, short or long, by default in the time zone of whoever reads. */
  date(ms: number, length: 'short' | 'long' = 'short', timeZone = this.#voice.zone.value): string {
    const dateStyle = length === 'short' ? 'medium' : 'full';
    const make = (locale: string) =>
      new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'short', timeZone });
    return this.#format(this.#dates, `${length} ${timeZone}`, make).format(ms);
  }

  /** The day of a time, with its weekday, or the time of that day, where `date` gives both. */
  readonly part = (ms: number, part: 'day' | 'time'): string => {
    const timeZone = this.#voice.zone.value;
    const style = part === 'day' ? ({ dateStyle: 'full' } as const) : ({ timeStyle: 'short' } as const);
    const make = (locale: string) => new Intl.DateTimeFormat(locale, { ...style, timeZone });
    return this.#format(this.#dates, `${part} ${timeZone}`, make).format(ms);
  };

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

  /** The distance of a time from now, in either direction; beyond 30 days, which nobody counts, its date. */
  readonly ago = (time: string, now = Date.now()): string => {
    const seconds = (Date.parse(time) - now) / 1000;
    if (Math.abs(seconds) > 30 * 86_400) {
      const timeZone = this.#voice.zone.value;
      const make = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
      return this.#format(this.#dates, `date ${timeZone}`, make).format(Date.parse(time));
    }
    const [value, unit] =
      Math.abs(seconds) < 3600
        ? ([seconds / 60, 'minute'] as const)
        : Math.abs(seconds) < 86_400
          ? ([seconds / 3600, 'hour'] as const)
          : ([seconds / 86_400, 'day'] as const);
    const make = (locale: string) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
    const format = localized(make, this.#voice.language.value);
    const rounded = Math.round(value);
    // "Now", where 0 minutes would be "this minute".
    return rounded === 0 ? format.format(0, 'second') : format.format(rounded, unit);
  };

  /** Names or values one after another, without a word before the last one: `a, b, c`. */
  readonly list = (values: readonly string[]): string => {
    const language = this.#voice.language.value;
    return new Intl.ListFormat(language, { type: 'conjunction', style: 'narrow' }).format(values);
  };

  /** Sentences one after another, without those that are false: Chinese has no space between them. */
  readonly sentences = (...sentences: readonly (string | false)[]): string =>
    sentences.filter((sentence) => sentence !== false).join(this.#voice.language.value === 'zh' ? '' : ' ');

  /** The name of a file or folder, as it is shown everywhere. */
  name(name: string): string {
    return visible(name) || this.#voice.read(this.#section, 'unnamed', {});
  }

  /** The title of an article, as it is shown everywhere. */
  title(title: string): string {
    return visible(title) || this.#voice.read(this.#section, 'untitled', {});
  }

  readonly #dates = new Map<string, Intl.DateTimeFormat>();
  readonly #numbers = new Map<string, Intl.NumberFormat>();

  #unit(unit: string, maximumFractionDigits: number, unitDisplay: 'short' | 'long' = 'short') {
    const style = { style: 'unit', unit, unitDisplay, maximumFractionDigits } as const;
    const make = (locale: string) => new Intl.NumberFormat(locale, style);
    return this.#format(this.#numbers, `${unit} ${unitDisplay} ${maximumFractionDigits}`, make);
  }

  /**
   * A format of the language as the browser's region writes it: `en-GB` has other dates than `en-US`. Making
   * one costs more than using it a thousand times.
   */
  #format<Format>(made: Map<string, Format>, name: string, make: (locale: string) => Format): Format {
    const language = this.#voice.language.value;
    const key = `${language} ${name}`;
    const format = made.get(key) ?? localized(make, language);
    made.set(key, format);
    return format;
  }
}

/**
 * Makes a format in the first of the browser's locales that it takes, only of `language` if that is given; a
 * browser may name some that its own formats refuse, such as `en-US@posix`.
 */
export function localized<Format>(make: (locale: string) => Format, language?: string): Format {
  for (const locale of navigator.languages) {
    if (language !== undefined && locale.split('-')[0] !== language) continue;
    try {
      return make(locale);
    } catch {}
  }
  return make(language ?? 'en');
}
