import { isDatabaseAway } from '@pressroom/common/database/database';
import { reasonOf } from '@pressroom/common/failures/failure';
import type { Submission } from '@pressroom/stories';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../calendar.ts';
import { isUnread, type Reader } from '../reading/reader.ts';
import { applyRules, DROPPED_BY, parseSelectRule, type Ruling } from '../reading/source-rules.ts';
import type { Source } from '../reading/sources.ts';
import type { PageReader } from '../reading/web-fetcher.ts';
import type { NewsTables } from '../tables.ts';
import { transactWithRetries } from '../transactions.ts';
import {
  type ClaimedEntry,
  claimEntries,
  delayEntry,
  refuseEntry,
  releaseEntry,
  withEntryLease,
} from './entries.ts';
import type { Throttle } from './job-slots.ts';
import { type JudgedEntry, type WriteParts, writeEntries } from './write-entries.ts';

/** Entries that a worker takes at once. */
const BATCH = 25;

export interface EditParts extends WriteParts {
  db: Kysely<NewsTables>;
  clock: Clock;
  reader: Reader;
  /**
   * Throttles writing: stories are given one batch after the other anyway, and a waiting batch holds a
   * connection.
   */
  writing: Throttle;
  /** Reads articles' pages for the sources that ask for it. */
  pages: PageReader;
}

/** An entry with what its page had. */
interface ReadEntry extends JudgedEntry {
  /** False for a page without text; undefined if none was read. */
  hasPageText: boolean | undefined;
}

/** Numbers of entries that were written, and that failed and wait for another try. */
interface EditTally {
  written: number;
  failed: number;
}

/**
 * Edits a batch of a source's entries that wait for it, and may be tried now. An entry whose judge or story
 * fails is tried again later, alone, with a longer wait each time; its reason is kept.
 */
export async function editEntries(
  parts: EditParts,
  sourceId: number,
  signal: AbortSignal,
): Promise<EditTally> {
  const source = await parts.db
    .selectFrom('news.source')
    .selectAll()
    .where('id', '=', sourceId)
    .executeTakeFirst();
  if (source === undefined) return { written: 0, failed: 0 };
  const claimed = await claimEntries(parts.db, sourceId, BATCH);
  if (claimed.length === 0) return { written: 0, failed: 0 };
  const failed = await withEntryLease(parts.db, sourceId, claimed, () =>
    editBatch(parts, source, claimed, signal),
  );
  return { written: claimed.length - failed, failed };
}

/** Returns how many failed. Throws if one could not be tried, after giving it back. */
async function editBatch(
  parts: EditParts,
  source: Source,
  claimed: readonly ClaimedEntry[],
  signal: AbortSignal,
): Promise<number> {
  const rulings = await rulingsOf(parts, source, claimed);
  const ruled = claimed.map((entry, index) => ({ entry, ruling: rulings[index] ?? UNRULED }));
  const results = await Promise.all(
    ruled
      .filter(({ ruling }) => ruling.droppedBy === undefined)
      .map(({ entry, ruling }) =>
        judge(parts, source, entry, ruling, signal).then(
          (judged) => ({ judged }),
          (error: unknown) => ({ entry, error }),
        ),
      ),
  );
  if (signal.aborted) for (const entry of claimed) await releaseEntry(parts.db, source.id, entry);
  signal.throwIfAborted();
  for (const { entry, ruling } of ruled) {
    if (ruling.droppedBy === undefined) continue;
    await refuseEntry(parts.db, source.id, entry, `${DROPPED_BY}${ruling.droppedBy}`);
  }
  const failed = results.flatMap((result) => ('error' in result ? [result] : []));
  const judged = results.flatMap((result) => ('judged' in result ? [result.judged] : []));
  await countUnmatched(parts.db, source, judged);
  failed.push(...(await parts.writing.take(() => write(parts, source, judged))));
  for (const { entry, error } of failed) {
    if (isDatabaseAway(error)) throw error;
    if (isUnread(error)) await releaseEntry(parts.db, source.id, entry);
    else await delayEntry(parts.db, source.id, entry, reasonOf(error));
  }
  const unread = failed.find(({ error }) => isUnread(error));
  if (unread !== undefined) throw unread.error;
  return failed.length;
}

/** Keeps how many pages in a row an editor's selector has found no text on, unless it has changed since. */
async function countUnmatched(
  db: Kysely<NewsTables>,
  { id, text_selector: selector, unmatched_pages: before }: Source,
  entries: readonly ReadEntry[],
): Promise<void> {
  const read = entries.flatMap(({ hasPageText = [] }) => hasPageText);
  const last = read.lastIndexOf(true);
  const since = read.length - 1 - last;
  if (selector === null || read.length === 0 || (last !== -1 && since === before)) return;
  await db
    .updateTable('news.source')
    .set({ unmatched_pages: last === -1 ? sql`unmatched_pages + ${since}` : since })
    .where('id', '=', id)
    .where('text_selector', '=', selector)
    .execute();
}

const UNRULED: Ruling = { droppedBy: undefined, category: undefined, points: 0 };

/** Gives the entries back if there is no time to apply the rules now. */
async function rulingsOf(
  parts: EditParts,
  source: Source,
  claimed: readonly ClaimedEntry[],
): Promise<Ruling[]> {
  try {
    return await applyRules(
      parts,
      source,
      claimed.map(({ entry }) => entry),
    );
  } catch (error) {
    for (const entry of claimed) await releaseEntry(parts.db, source.id, entry);
    throw error;
  }
}

async function judge(
  { judge, pages }: EditParts,
  source: Source,
  claimed: ClaimedEntry,
  ruling: Ruling,
  signal: AbortSignal,
): Promise<ReadEntry> {
  const { isUntitled, ...given } = claimed.entry;
  const isPageRead = source.reads_pages || isUntitled === true;
  const { given_url: givenUrl, text_selector: textSelector, proxy } = source;
  const settings = { textSelector, proxy };
  const page = isPageRead ? await pages.read(given.url, signal, givenUrl, settings) : undefined;
  const entry = {
    ...given,
    title: (isUntitled && page?.title) || given.title,
    url: page?.canonicalUrl ?? given.url,
  };
  const texts = {
    title: entry.title,
    summary: entry.summary ?? page?.summary ?? null,
    text: page?.text ?? null,
  };
  const language = await languageOf(entry.language ?? page?.language ?? null, texts);
  const submission: Submission = {
    ...texts,
    language,
    url: entry.url,
    source: submittedSource(source, ruling),
    publishedAt: new Date(entry.publishedAt),
    discoveredAt: claimed.discovered_at,
  };
  const judgement = await judge.judge(submission, signal);
  const isPageKnown = !isPageRead || page !== undefined;
  // A page that cannot be read this time takes no picture away.
  const known = entry.image ?? page?.image ?? (isPageKnown ? null : undefined);
  return {
    claimed: {
      ...claimed,
      entry: {
        ...entry,
        summary: submission.summary,
        image: source.takes_images ? known : null,
        language,
      },
    },
    givenUrl: given.url,
    judgement,
    isAddressKnown: isPageKnown,
    hasPageText: page && page.text !== null,
  };
}

/** The source of an entry as it is judged, with the outcome of its rules. */
function submittedSource(source: Source, { category, points }: Ruling): Submission['source'] {
  return {
    id: source.id,
    name: source.name,
    firstParty: source.first_party,
    weight: source.weight,
    category: category ?? source.category,
    directions: source.directions,
    select: parseSelectRule(source.select_rule) ?? 'auto',
    points,
  };
}

/** Writes a batch in one transaction, or else entry by entry; returns those that failed. */
async function write(
  parts: EditParts,
  source: Source,
  judged: readonly JudgedEntry[],
): Promise<{ entry: ClaimedEntry; error: unknown }[]> {
  if (judged.length === 0) return [];
  try {
    await transactWithRetries(parts.db, async (tx) => {
      // A crash only makes entries pending again; changes of the selected set wait for the disk all the same.
      await sql`select news.commit_later()`.execute(tx);
      await writeEntries(tx, parts, source, judged, parts.clock());
    });
    return [];
  } catch (error) {
    const [first] = judged;
    if (first !== undefined && judged.length === 1) return [{ entry: first.claimed, error }];
    if (isDatabaseAway(error)) throw error;
    const failed = [];
    for (const entry of judged) failed.push(...(await write(parts, source, [entry])));
    return failed;
  }
}

type Detector = Awaited<typeof import('eld/extrasmall')>['eld'];

/** Loaded with the first entry: it takes 90 MiB. */
let detector: Promise<{ detect: Detector['detect']; known: ReadonlySet<string> }> | undefined;

/** Shorter texts are taken for many languages, in bytes: a Chinese character says as much as a syllable. */
const LEAST_BYTES = 40;

/** The most characters that are looked at. */
const MOST = 2000;

/** The likeliest language must be ahead of the next one by this much, times the bytes of the text. */
const LEAST_LEAD = 2;

/**
 * The language of an article (BCP 47): the `declared` one, unless its text is surely in another one, since
 * many feeds declare that of the program that writes them; null if nothing says it.
 */
export async function languageOf(
  declared: string | null,
  { title, summary, text }: Pick<Submission, 'title' | 'summary' | 'text'>,
): Promise<string | null> {
  detector ??= loadDetector();
  const { detect, known } = await detector;
  const words = `${title}\n${summary ?? ''}\n${text ?? ''}`.slice(0, MOST);
  const bytes = Buffer.byteLength(words);
  if (bytes < LEAST_BYTES) return declared;
  const found = detect(words);
  const [best = 0, next = 0] = Object.values(found.getScores()).sort((a, b) => b - a);
  if (!found.isReliable() || best - next < LEAST_LEAD / bytes) return declared;
  const [primary = ''] = declared?.split('-') ?? [];
  // It takes a language that it does not know for a related one.
  const isOther = found.language !== primary && (declared === null || known.has(primary));
  return isOther ? found.language : declared;
}

async function loadDetector() {
  const { eld } = await import('eld/extrasmall');
  return { detect: eld.detect, known: new Set(Object.values(eld.info().Languages)) };
}
