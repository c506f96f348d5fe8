import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { byTime, type LabelledReport, type LabelledSet } from './labelled-set.ts';

/** A public set of news that others have labelled, in a repository at GitHub; nothing of it is committed. */
interface PublicSet {
  name: string;
  /** Describes the set for a reader of the figures. */
  about: string;
  /** `owner/name` of the repository that has it, and the commit and paths that are read. */
  repository: string;
  commit: string;
  paths: readonly string[];
  read: (folder: string) => Reading;
}

/** A set as read: its reports, and, of a set of pairs, those that were labelled. */
interface Reading {
  reports: RawReport[];
  judged?: [string, string][];
}

interface RawReport {
  id: string;
  event: string;
  /** Stays in one half: an event with those that it is easily taken for. The event itself, unless given. */
  group?: string;
  title: string;
  text: string;
  source: string;
  publishedAt: Date | null;
}

/** Characters read of a text: as many as a feed has. */
const MOST_TEXT = 600;

/** The day on which the reports of a set without times are published, each at an hour of its own. */
const SOME_DAY = Date.UTC(2026, 9, 1);

const DAY_MS = 24 * 60 * 60 * 1000;

const PUBLIC_SETS: readonly PublicSet[] = [
  {
    name: 'ECB+',
    about: 'English, with texts: 86 events in pairs that are taken for each other',
    repository: 'tommasoc80/EventStoryLine',
    commit: '46edefee5e82e0917b823abe0a18bf8c7770f15c',
    paths: ['ECB+_LREC2014/ECB+'],
    read: readEcb,
  },
  {
    name: 'BASIL',
    about: 'English, with texts: American politics of ten years, three papers on each event',
    repository: 'launchnlp/BASIL',
    commit: '4fdbc4f68d5ddae648990063cb6dd11424d96222',
    paths: ['articles'],
    read: readBasil,
  },
  {
    name: 'AllSides',
    about: 'English, with texts: American politics of two years, from left to right',
    repository: 'HLTCHKUST/framing-bias-metric',
    commit: '1586f55a9011853224ca4d0cee164c46f6137557',
    paths: ['data/raw_crawled/headline_11_2021-10-19_crawled_all.jsonl'],
    read: readAllSides,
  },
  {
    name: 'Baomoi',
    about: 'Vietnamese, with texts: 200 events of all sections',
    repository: 'lupanh/VietnameseMDS',
    commit: '16207757f68c629e5b53fe1d3d42b8ef5b42e99f',
    paths: ['KTLAB-200document-clusters.zip'],
    read: readBaomoi,
  },
  {
    name: 'Telegram',
    about: 'Russian, with texts: labelled pairs',
    repository: 'IlyaGusev/tgcontest',
    commit: '8945b9f6d1527ca21920998e86a8ecc1ebfdf526',
    paths: ['toloka/clustering_pairs'],
    read: readTelegram,
  },
  {
    name: 'Sohu',
    about: 'Chinese, headlines and leads: labelled pairs',
    repository: 'YFHuangxxxx/cPromptSource',
    commit: 'f63a3234e2f103b396dd3bac00219efcbc437229',
    paths: ['promptsource/datasets/sohu-sts-B-ss'],
    read: readSohu,
  },
];

/** One half of each set that others have labelled, of their headlines alone, and of all in one stream. */
export function foreignSets(half: LabelledSet['half'], folder: string): LabelledSet[] {
  const whole = PUBLIC_SETS.map((set) => halfOf(set, fetched(set, folder), half));
  const [, basil, allSides, baomoi, telegram, sohu] = whole;
  if (!basil || !allSides || !baomoi || !telegram || !sohu) throw new Error('a set is missing');
  return [
    ...whole,
    ...[basil, allSides, baomoi, telegram].map(headlinesOf),
    mixed([basil, baomoi, telegram, sohu]),
  ];
}

/** The folder with the files of a set, which are fetched if they are not there. */
export function fetched(
  { repository, commit, paths }: Pick<PublicSet, 'repository' | 'commit' | 'paths'>,
  folder: string,
): string {
  const files = resolve(folder, `${repository.replace('/', '+')}@${commit.slice(0, 8)}`);
  if (existsSync(files)) return files;
  const git = resolve(folder, `${repository.replace('/', '+')}.git`);
  if (!existsSync(git)) {
    run('git', ['init', '--quiet', '--bare', git]);
    const from = `https://github.com/${repository}.git`;
    run('git', ['--git-dir', git, 'fetch', '--quiet', '--depth', '1', from, commit]);
  }
  mkdirSync(files, { recursive: true });
  const archive = `${files}.tar`;
  run('git', ['--git-dir', git, 'archive', '--output', archive, commit, ...paths]);
  run('tar', ['-xf', archive, '-C', files]);
  for (const path of paths.filter((one) => one.endsWith('.zip'))) {
    run('unzip', ['-qo', join(files, path), '-d', files]);
  }
  return files;
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

/** One half of a set by a hash of the event, so that a half has events whole. */
function halfOf(set: PublicSet, folder: string, half: LabelledSet['half']): LabelledSet {
  const { name, about } = set;
  const { reports, judged } = set.read(folder);
  const pairs = judged && judgedWith(judged.map((pair) => pair.map((id) => `${name}-${id}`)));
  const kept = reports.filter(({ event, group = event, title }) => {
    return title !== '' && share(`${name} ${group}`) < 0.5 === (half === 'tuning');
  });
  const read = kept.map(({ id: own, event, title, text, source, publishedAt: at }): LabelledReport => {
    const id = `${name}-${own}`;
    const publishedAt = at ?? new Date(SOME_DAY + share(`at ${id}`) * DAY_MS);
    return {
      id,
      event: `${name} ${event}`,
      set: name,
      ...(pairs && { judgedWith: pairs.get(id) ?? new Set() }),
      title,
      originalTitle: null,
      summary: text.trim().slice(0, MOST_TEXT) || null,
      sourceName: source,
      category: null,
      publishedAt,
      discoveredAt: publishedAt,
    };
  });
  return { name, about, half, reports: byTime(read) };
}

function judgedWith(pairs: readonly string[][]): Map<string, Set<string>> {
  const others = new Map<string, Set<string>>();
  for (const [a = '', b = ''] of pairs) {
    others.set(a, (others.get(a) ?? new Set()).add(b));
    others.set(b, (others.get(b) ?? new Set()).add(a));
  }
  return others;
}

function headlinesOf(set: LabelledSet): LabelledSet {
  const language = set.about.slice(0, set.about.indexOf(','));
  return {
    ...set,
    name: `${set.name}, headlines`,
    about: `${language}, headlines alone`,
    reports: set.reports.map((report) => ({ ...report, summary: null })),
  };
}

/** All sets as one stream of ten days, each event within one of them. */
function mixed(sets: readonly LabelledSet[]): LabelledSet {
  const reports = sets.flatMap((set) =>
    set.reports.map((report): LabelledReport => {
      const day = Math.floor(10 * share(`day ${report.event}`));
      const publishedAt = new Date(SOME_DAY + (day + share(`at ${report.id}`)) * DAY_MS);
      return { ...report, publishedAt, discoveredAt: publishedAt };
    }),
  );
  const about = 'English, Vietnamese, Russian and Chinese in one stream';
  const half = sets[0]?.half ?? 'tuning';
  return { name: 'mixed', about, half, reports: byTime(reports) };
}

/** A number from 0 to 1 that a text always has. */
function share(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}

export function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .sort()
    .map((path) => join(folder, path));
}

/** Each file is a report, as tokens; its first sentence is an address or the title. */
function readEcb(folder: string): Reading {
  const reports = filesBelow(folder, '.xml').map((file): RawReport => {
    const name = basename(file, '.xml');
    const sentences = new Map<string, string[]>();
    for (const [, sentence = '', token = ''] of readFileSync(file, 'utf8').matchAll(
      /<token [^>]*sentence="(\d+)"[^>]*>([^<]*)</gu,
    )) {
      sentences.set(sentence, [...(sentences.get(sentence) ?? []), unescaped(token)]);
    }
    const lines = [...sentences.values()].map((words) => words.join(' ').replace(/ (?=[.,:;!?'’])/gu, ''));
    const [title = '', ...rest] = lines.filter((line) => !/^https?\b|^www\b/u.test(line));
    const topic = name.slice(0, name.indexOf('_'));
    const event = `${topic} ${name.replace(/^\d+_\d+/u, '')}`;
    return { id: name, event, group: topic, title, text: rest.join(' '), source: name, publishedAt: null };
  });
  return { reports };
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function readBasil(folder: string): Reading {
  const reports = filesBelow(folder, '.json').map((file): RawReport => {
    const read = JSON.parse(readFileSync(file, 'utf8'));
    return {
      id: basename(file, '.json'),
      event: read['triplet-uuid'],
      title: read.title,
      text: read['body-paragraphs'].flat().join(' '),
      source: read.source,
      publishedAt: new Date(read.date),
    };
  });
  return { reports };
}

function readAllSides(folder: string): Reading {
  const [file = ''] = filesBelow(folder, '.jsonl');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const reports = lines.flatMap((line) => {
    const { id, date, news } = JSON.parse(line);
    return Object.entries<{ newsTitle?: string; newBody?: string[]; newsSource?: string }>(news).flatMap(
      ([side, { newsTitle, newBody = [], newsSource }]): RawReport[] =>
        newsTitle
          ? [
              {
                id: `${id}-${side}`,
                event: `${id}`,
                title: newsTitle,
                text: newBody.join(' '),
                source: newsSource ?? side,
                publishedAt: new Date(date),
              },
            ]
          : [],
    );
  });
  return { reports };
}

/** A folder is an event; its words are joined by underlines. */
function readBaomoi(folder: string): Reading {
  const reports = filesBelow(folder, '.info.txt').flatMap((file): RawReport[] => {
    const text = readFileSync(file, 'utf8').replaceAll('_', ' ');
    const member = (name: string) => new RegExp(`${name}: *(.*)`, 'u').exec(text)?.[1]?.trim() ?? '';
    const [, event = '', id = ''] = /cluster_(\d+)[/\\](\d+)\.info/u.exec(file) ?? [];
    if (id === '') return [];
    const [, day = '1', month = '1', year = '2013', hour = '0', minute = '0'] =
      /(\d+)\/(\d+)\/(\d+) +(\d+):(\d+)/u.exec(member('TIME')) ?? [];
    const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
    const source = /baomoi\.com\/(?:Home\/)?[^/]+\/([^/]+)\//u.exec(text)?.[1] ?? id;
    const body = member('SUMMARY') || readFileSync(file.replace('.info.', '.body.'), 'utf8');
    return [
      { id: `${event}-${id}`, event, title: member('TITLE'), text: body, source, publishedAt: new Date(at) },
    ];
  });
  return { reports };
}

function readTelegram(folder: string): Reading {
  const pairs = filesBelow(folder, '.tsv')
    .filter((file) => basename(file).startsWith('ru_'))
    .flatMap((file) => {
      const [head = '', ...lines] = readFileSync(file, 'utf8').replaceAll('\r', '').trim().split('\n');
      const columns = head.split('\t');
      return lines.map((line) => {
        const cells = line.split('\t');
        const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
        const report = (which: string) => ({
          title: cell(`INPUT:${which}_title`),
          text: cell(`INPUT:${which}_text`),
          source: new URL(cell(`INPUT:${which}_url`)).hostname,
        });
        return { one: report('first'), two: report('second'), isSame: cell('GOLDEN:quality') === 'OK' };
      });
    });
  return readPairs(pairs);
}

/** A fifth of the pairs; objects follow each other without a line between them. */
function readSohu(folder: string): Reading {
  const pairs = filesBelow(folder, '.json').flatMap((file) =>
    readFileSync(file, 'utf8')
      .trim()
      .split(/(?<=\})\s*(?=\{"source")/u)
      .map((text) => JSON.parse(text))
      .filter(({ source }) => share(`fifth ${source}`) < 0.2)
      .map(({ source, target, label }) => ({
        one: { title: source.trim(), text: '', source: `of ${source}` },
        two: { title: target.trim(), text: '', source: `of ${target}` },
        isSame: label === 1,
      })),
  );
  return readPairs(pairs);
}

type RawPair = Record<'one' | 'two', Pick<RawReport, 'title' | 'text' | 'source'>> & { isSame: boolean };

/** Reports that a chain of labelled pairs joins are of one half; those that are the same, of one event. */
function readPairs(pairs: readonly RawPair[]): Reading {
  const idOf = (report: RawPair['one']) =>
    createHash('sha256').update(JSON.stringify(report)).digest('hex').slice(0, 16);
  const events = new Map<string, string>();
  const groups = new Map<string, string>();
  const known = new Map<string, RawPair['one']>();
  const find = (roots: Map<string, string>, id: string): string => {
    const root = roots.get(id) ?? id;
    return root === id ? id : find(roots, root);
  };
  for (const { one, two, isSame } of pairs) {
    const [a, b] = [idOf(one), idOf(two)];
    known.set(a, one).set(b, two);
    groups.set(find(groups, a), find(groups, b));
    if (isSame) events.set(find(events, a), find(events, b));
  }
  const reports = [...known].map(([id, report]): RawReport => {
    return { id, event: find(events, id), group: find(groups, id), ...report, publishedAt: null };
  });
  return { reports, judged: pairs.map(({ one, two }): [string, string] => [idOf(one), idOf(two)]) };
}
