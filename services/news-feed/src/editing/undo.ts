import { violates } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import { lockStories, type RenewalParts, renewStories } from '../grouping/story-renewal.ts';
import type { NewsTables } from '../tables.ts';
import { type Edited, inEdit } from './edits.ts';
import { WRITTEN_COLUMNS } from './items.ts';
import { existingStory } from './stories.ts';

/** The person who undoes, and their means. */
interface UndoParts {
  actor: string;
  renewal: RenewalParts;
  /** The time zone of the reports' days. */
  zone: string;
}

/** Columns of an item that change the texts of its story. */
const TOLD = ['title', 'original_title', 'summary', 'source_name', 'published_at', 'story', 'withdrawn_at'];

/**
 * Undoes an edit by another one, which can be undone too: everything is again as it was before it. Rows that
 * have been removed since stay removed. The newsroom does not merge unmerged stories again; a story that a
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

/** Makes the newsroom leave unmerged stories apart, and merge others again. */
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
  if (home === undefined) throw new Failure('conflict', `story ${story} no longer exists`);
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

/** Throws a failure that says why the database refused the undo. */
function explain(error: unknown): never {
  if (violates(error, 'item_canonical_url_key')) {
    throw new Failure('conflict', 'another item has its address now');
  }
  if (violates(error, 'story_merge_circle') || violates(error, 'story_merged_into_fkey')) {
    throw new Failure('conflict', 'what it was merged into has become something else since');
  }
  const isPast = ['daily', 'weekly', 'monthly'].some((kind) => violates(error, `${kind}_past_is_fixed`));
  throw isPast ? new Failure('conflict', 'the report of a past day cannot be changed') : error;
}

/** An edit's change of one thing. */
interface Change {
  kind: NewsTables['news.edit']['kind'];
  subject: string;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/** Tables whose rows are edited, with the columns whose former values an edit keeps. */
const EDITED: Record<Change['kind'], { key: string; columns: readonly string[] }> = {
  item: { key: 'id', columns: [...WRITTEN_COLUMNS, 'withdrawn_at'] },
  story: {
    key: 'public_id',
    columns: [
      ...['title', 'status', 'digest', 'digest_updated_at', 'digest_by', 'correction', 'merged_into'],
      'hot_place',
    ],
  },
  daily: { key: 'date', columns: ['report', 'item_ids', 'corrected_at', 'correction'] },
  weekly: { key: 'date', columns: ['report', 'item_ids', 'corrected_at', 'correction'] },
  monthly: { key: 'date', columns: ['report', 'item_ids', 'corrected_at', 'correction'] },
};

/** Lists the changes of an edit, each thing once. */
async function changesOf(tx: Transaction<NewsTables>, number: number): Promise<Change[]> {
  const rows = await tx
    .selectFrom('news.edit')
    .select(['kind', 'subject'])
    .select([sql<Change['before']>`before`.as('before'), sql<Change['after']>`after`.as('after')])
    .where('number', '=', number)
    .orderBy('id')
    .execute();
  const changes = new Map<string, Change>();
  for (const row of rows) {
    const key = `${row.kind} ${row.subject}`;
    const { before = {}, after = {} } = changes.get(key) ?? {};
    changes.set(key, { ...row, before: { ...row.before, ...before }, after: { ...after, ...row.after } });
  }
  return [...changes.values()];
}

function of(changes: readonly Change[], kind: Change['kind']): Change[] {
  return changes.filter((change) => change.kind === kind);
}

/** Returns the keys of the rows that still exist, if none of them differs from the edit's result. */
async function refuseChanged(tx: Transaction<NewsTables>, changes: readonly Change[]): Promise<Set<string>> {
  const present = new Set<string>();
  for (const kind of new Set(changes.map((change) => change.kind))) {
    const { rows } = await sql<{ subject: string; has_changed: boolean }>`
      select change.subject, jsonb_populate_record(kept, change.after) is distinct from kept as has_changed
      from ${recordsOf(of(changes, kind))} join ${sql.table(`news.${kind}`)} as kept on ${keyOf(kind)} = change.subject
      order by change.subject
    `.execute(tx);
    for (const { subject, has_changed } of rows) {
      if (has_changed) throw new Failure('conflict', `${kind} ${subject} has been changed again since`);
      present.add(subject);
    }
  }
  if (present.size === 0) throw new Failure('missing', 'what it changed no longer exists');
  return present;
}

function recordsOf(changes: readonly Change[]) {
  return sql`jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as change (subject text, before jsonb, after jsonb)`;
}

/** The key of a row, as text. */
function keyOf(kind: Change['kind']) {
  return sql`${sql.ref(`kept.${EDITED[kind].key}`)}::text`;
}

/** Gives rows the values that they had before. */
async function writeBefore(
  tx: Transaction<NewsTables>,
  kind: Change['kind'],
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const { key, columns } = EDITED[kind];
  const updated = kind === 'item' || kind === 'story' ? sql`, updated_at = clock_timestamp()` : sql``;
  await sql`
    update ${sql.table(`news.${kind}`)} as kept
    set ${sql.join(columns.map((column) => sql`${sql.ref(column)} = was.${sql.ref(column)}`))}${updated}
    from (
      select was.* from ${recordsOf(changes)} join ${sql.table(`news.${kind}`)} as kept on ${keyOf(kind)} = change.subject
      cross join lateral jsonb_populate_record(kept, change.before) as was
    ) as was
    where ${sql.ref(`kept.${key}`)} = ${sql.ref(`was.${key}`)}
  `.execute(tx);
}

export interface HistoryEntry {
  /** The edit that undoes it, with everything that was changed together with this. */
  edit: number;
  at: Date;
  /** Null if unknown, and for the newsroom itself. */
  actor: string | null;
  program: string;
  action: string;
  /** The edit that it undoes. */
  undoes: number | null;
  /** The edit that undoes it. */
  undoneBy: number | null;
  changes: { member: string; before: unknown; after: unknown }[];
}

export interface HistoryQuery {
  kind: NewsTables['news.edit']['kind'];
  /** The id of an item, the `publicId` of a story, or the date of a report. */
  subject: string;
  /** The most entries. */
  limit: number;
}

/** The latest edits of an item, a story or a report, the newest first. */
export async function readHistory(
  db: Kysely<NewsTables>,
  { kind, subject, limit }: HistoryQuery,
): Promise<HistoryEntry[]> {
  const rows = await db
    .selectFrom('news.edit')
    .select(['number as edit', 'at', 'actor', 'program', 'action', 'undoes'])
    .select([
      sql<Record<string, unknown>>`before`.as('before'),
      sql<Record<string, unknown>>`after`.as('after'),
    ])
    .select(
      sql<
        number | null
      >`(select max(undoing.number) from news.edit as undoing where undoing.undoes = edit.number)`.as(
        'undoneBy',
      ),
    )
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ before, after, ...entry }) => ({
    ...entry,
    changes: Object.keys(after).map((column) => ({
      member: column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      before: before[column],
      after: after[column],
    })),
  }));
}
