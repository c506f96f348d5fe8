import { isDatabaseAway } from '@pressroom/common/database/database';
import { reasonOf } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { NewsTables } from '../../tables.ts';
import type { Submission } from '../editorial/editor.ts';
import type { Reader } from '../reading/reader.ts';
import { parseSelectRule } from '../sources/select-rule.ts';
import { DROPPED_BY, type Ruling } from '../sources/source-rules.ts';
import type { Source } from '../sources/source-store.ts';
import { inTransactions } from '../transactions.ts';
import { applyRules } from './apply-rules.ts';
import {
  type ClaimedEntry,
  claimEntries,
  delayEntry,
  keepingEntries,
  refuseEntry,
  releaseEntry,
} from './claim-entries.ts';
import { languageOf } from './language-of.ts';
import type { PacedTurns } from './paced-turns.ts';
import type { PageReader } from './page-reader.ts';
import { isUnread } from './poll-source.ts';
import { type JudgedEntry, type WriteParts, writeEntries } from './write-entries.ts';

/** How many entries a worker takes at once. */
const BATCH = 25;

/** What edits entries. */
export interface EditParts extends WriteParts {
  db: Kysely<NewsTables>;
  clock: Clock;
  /** Applies the rules of sources. */
  reader: Reader;
  /** For writing: stories are given one batch after the other anyway, and who waits holds a connection. */
  writing: PacedTurns;
  /** Reads articles' pages for the sources that ask for it. */
  pages: PageReader;
}

/** How many entries were written, and how many failed and wait to be tried again. */
export interface EditTally {
  written: number;
  failed: number;
}

/**
 * Edits a batch of a source's entries that wait for it, and may be tried now. An entry whose editor or story
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
  const failed = await keepingEntries(parts.db, sourceId, claimed, () =>
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
  { editor, pages }: EditParts,
  source: Source,
  claimed: ClaimedEntry,
  ruling: Ruling,
  signal: AbortSignal,
): Promise<JudgedEntry> {
  const { isUntitled, ...given } = claimed.entry;
  const isPageRead = source.reads_pages || isUntitled === true;
  const page = isPageRead ? await pages.read(given.url, signal, source.given_url) : undefined;
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
  const judgement = await editor.judge(submission, signal);
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
    judgement,
    isAddressKnown: isPageKnown,
  };
}

/** What an editor is told of the source of an entry, by the rule that it falls under. */
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
    await inTransactions(parts.db)(async (tx) => {
      // What a crash takes back is pending again; changes of the selected set wait for the disk all the same.
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
