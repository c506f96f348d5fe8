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
