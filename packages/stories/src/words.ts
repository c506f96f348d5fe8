/** The sentences of reasons and digests for readers, in one language. */
interface Words {
  sources: (count: number) => string;
  /** In a digest: news in a story's latest report. */
  newSince: (source: string, facts: string) => string;
  /** In a digest: contradictions of an earlier report. */
  differ: (now: string, newer: string, then: string, older: string) => string;
  comma: string;
}

const ENGLISH: Words = {
  sources: (count) => `${count} sources report on it.`,
  newSince: (source, facts) => `New since ${source}: ${facts}.`,
  differ: (now, newer, then, older) =>
    `This contradicts earlier reporting: ${newer} has “${now}”, ${older} had “${then}”.`,
  comma: ', ',
};

const WORDS: Readonly<Record<string, Words>> = {
  en: ENGLISH,
  zh: {
    sources: (count) => `共 ${count} 家来源报道。`,
    newSince: (source, facts) => `自${source}报道以来新增：${facts}。`,
    differ: (now, newer, then, older) => `与此前报道不一致：${newer}称“${now}”，${older}曾称“${then}”。`,
    comma: '、',
  },
  es: {
    sources: (count) => `${count} medios informan de ello.`,
    newSince: (source, facts) => `Nuevo desde ${source}: ${facts}.`,
    differ: (now, newer, then, older) =>
      `Esto contradice lo publicado antes: ${newer} dice «${now}», ${older} decía «${then}».`,
    comma: ', ',
  },
  de: {
    sources: (count) => `${count} Quellen berichten darüber.`,
    newSince: (source, facts) => `Neu seit ${source}: ${facts}.`,
    differ: (now, newer, then, older) =>
      `Das widerspricht früheren Berichten: ${newer} schreibt „${now}“, ${older} schrieb „${then}“.`,
    comma: ', ',
  },
  fr: {
    sources: (count) => `${count} sources en parlent.`,
    newSince: (source, facts) => `Nouveau depuis ${source} : ${facts}.`,
    differ: (now, newer, then, older) =>
      `Cela contredit ce qui a été publié : ${newer} donne « ${now} », ${older} donnait « ${then} ».`,
    comma: ', ',
  },
  pt: {
    sources: (count) => `${count} fontes noticiam o assunto.`,
    newSince: (source, facts) => `Novo desde ${source}: ${facts}.`,
    differ: (now, newer, then, older) =>
      `Isto contradiz o que foi noticiado antes: ${newer} diz «${now}», ${older} dizia «${then}».`,
    comma: ', ',
  },
  ja: {
    sources: (count) => `${count}社が報じています。`,
    newSince: (source, facts) => `${source}の報道以降の新情報：${facts}。`,
    differ: (now, newer, then, older) =>
      `これまでの報道と食い違います：${newer}は「${now}」、${older}は「${then}」としていました。`,
    comma: '、',
  },
};

/** The primary subtag of a language tag (BCP 47), by which words and labels are kept; of none, English. */
export function primaryLanguage(tag: string | null | undefined): string {
  const { language, script } = new Intl.Locale(tag ?? 'en').maximize();
  // The Chinese texts here are in simplified characters.
  return script === 'Hant' ? 'zh-Hant' : language;
}

/** The words in a language (BCP 47), in English where there are none in it. */
export function wordsIn(tag: string | null | undefined): Words {
  return WORDS[primaryLanguage(tag)] ?? ENGLISH;
}

/** The language that a text is in: as its script says, else the one that is known of it. */
export function languageOfText(text: string, known: string | null): string | null {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  if (/\p{Script=Han}/u.test(text)) return known === 'ja' ? 'ja' : 'zh';
  return known;
}
