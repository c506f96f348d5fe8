/** A time as readers see it: the day in the zone of the site, in the language of the page. */
export function day(time: string | null, language: string, timeZone: string): string {
  const days = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone });
  return time === null ? 'Draft' : days.format(new Date(time));
}

/** The path of a page, by the pattern of its kind. */
export function pathOf(pattern: string, { id, slug }: { id: number; slug: string }): string {
  return pattern.replaceAll('{id}', String(id)).replaceAll('{slug}', slug);
}
