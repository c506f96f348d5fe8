/** The languages that are told by their names; any other is written as a tag. */
const TAGS =
  'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt ro ru sk sl sr sv sw th tr uk ur vi zh';

/** The tag of the language that a text names in `language`, English or its own: 德语 and Deutsch are de. */
export function languageOf(text: string, language: string): string | undefined {
  const words = text.trim().toLowerCase();
  return TAGS.split(' ').find((tag) =>
    [language, 'en', tag].some((named) => {
      const name = new Intl.DisplayNames([named], { type: 'language' }).of(tag);
      return name?.toLowerCase() === words;
    }),
  );
}
