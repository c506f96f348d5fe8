import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fetched, filesBelow } from './foreign-sets.ts';
import { byTime, type LabelledReport, type LabelledSet } from './labelled-set.ts';

export type Language = 'English' | 'English, Google News' | 'Chinese';

export const LANGUAGES: readonly Language[] = ['English', 'English, Google News', 'Chinese'];

/** Headlines that somebody has kept for months, in a repository at GitHub; nothing of it is committed. */
interface Archive {
  language: Language;
  repository: string;
  commit: string;
  paths: readonly string[];
  read: (folder: string) => Headline[];
}

interface Headline {
  title: string;
  summary: string | null;
  source: string;
  at: Date;
}

const HOUR_MS = 60 * 60 * 1000;

/** The rules were tuned on headlines from this day on. */
const ENGLISH_TUNING = '2025-12-24';

const ARCHIVES: readonly Archive[] = [
  {
    language: 'English',
    repository: 'zonghaoyuan/headlines-archive',
    commit: '6ba1656cd2fa813800736c53287db8f92592b40c',
    paths: ['news'],
    read: readTables,
  },
  {
    language: 'English',
    repository: 'NotSooShariff/newsflow',
    commit: 'fb6fb41c4663ccb8da0b0329317b3a88de8ce210',
    paths: ['output'],
    read: readFronts,
  },
  {
    language: 'English, Google News',
    repository: 'wklnd/news-archive',
    commit: '698a4d023612558c049e5e6560638a766e97c26c',
    paths: ['news'],
    read: readLists,
  },
  {
    language: 'English, Google News',
    repository: 'saswatpatra/gnews',
    commit: '364aafa31d3e5c579648c417b62657d7b2f6131d',
    paths: ['news'],
    read: readLists,
  },
  trending('weibo-trending-hot-search', 'bbe42d5a0ef00d9dcf38ed04fcf0b8826d68e329', 'Weibo'),
  trending('zhihu-trending-hot-questions', '6fe80c7c3d3494e3e83f92b8dd8155a171a234b5', 'Zhihu questions'),
  trending('zhihu-trending-top-search', '0ab77e4529bdd7cc0be263c4a0aeeb84ba742703', 'Zhihu'),
  {
    language: 'Chinese',
    repository: 'vikiboss/60s-static-host',
    commit: '2013eb5fc9a1a49aead936c9cefeacf9e40ed168',
    paths: ['static/60s'],
    read: readDays,
  },
];

/** One half of the headlines of a language, each as it was first seen: of Chinese ones every other month. */
export function headlinesOf(language: Language, half: LabelledSet['half'], folder: string): LabelledReport[] {
  const seen = new Set<string>();
  const all = ARCHIVES.filter((archive) => archive.language === language).flatMap((archive) =>
    archive.read(fetched(archive, folder)),
  );
  const reports = all
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .flatMap(({ title, summary, source, at }): LabelledReport[] => {
      const id = hashOf(`${source} ${title}`);
      const isTuning =
        language === 'Chinese' ? at.getUTCMonth() % 2 === 0 : at.toISOString() >= ENGLISH_TUNING;
      if (seen.has(id) || isTuning !== (half === 'tuning')) return [];
      seen.add(id);
      const when = { publishedAt: at, discoveredAt: at };
      return [
        {
          id,
          event: id,
          set: language,
          title,
          originalTitle: null,
          summary,
          sourceName: source,
          category: null,
          ...when,
        },
      ];
    });
  return byTime(reports);
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** A table of title, description and address, every twelve hours; the file's name has the hour in China. */
function readTables(folder: string): Headline[] {
  return filesBelow(folder, '.md').flatMap((file) => {
    const [, date = '', hour = '', minute = ''] = /_(\d{8})_(\d\d)(\d\d)/u.exec(basename(file)) ?? [];
    const day = date.replace(/(\d{4})(\d\d)(\d\d)/u, '$1-$2-$3');
    const at = new Date(`${day}T${hour}:${minute}:00+08:00`);
    return Array.from(
      readFileSync(file, 'utf8').matchAll(/^\| \w+ \| (.+?) \| (.*?) \| (https?:\S+) \|$/gmu),
      ([, title = '', summary = '', url = '']): Headline => {
        return { title, summary: summary || null, source: new URL(url).hostname.replace(/^www\./u, ''), at };
      },
    );
  });
}

function readFronts(folder: string): Headline[] {
  return filesBelow(folder, '.json').flatMap((file) =>
    JSON.parse(readFileSync(file, 'utf8')).map((row: Record<string, string>): Headline => {
      const { headline = '', source = '', timestamp = '' } = row;
      return { title: headline, summary: null, source, at: new Date(`${timestamp.slice(0, 19)}Z`) };
    }),
  );
}

/** Titles with their sources, several times a day; the file's path has the time. */
function readLists(folder: string): Headline[] {
  return filesBelow(folder, '.md').flatMap((file) => {
    const [, day = '', hour = '', minute = ''] =
      /(\d{4}[/-]\d\d[/-]\d\d)[/_](\d\d)-(\d\d)\.md$/u.exec(file) ?? [];
    const at = new Date(`${day.replaceAll('/', '-')}T${hour}:${minute}:00Z`);
    return Array.from(
      readFileSync(file, 'utf8').matchAll(/^- (.+) - ([^-\n]+)$/gmu),
      ([, title = '', source = '']): Headline => ({ title, summary: null, source, at }),
    );
  });
}

/** A day's frequent searches, the newest first. */
function trending(name: string, commit: string, source: string): Archive {
  const read = (folder: string) =>
    filesBelow(folder, '.md').flatMap((file) => {
      const lines = [...readFileSync(file, 'utf8').matchAll(/^1\. \[(.+?)\]\(http/gmu)];
      return lines.map(([, title = ''], index): Headline => {
        const at = new Date(
          Date.parse(basename(file, '.md')) + (12 * HOUR_MS * (lines.length - index)) / lines.length,
        );
        return { title, summary: null, source, at };
      });
    });
  return { language: 'Chinese', repository: `justjavac/${name}`, commit, paths: ['archives'], read };
}

/** Fifteen sentences of a day. */
function readDays(folder: string): Headline[] {
  return filesBelow(folder, '.json').flatMap((file) => {
    const { date, news } = JSON.parse(readFileSync(file, 'utf8'));
    return news.map(
      (title: string): Headline => ({ title, summary: null, source: '60s', at: new Date(date) }),
    );
  });
}
