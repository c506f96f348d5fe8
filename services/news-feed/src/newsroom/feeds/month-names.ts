/** Languages of which feeds have names of months, whatever they say that their language is. */
const LANGUAGES =
  'de fr it es pt nl ru uk pl cs sk sv da nb fi hu ro tr el bg hr sr sl ca eu gl et lv lt id vi'.split(' ');

/** The first letters of a name that name a month where nothing else does. */
const LEAST_LETTERS = 3;

const known = new Map<string, Map<string, number>>();

/** The months of a language by their names, from 1 to 12: alone, beside a day, and short. */
export function monthsOf(language: string): Map<string, number> {
  const names = known.get(language) ?? new Map<string, number>();
  known.set(language, names);
  if (names.size > 0) return names;
  for (const month of ['long', 'short'] as const) {
    for (const day of [undefined, 'numeric'] as const) {
      const format = new Intl.DateTimeFormat(language, { month, day, timeZone: 'UTC' });
      for (let number = 1; number <= 12; number += 1) {
        const parts = format.formatToParts(Date.UTC(2026, number - 1, 1));
        const name = parts.find(({ type }) => type === 'month')?.value;
        if (name !== undefined) names.set(name.toLowerCase().replace(/\.$/, ''), number);
      }
    }
  }
  return names;
}

/**
 * The month of a name, or of its beginning, from 1 to 12: in the language that is known, in English, else in
 * whatever languages have it; undefined where they mean different months.
 *
 * @param language BCP 47
 */
export function monthNamed(text: string, language = 'en'): number | undefined {
  const name = text.toLowerCase().replace(/\.$/, '');
  const likely = monthIn(language, name) ?? monthIn('en', name);
  if (likely !== undefined) return likely;
  const [month, other] = new Set(LANGUAGES.flatMap((language) => monthIn(language, name) ?? []));
  return other === undefined ? month : undefined;
}

function monthIn(language: string, name: string): number | undefined {
  const names = monthsOf(language);
  const whole = names.get(name);
  if (whole !== undefined || name.length < LEAST_LETTERS) return whole;
  const first = name.slice(0, LEAST_LETTERS);
  const [month, other] = new Set(
    [...names].flatMap(([own, number]) => (own.startsWith(first) && !/\d/.test(own) ? [number] : [])),
  );
  return other === undefined ? month : undefined;
}
