import type { Calendar, Period } from './calendar.ts';

/** Texts of the newsroom and the feed for readers, in one language. */
export interface Words {
  /** The name of a period's reports. */
  report: Record<Period, string>;
  reportOf: (report: string, date: string) => string;
  wholeText: (report: string) => string;
  selected: string;
  all: string;
  /** The heading of a report's flashes. */
  inBrief: string;
  sources: (count: number) => string;
  /** For a story's digest: news in its latest report. */
  newSince: (source: string, facts: string) => string;
  /** For a story's digest: contradictions of an earlier report. */
  differ: (now: string, newer: string, then: string, older: string) => string;
  comma: string;
}

const ENGLISH: Words = {
  report: { daily: 'Daily report', weekly: 'Weekly report', monthly: 'Monthly report' },
  reportOf: (report, date) => `${report} of ${date}`,
  wholeText: (report) => `The ${report.toLowerCase()}s, with their whole text.`,
  selected: 'The selected news.',
  all: 'All news.',
  inBrief: 'In brief',
  sources: (count) => `${count} sources report on it.`,
  newSince: (source, facts) => `New since ${source}: ${facts}.`,
  differ: (now, newer, then, older) =>
    `This contradicts earlier reporting: ${newer} has “${now}”, ${older} had “${then}”.`,
  comma: ', ',
};

const WORDS: Readonly<Record<string, Words>> = {
  en: ENGLISH,
  zh: {
    report: { daily: '日报', weekly: '周报', monthly: '月报' },
    reportOf: (report, date) => `${date}${report}`,
    wholeText: (report) => `${report}全文。`,
    selected: '精选新闻。',
    all: '全部新闻。',
    inBrief: '简讯',
    sources: (count) => `共 ${count} 家来源报道。`,
    newSince: (source, facts) => `自${source}报道以来新增：${facts}。`,
    differ: (now, newer, then, older) => `与此前报道不一致：${newer}称“${now}”，${older}曾称“${then}”。`,
    comma: '、',
  },
  es: {
    report: { daily: 'Resumen diario', weekly: 'Resumen semanal', monthly: 'Resumen mensual' },
    reportOf: (report, date) => `${report} del ${date}`,
    wholeText: (report) => `${report}, con el texto completo.`,
    selected: 'Las noticias seleccionadas.',
    all: 'Todas las noticias.',
    inBrief: 'En breve',
    sources: (count) => `${count} medios informan de ello.`,
    newSince: (source, facts) => `Nuevo desde ${source}: ${facts}.`,
    differ: (now, newer, then, older) =>
      `Esto contradice lo publicado antes: ${newer} dice «${now}», ${older} decía «${then}».`,
    comma: ', ',
  },
  de: {
    report: { daily: 'Tagesbericht', weekly: 'Wochenbericht', monthly: 'Monatsbericht' },
    reportOf: (report, date) => `${report} vom ${date}`,
    wholeText: (report) => `${report} mit vollem Text.`,
    selected: 'Die ausgewählten Nachrichten.',
    all: 'Alle Nachrichten.',
    inBrief: 'Kurz gemeldet',
    sources: (count) => `${count} Quellen berichten darüber.`,
    newSince: (source, facts) => `Neu seit ${source}: ${facts}.`,
    differ: (now, newer, then, older) =>
      `Das widerspricht früheren Berichten: ${newer} schreibt „${now}“, ${older} schrieb „${then}“.`,
    comma: ', ',
  },
  fr: {
    report: { daily: 'Bulletin quotidien', weekly: 'Bulletin hebdomadaire', monthly: 'Bulletin mensuel' },
    reportOf: (report, date) => `${report} du ${date}`,
    wholeText: (report) => `${report}, en texte intégral.`,
    selected: 'L’actualité sélectionnée.',
    all: 'Toute l’actualité.',
    inBrief: 'En bref',
    sources: (count) => `${count} sources en parlent.`,
    newSince: (source, facts) => `Nouveau depuis ${source} : ${facts}.`,
    differ: (now, newer, then, older) =>
      `Cela contredit ce qui a été publié : ${newer} donne « ${now} », ${older} donnait « ${then} ».`,
    comma: ', ',
  },
  pt: {
    report: { daily: 'Resumo diário', weekly: 'Resumo semanal', monthly: 'Resumo mensal' },
    reportOf: (report, date) => `${report} de ${date}`,
    wholeText: (report) => `${report}, com o texto completo.`,
    selected: 'As notícias selecionadas.',
    all: 'Todas as notícias.',
    inBrief: 'Breves',
    sources: (count) => `${count} fontes noticiam o assunto.`,
    newSince: (source, facts) => `Novo desde ${source}: ${facts}.`,
    differ: (now, newer, then, older) =>
      `Isto contradiz o que foi noticiado antes: ${newer} diz «${now}», ${older} dizia «${then}».`,
    comma: ', ',
  },
  ja: {
    report: { daily: '日報', weekly: '週報', monthly: '月報' },
    reportOf: (report, date) => `${date}の${report}`,
    wholeText: (report) => `${report}の全文。`,
    selected: '選ばれたニュース。',
    all: 'すべてのニュース。',
    inBrief: '短信',
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

/** A calendar date (`YYYY-MM-DD`) as readers of a language write it; in English as it is. */
export function dateIn(tag: string | undefined, date: string): string {
  if (wordsIn(tag) === ENGLISH) return date;
  return new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date));
}

/** A site's vocabulary: the categories and directions that it allows for items, and the names of its days. */
export interface Vocabulary {
  /** `NEWS_CATEGORIES`, or those of `NEWS_PACKS`, in the order of a daily report's sections. */
  categories: readonly string[];
  /** `NEWS_DIRECTIONS`. */
  directions: readonly string[];
  /** The label that readers see for each, by its name. */
  labels: Record<'category' | 'direction', ReadonlyMap<string, string>>;
  /** `NEWS_PACKS`, whose lexicon tells stories apart. */
  packs: readonly string[];
  /** `NEWS_REPORT_TIMEZONE` and `NEWS_REPORT_HOUR`: the days of reports, quotas and the archive. */
  calendar: Calendar;
}
