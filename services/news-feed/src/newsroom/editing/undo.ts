import { violates } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { type Edited, inEdit } from '../edits.ts';
import { lockStories } from '../stories/lock-stories.ts';
import { type RenewalParts, renewStories } from '../stories/renew-stories.ts';
import { type Change, changesOf, of, refuseChanged, writeBefore } from './edit-changes.ts';
import { existingStory } from './stories.ts';

/** Who undoes, and with what. */
export interface UndoParts {
  actor: string;
  renewal: RenewalParts;
  /** The time zone of the reports' days. */
  zone: string;
}

/** The columns of an item that its story tells of. */
const TOLD = ['title', 'original_title', 'summary', 'source_name', 'published_at', 'story', 'withdrawn_at'];

/**
 * Undoes an edit by another one, which can be undone too: everything is again as it was before it. What has
 * been removed since stays so. Stories that are unmerged are not merged by the newsroom again; a story that a
 * split has made redirects to the one that it came from. Throws a {@link Failure} if there is no such edit,
 * and if something that it changed has been changed again.
 */
export function undoEdit(db: Kysely<NewsTables>, number: number, parts: UndoParts): Promise<Edited<void>> {
  const edit = { actor: parts.actor, action: 'undo', undoes: number };
  return inEdit(db, edit, (tx) => undo(tx, number, parts).catch(explain));
}

/**
 * Undoes the merge of a story: its reports are its own again, except for those that have come since. Throws a
 * {@link Failure} if it is not merged, or was before edits were kept, and as {@link undoEdit} does.
 */
export async function unmergeStory(
  db: Kysely<NewsTables>,
  publicId: string,
  parts: UndoParts,
): Promise<Edited<void>> {
  const story = await existingStory(db, publicId);
  if (story.merged_into === null) throw new Failure('conflict', `story ${publicId} is not merged`);
  const merge = await db
    .selectFrom('news.edit')
    .select('number')
    .where('kind', '=', 'story')
    .where('subject', '=', publicId)
    .where(sql<boolean>`after ->> 'merged_into' = ${story.merged_into}`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (merge === undefined) {
    throw new Failure(
      'conflict',
      `nothing was kept of the merge of story ${publicId}; move its reports by \`story split ${story.merged_into}\``,
    );
  }
  return undoEdit(db, merge.number, parts);
}

async function undo(
  tx: Transaction<NewsTables>,
  number: number,
  { renewal, zone }: UndoParts,
): Promise<void> {
  const changes = await changesOf(tx, number);
  if (changes.length === 0) throw new Failure('missing', `edit ${number} does not exist`);
  const [items, stories] = [of(changes, 'item'), of(changes, 'story')];
  const moved = items.filter(({ before }) => 'story' in before);
  await lockConcerned(tx, stories, items);
  const present = await refuseChanged(tx, changes);
  await writeBefore(tx, 'story', stories);
  await keepApart(tx, stories);
  const homes = await lockStories(tx, [...new Set(moved.flatMap(({ before }) => textOf(before.story)))]);
  await writeBefore(
    tx,
    'item',
    items.map(({ before, ...item }) => ({ ...item, before: atHome(before, homes) })),
  );
  await joinSplit(tx, moved);
  for (const kind of ['daily', 'weekly', 'monthly'] as const) {
    const reports = of(changes, kind);
    if (reports.length === 0) continue;
    await sql`select set_config('news.report_zone', ${zone}, true)`.execute(tx);
    await writeBefore(tx, kind, reports);
  }
  const told = items.filter(({ before }) => TOLD.some((column) => column in before));
  const titles = told.flatMap(({ after }) => textOf(after.title));
  await renewStories(tx, await storiesOf(tx, told, stories, present), titles, renewal);
}

/** Locks stories before items, as merges do. */
async function lockConcerned(
  tx: Transaction<NewsTables>,
  stories: readonly Change[],
  items: readonly Change[],
): Promise<void> {
  const named = [...stories, ...items].flatMap(({ before, after }) =>
    [before, after].flatMap(({ story, merged_into }) => [...textOf(story), ...textOf(merged_into)]),
  );
  const ids = [...new Set([...stories.map(({ subject }) => subject), ...named])];
  await sql`select from news.story where public_id = any(${ids}) order by public_id for update`.execute(tx);
  const itemIds = items.map(({ subject }) => subject);
  await sql`select from news.item where id = any(${itemIds}) order by id for update`.execute(tx);
}

/** Lets the newsroom leave apart what was unmerged, and merge again what is merged. */
async function keepApart(tx: Transaction<NewsTables>, stories: readonly Change[]): Promise<void> {
  for (const { subject, before, after } of stories) {
    for (const into of textOf(before.merged_into)) await forgetSplit(tx, into, subject);
    if (before.merged_into !== null) continue;
    for (const other of textOf(after.merged_into)) {
      await tx
        .insertInto('news.story_split')
        .values({ story: other, other: subject })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }
}

async function forgetSplit(tx: Transaction<NewsTables>, one: string, other: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from news.story_split where (story, other) in ((${one}, ${other}), (${other}, ${one}))
  `.execute(tx);
  return numAffectedRows > 0n;
}

/** The story in which an item was is by now another one, if it has been merged since. */
function atHome(before: Change['before'], homes: ReadonlyMap<string, string>): Change['before'] {
  const [story] = textOf(before.story);
  if (story === undefined) return before;
  const home = homes.get(story);
  if (home === undefined) throw new Failure('conflict', `story ${story} does not exist any more`);
  return { ...before, story: home };
}

/** Merges stories that a split has made, and that have no report any more, into those that they came from. */
async function joinSplit(tx: Transaction<NewsTables>, moved: readonly Change[]): Promise<void> {
  const pairs = new Map(
    moved.flatMap(({ before, after }) =>
      textOf(before.story).flatMap((from) => textOf(after.story).map((made) => [made, from] as const)),
    ),
  );
  for (const [made, from] of pairs) {
    const { rows } = await sql`
      select from news.story_split where story = ${from} and other = ${made}
        and not exists (select from news.item where item.story = ${made})
    `.execute(tx);
    if (rows.length === 0) continue;
    await forgetSplit(tx, from, made);
    await sql`
      delete from news.story_reference where (story, neighbor) in ((${from}, ${made}), (${made}, ${from}))
    `.execute(tx);
    await tx
      .updateTable('news.story')
      .set({ merged_into: from, updated_at: sql<Date>`clock_timestamp()` })
      .where('public_id', '=', made)
      .where('merged_into', 'is', null)
      .execute();
  }
}

/** The stories that items are in and were in, and those that were edited themselves. */
async function storiesOf(
  tx: Transaction<NewsTables>,
  items: readonly Change[],
  stories: readonly Change[],
  present: ReadonlySet<string>,
): Promise<string[]> {
  const now = await tx
    .selectFrom('news.item')
    .select('story')
    .distinct()
    .where('id', '=', sql<string>`any(${items.map(({ subject }) => subject)})`)
    .execute();
  const left = [...items, ...stories].flatMap(({ before, after }) =>
    [before, after].flatMap(({ story, merged_into }) => [...textOf(story), ...textOf(merged_into)]),
  );
  const edited = stories.flatMap(({ subject }) => (present.has(subject) ? [subject] : []));
  return [...new Set([...now.flatMap(({ story }) => story ?? []), ...left, ...edited])];
}

function textOf(value: unknown): string[] {
  return typeof value === 'string' ? [value] : [];
}

/** Says of what the database refuses why. */
function explain(error: unknown): never {
  if (violates(error, 'item_canonical_url_key')) {
    throw new Failure('conflict', 'another item has its address by now');
  }
  if (violates(error, 'story_merge_circle') || violates(error, 'story_merged_into_fkey')) {
    throw new Failure('conflict', 'what it was merged into has become something else since');
  }
  const isPast = ['daily', 'weekly', 'monthly'].some((kind) => violates(error, `${kind}_past_is_fixed`));
  throw isPast ? new Failure('conflict', 'the report of a past day cannot be changed') : error;
}
