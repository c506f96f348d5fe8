const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** What is a language with its script, region and so on (BCP 47), and nothing else: not `und`, not `mul`. */
const TAG = /^(?!und|mul|mis|zxx)[a-z]{2,3}(?:-[a-z\d]{1,8})*$/i;

/** The most characters of a tag: BCP 47, section 4.4.1. */
const MAX_TAG = 35;

/** A language tag of BCP 47 in its canonical form: `zh-hant_tw` is `zh-Hant-TW`; undefined if it is none. */
export function languageTag(text: string): string | undefined {
  const given = text.trim().replaceAll('_', '-');
  if (given.length > MAX_TAG || !TAG.test(given)) return undefined;
  try {
    const { baseName, language } = new Intl.Locale(given);
    return NAMES.of(language) === undefined ? undefined : baseName;
  } catch {
    return undefined;
  }
}
