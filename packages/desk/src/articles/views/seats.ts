import type { Seat } from '../state/presence.ts';
import type { Texts } from '../text/texts.ts';

/** The names of people who have an article open, each once. */
export function listed(seats: readonly Seat[], texts: Texts): string {
  const names = new Set(seats.map(({ name }) => texts.name(name)));
  return new Intl.ListFormat(texts.language.value).format(names);
}
