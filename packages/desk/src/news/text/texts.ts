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
  /** A day such as `2026-11-25`, as people write it. */
  readonly day = (date: string): string => {
    const make = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' });
    return localized(make, this.language.value).format(new Date(`${date}T00:00:00Z`));
  };

  /** A time zone as people name it, such as `China Standard Time`. */
  readonly zoneName = (timeZone: string | undefined): string => {
    const style = { timeZone, timeZoneName: 'longGeneric' } as const;
    const format = new Intl.DateTimeFormat(this.language.value, style);
    return format.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? '';
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
