import {
  localized,
  type Say as SayOf,
  type SharedTextName,
  type TextNameOf,
  Texts as TextsOf,
} from '../../shared/text/texts.ts';
import type { Term } from '../api/types.ts';
import type { en } from './en.ts';

export type TextName = SharedTextName | TextNameOf<typeof en>;

/** Says a text in the current language. */
export type Say = SayOf<TextName>;

/** The section's texts. */
export class Texts extends TextsOf<TextName> {
  /** How long ago something was, or how soon it will be. */
  readonly ago = (time: string, now = Date.now()): string => {
    const seconds = (Date.parse(time) - now) / 1000;
    const [value, unit] =
      Math.abs(seconds) < 3600
        ? ([seconds / 60, 'minute'] as const)
        : Math.abs(seconds) < 86_400
          ? ([seconds / 3600, 'hour'] as const)
          : ([seconds / 86_400, 'day'] as const);
    const make = (locale: string) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
    return localized(make, this.language.value).format(Math.round(value), unit);
  };

  /** A day such as `2026-11-25`, as people write it. */
  readonly day = (date: string): string => {
    const make = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' });
    return localized(make, this.language.value).format(new Date(`${date}T00:00:00Z`));
  };

  readonly languageName = (tag: string): string => {
    try {
      return new Intl.DisplayNames([this.language.value], { type: 'language' }).of(tag) ?? tag;
    } catch {
      return tag;
    }
  };

  readonly label = (terms: readonly Term[] | undefined, name: string): string =>
    terms?.find((term) => term.name === name)?.label ?? name;
}
