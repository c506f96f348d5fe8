/** A time as readers see it: the day, in the language of the page. */
export function day(time: string | null, language: string): string {
  const days = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  return time === null ? 'Draft' : days.format(new Date(time));
}

/** The path of a page, by the pattern of its kind. */
export function pathOf(pattern: string, { id, slug }: { id: number; slug: string }): string {
  return pattern.replaceAll('{id}', String(id)).replaceAll('{slug}', slug);
}
