import { type Kysely, sql } from 'kysely';
import { addDays, SHANGHAI } from '../calendar.ts';
import type { NewsTables } from '../tables.ts';
import type { Vocabulary } from '../words.ts';
import { publishRanking } from '../work/rank.ts';
import { publishReport } from '../work/report.ts';
import { Importer, importLineReader } from './importer.ts';

/** The number of daily reports in the sample. */
const DAILIES = 7;

/**
 * Adds the sample to a database that has never had an item; does nothing otherwise. Returns whether it was
 * added.
 */
export async function addSample(db: Kysely<NewsTables>, vocabulary: Vocabulary, now: Date): Promise<boolean> {
  if (await hasHistory(db)) return false;
  await db.transaction().execute(async (tx) => {
    const importer = new Importer({
      read: importLineReader(vocabulary),
      runWork: (work) => work(tx),
      packs: vocabulary.packs,
      now: () => now,
    });
    for (const [index, line] of sampleLines(vocabulary, now).entries()) {
      await importer.add(JSON.stringify(line), index + 1);
    }
    const { refused } = await importer.finish();
    const [fault] = refused;
    if (fault !== undefined) throw new Error(`the sample's line ${fault.number}: ${fault.reason}`);
    await publishRanking(tx, vocabulary.directions, now);
    const latest = vocabulary.calendar.latestReportDate('daily', now);
    for (let day = 0; day < DAILIES; day += 1) {
      await publishReport(tx, { period: 'daily', date: addDays(latest, -day), vocabulary, now });
    }
  });
  return true;
}

/** True if the database has or ever had items: the ledger remembers deleted ones. */
async function hasHistory(db: Kysely<NewsTables>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from news.item) or exists (select from news.story) or exists (select from news.daily)
      or exists (select from news.ledger where head > 0) or exists (select from news.ledger_change) as found
  `.execute(db);
  return rows[0]?.found === true;
}

const HOUR_MS = 60 * 60 * 1000;

/** Hours between two single items, which makes three per day. */
const ITEM_HOURS = 8;

/** Ages of the stories' reports, in hours. */
const REPORT_HOURS = [1, 3, 5, 9, 70, 130];

/** Hours from the publication of an item to its discovery. */
const FOUND_AFTER_HOURS = 0.5;

/** The lines of the sample, dated relative to `now`. */
export function sampleLines(vocabulary: Vocabulary, now: Date): object[] {
  const singles = SAMPLE_ITEMS.map((item, index) => itemLine(item, index, 2 + index * ITEM_HOURS));
  const reports = SAMPLE_REPORTS.map((item, index) => itemLine(item, index, REPORT_HOURS[index] ?? 1));
  return [...storyLines(), ...singles, ...reports, MERGE, ...resetLines(now)];

  function itemLine({ title, source, firstParty, story, ...rest }: SampleItem, index: number, age: number) {
    const { offered: categories, directions } = vocabulary;
    return {
      type: 'item',
      id: `sample-${story === undefined ? 'item' : 'report'}-${index + 1}`,
      title,
      ...rest,
      source: { name: source, firstParty: firstParty === true },
      links: { original: `https://example.com/sample/${story ?? 'news'}/${index + 1}` },
      publishedAt: hoursBefore(now, age + FOUND_AFTER_HOURS),
      discoveredAt: hoursBefore(now, age),
      category: categories[index % categories.length],
      score: 90 - ((index * 7) % 40),
      // Every third stays outside the selected set, so that the modes differ.
      selected: index % 3 !== 2,
      ...(index % 3 !== 2 && { reason: 'Shows how a reason reads.' }),
      // Occasionally all of them, otherwise one after the other.
      directions: index % 5 === 4 ? directions : [directions[index % directions.length]],
      ...(story !== undefined && { story }),
    };
  }
}

const MERGE = { type: 'merge', from: 'lantern-2-rumour', into: 'lantern-2-release' };

function storyLines(): object[] {
  return [
    {
      type: 'story',
      publicId: 'lantern-2-release',
      title: 'Lantern 2, a reading assistant for libraries, is released',
      digest:
        'Lantern 2 runs on the computers that libraries have. Earlier reports named a licence fee; the release says that it is free.',
      storyline: [{ publicId: 'lantern-2-preview', relation: 'came before' }],
      related: [{ publicId: 'lending-models', relation: 'on the same question' }],
    },
    { type: 'story', publicId: 'lantern-2-rumour', title: 'A Lantern release may be near' },
    {
      type: 'story',
      publicId: 'lantern-2-preview',
      title: 'Forty libraries try a preview of Lantern 2',
      status: 'settled',
      storyline: [{ publicId: 'lantern-2-release', relation: 'came after' }],
    },
    { type: 'story', publicId: 'lending-models', title: 'Libraries want models that can be lent' },
  ];
}

function resetLines(now: Date): object[] {
  const event = announcedEvent(now);
  const [{ text, originalText, url }] = event.posts;
  const time = now.toISOString();
  return [
    { type: 'reset-event', event },
    { type: 'reset-event', event: confirmedEvent(now) },
    {
      type: 'reset-activity',
      activity: {
        id: 'sample-activity-1',
        publishedAt: event.createdAt,
        eventIds: [event.id],
        kind: 'event_update',
        text,
        originalText,
        context: [],
        statusChanged: true,
        action: 'announce',
        url,
      },
    },
    {
      type: 'reset-state',
      checkedAt: time,
      monitor: {
        status: 'healthy',
        lastAttemptAt: time,
        lastCollectedAt: time,
        lastVerifiedAt: time,
        heldWindowCount: 0,
        pendingCount: 0,
        reviewCount: 0,
      },
    },
  ];
}

function announcedEvent(now: Date) {
  const announced = hoursBefore(now, 4);
  const post = {
    id: 'sample-post-1',
    publishedAt: announced,
    stage: 'announced',
    text: '我们会在今天之内重置所有用量。',
    originalText: 'We will reset all usage limits later today.',
    context: [],
    url: 'https://example.com/sample/posts/1',
  };
  return {
    id: 'sample-reset-1',
    type: 'direct_reset',
    displayLabel: 'Reset announced by the source',
    presentation: {
      reportedAt: announced,
      status: 'announced',
      scopeKnown: false,
      scopeLabel: null,
      kindExplicit: true,
      timeInferred: true,
    },
    estimate: {
      from: now.toISOString(),
      through: hoursBefore(now, -6),
      basis: 'source',
      label: 'later today',
      reason: 'The post says today.',
    },
    status: 'announced',
    title: 'Usage limits will be reset today',
    scope: 'not stated',
    createdAt: announced,
    updatedAt: announced,
    confirmedAt: null,
    occurredOn: null,
    confirmationBasis: null,
    schedule: null,
    posts: [post] as const,
    url: post.url,
  };
}

/** An event that happened three days ago. */
function confirmedEvent(now: Date): object {
  const time = hoursBefore(now, 72);
  const post = {
    id: 'sample-post-2',
    publishedAt: time,
    stage: 'confirmed',
    text: '重置卡已经发放。',
    originalText: 'Reset credits have been handed out.',
    context: [],
    url: 'https://example.com/sample/posts/2',
  };
  return {
    id: 'sample-reset-2',
    type: 'reset_credit',
    displayLabel: 'Reset credits, confirmed by the source',
    presentation: {
      status: 'confirmed',
      scopeKnown: true,
      scopeLabel: 'paid plans',
      kindExplicit: true,
      timeInferred: false,
    },
    estimate: null,
    status: 'confirmed',
    title: 'Reset credits were handed out',
    scope: 'paid plans',
    createdAt: time,
    updatedAt: time,
    confirmedAt: time,
    occurredOn: SHANGHAI.date(new Date(time)),
    confirmationBasis: 'source_post',
    schedule: null,
    posts: [post],
    url: post.url,
  };
}

function hoursBefore(now: Date, hours: number): string {
  return new Date(now.getTime() - hours * HOUR_MS).toISOString();
}

interface SampleItem {
  title: string;
  originalTitle?: string;
  summary?: string;
  source: string;
  firstParty?: boolean;
  /** The `publicId` of its story. */
  story?: string;
}

/** Single items, newest first; each is some hours older than the one before. */
const SAMPLE_ITEMS: readonly SampleItem[] = [
  {
    title: 'A tide gauge learns to explain its forecasts',
    summary:
      'A harbour authority has put a small model next to its tide gauge. Each forecast now comes with the three past days that it resembles most.',
    source: 'Estuary Weekly',
  },
  {
    title: 'A reading list for people who maintain old compilers',
    originalTitle: '写给老编译器维护者的书单',
    summary: 'Forty papers, each with a note on what became of its idea.',
    source: '源码札记',
  },
  {
    title: 'Patent office opens its drawings to search by sketch',
    summary: 'Draw a hinge, find a hinge: the archive of drawings since 1890 can be searched by shape.',
    source: 'Ledger & Loom',
  },
  {
    title: 'A pocket recorder that forgets by design',
    summary: 'Recordings fade after a week unless somebody names a reason to keep them.',
    source: 'Quiet Devices',
    firstParty: true,
  },
  {
    title: 'Three foundries agree on one test for worn tools',
    originalTitle: '三家铸造厂统一刀具磨损检测方法',
    summary: 'The test takes a minute and a microphone, and its data set is public.',
    source: '工坊通讯',
  },
  {
    title: 'A cooperative of translators raises its first loan',
    summary: 'Repayment follows the words delivered, not the calendar.',
    source: 'Ledger & Loom',
  },
  {
    title: 'Draft standard asks models to say when they guess',
    summary:
      'Comments are open for ninety days; the shortest section, on silence, has drawn the most of them.',
    source: 'Standards Post',
  },
  {
    title: 'A conference without slides returns for a second year',
    summary: 'Speakers get a table, a lamp and twelve minutes.',
    source: 'Estuary Weekly',
  },
  {
    title: 'Why small archives outlive large ones',
    summary: 'An essay on copies, neighbours and the habit of checking.',
    source: 'Quiet Devices',
  },
  {
    title: 'Solar kiln learns the weather of its valley',
    originalTitle: '太阳能窑学会了山谷的天气',
    summary: 'After one season of logs, the kiln loads itself only on days that will stay clear.',
    source: '工坊通讯',
  },
  {
    title: 'Speech model reads dialects back to their villages',
    summary: 'The recordings stay with the people who made them; only the rules of pronunciation travel.',
    source: '源码札记',
  },
  {
    title: 'A lock that opens for a melody',
    summary: 'The claim covers the pauses, not the notes.',
    source: 'Patent Letters',
  },
  {
    title: 'A spreadsheet that shows its doubts in pencil grey',
    summary: 'Cells that rest on an estimate print lighter, and so does all that follows from them.',
    source: 'Quiet Devices',
    firstParty: true,
  },
  {
    title: 'Bakers share their oven curves',
    summary: 'Eleven bakeries have put two years of temperatures into one table.',
    source: 'Estuary Weekly',
  },
  {
    title: 'A bank of spare hours publishes its accounts',
    originalTitle: '时间银行公布账目',
    summary: 'Most lent: evenings. Most owed: Mondays.',
    source: '城南日报',
  },
  {
    title: 'City council writes down how its models are retired',
    summary: 'Every model gets an end date on the day it starts.',
    source: 'Standards Post',
  },
  {
    title: 'Night of open workshops draws a queue around the block',
    summary: 'The longest wait was for the loom that reads punched cards.',
    source: 'Estuary Weekly',
  },
  {
    title: 'On measuring what a reader has understood',
    summary: 'Asking for a retelling beats asking for a score, a study of 400 readers finds.',
    source: 'Ledger & Loom',
  },
  { title: 'Ferry timetable now also a data set', source: '城南日报' },
  {
    title: 'Paper: sorting letters by the sound of the envelope',
    summary: 'Nine in ten were told apart, and the tenth was empty.',
    source: '源码札记',
  },
  {
    title: 'A hinge that counts',
    summary: 'Filed by a maker of garden gates who wanted to know about cats.',
    source: 'Patent Letters',
  },
  {
    title: 'A radio for one station',
    summary: 'It has no dial. It costs nine coins. It sold out.',
    source: 'Quiet Devices',
  },
  {
    title: 'Harbour cranes take a common plug',
    originalTitle: '港口起重机采用统一接口',
    summary: 'Six makers agree after nine years of adapters.',
    source: '工坊通讯',
  },
  {
    title: 'Lenders learn to read a repair log',
    summary: 'A machine with an honest log is worth a fifth more, a survey says.',
    source: 'Ledger & Loom',
  },
];

/** The top story of the hot list, from several sources, newest first. */
const SAMPLE_REPORTS: readonly SampleItem[] = [
  {
    title: 'Lantern 2 is out, and fits on a library computer',
    summary: 'The reading assistant runs without a network; its makers publish how it was tested.',
    source: 'Lantern Project',
    firstParty: true,
    story: 'lantern-2-release',
  },
  {
    title: 'We tried Lantern 2 in a village library',
    summary: 'It finds the page, and it says so when there is no such page.',
    source: 'Estuary Weekly',
    story: 'lantern-2-release',
  },
  {
    title: 'Lantern 2: what is new, in one table',
    originalTitle: '一张表看懂 Lantern 2 的变化',
    summary: '体积减半，词表翻倍，许可证未变。',
    source: '源码札记',
    story: 'lantern-2-release',
  },
  {
    title: 'Is a Lantern release near?',
    summary: 'Two commits and a changed date: a guess that turned out right.',
    source: 'Quiet Devices',
    story: 'lantern-2-rumour',
  },
  {
    title: 'Lantern shows a preview to forty libraries',
    summary: 'The preview came with a questionnaire that was longer than the manual.',
    source: 'Lantern Project',
    firstParty: true,
    story: 'lantern-2-preview',
  },
  {
    title: 'Libraries ask for models that can be lent',
    summary: 'An open letter names seven rights of a borrower.',
    source: 'Standards Post',
    story: 'lending-models',
  },
];
