import type { Rules } from '@pressroom/stories';
import { primaryLanguage } from '@pressroom/stories/words';
import type { Calendar, Period } from './calendar.ts';
import type { PackLabels } from './categories.ts';
import type { NewsSettings } from './settings.ts';

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
}

const ENGLISH: Words = {
  report: { daily: 'Daily report', weekly: 'Weekly report', monthly: 'Monthly report' },
  reportOf: (report, date) => `${report} of ${date}`,
  wholeText: (report) => `The ${report.toLowerCase()}s, with their whole text.`,
  selected: 'The selected news.',
  all: 'All news.',
  inBrief: 'In brief',
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
  },
  es: {
    report: { daily: 'Resumen diario', weekly: 'Resumen semanal', monthly: 'Resumen mensual' },
    reportOf: (report, date) => `${report} del ${date}`,
    wholeText: (report) => `${report}, con el texto completo.`,
    selected: 'Las noticias seleccionadas.',
    all: 'Todas las noticias.',
    inBrief: 'En breve',
  },
  de: {
    report: { daily: 'Tagesbericht', weekly: 'Wochenbericht', monthly: 'Monatsbericht' },
    reportOf: (report, date) => `${report} vom ${date}`,
    wholeText: (report) => `${report} mit vollem Text.`,
    selected: 'Die ausgewählten Nachrichten.',
    all: 'Alle Nachrichten.',
    inBrief: 'Kurz gemeldet',
  },
  fr: {
    report: { daily: 'Bulletin quotidien', weekly: 'Bulletin hebdomadaire', monthly: 'Bulletin mensuel' },
    reportOf: (report, date) => `${report} du ${date}`,
    wholeText: (report) => `${report}, en texte intégral.`,
    selected: 'L’actualité sélectionnée.',
    all: 'Toute l’actualité.',
    inBrief: 'En bref',
  },
  pt: {
    report: { daily: 'Resumo diário', weekly: 'Resumo semanal', monthly: 'Resumo mensal' },
    reportOf: (report, date) => `${report} de ${date}`,
    wholeText: (report) => `${report}, com o texto completo.`,
    selected: 'As notícias selecionadas.',
    all: 'Todas as notícias.',
    inBrief: 'Breves',
  },
  ja: {
    report: { daily: '日報', weekly: '週報', monthly: '月報' },
    reportOf: (report, date) => `${date}の${report}`,
    wholeText: (report) => `${report}の全文。`,
    selected: '選ばれたニュース。',
    all: 'すべてのニュース。',
    inBrief: '短信',
  },
};

/** The words in a language (BCP 47), in English where there are none in it. */
export function wordsIn(tag: string | null | undefined): Words {
  return WORDS[primaryLanguage(tag)] ?? ENGLISH;
}

/** A calendar date (`YYYY-MM-DD`) as readers of a language write it; in English as it is. */
export function dateIn(tag: string | undefined, date: string): string {
  if (wordsIn(tag) === ENGLISH) return date;
  return new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date));
}

/**
 * A site's vocabulary: the categories and directions that it allows for items, and the names of its days.
 * What `settings` have of it is that of the moment.
 */
export interface Vocabulary {
  /** Those that items may have, in the order of a daily report's sections: after `offered`, former ones. */
  readonly categories: readonly string[];
  /** Those that editors and the worker choose from. */
  readonly offered: readonly string[];
  /** The rules of the packs, by which the worker judges. */
  readonly rules: Rules;
  /** `NEWS_DIRECTIONS`. */
  directions: readonly string[];
  /** The label that readers see for each, by its name. */
  labels: Readonly<Record<'category' | 'direction', ReadonlyMap<string, string>>>;
  /** What the packs call those of `labels` that are theirs, for people at the desk. */
  readonly packLabels: Readonly<Record<'category' | 'direction', PackLabels>>;
  /** `NEWS_PACKS`, whose lexicon tells stories apart: those that come with Pressroom have none. */
  packs: readonly string[];
  /** Of the zone and hour that `settings` have: the days of reports, quotas and the archive. */
  calendar: Calendar;
  /** What owners have set of it at the desk, for the database to say. */
  settings: NewsSettings;
}
