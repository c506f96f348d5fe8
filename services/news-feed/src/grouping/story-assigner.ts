import { createHash } from 'node:crypto';
import { lockUntilCommit, PreparedQuery } from '@pressroom/common/database/database';
import {
  type Candidate,
  CORE,
  type Found,
  type IndexedReport,
  MOST_REFERENCES,
  mayBeOfOneStory,
  type Neighbor,
  neighborsOf,
  placeOf,
  withOthers,
} from '@pressroom/stories';
import { sql, type Transaction } from 'kysely';
import { asOneEdit } from '../editing/edits.ts';
import type { NewsTables } from '../tables.ts';
import {
  lastNumber,
  putIntoIndex,
  renewInIndex,
  reportsAfter,
  type StorySearch,
  weighTexts,
} from './story-index.ts';
import { lockStories, renewStories, splitGrownApart, writeDigests } from './story-renewal.ts';

/** Most reports that may have been added since a search: each item is compared with all of them. */
const MOST_MISSED = 500;

/**
 * Assigns items to stories by `storyLikeness`: an item joins the story whose core it is most like, if that
 * reaches `SAME_EVENT`; else it starts a new story. Stories that it shows to be one are merged, and the older
 * id survives. A report that tells several stories, or is one of a column, is a story of its own. Workers
 * decide one after the other, so that two with two reports on one event make one story, but they search
 * before it is their turn. Nothing is lost: the index grows only in somebody's turn, so a report that a
 * search has missed has a higher number than all that it saw, and is compared when the turn comes.
 */
export class RulesAssigner implements StoryAssigner {
  readonly #search: StorySearch;

  constructor(search: StorySearch) {
    this.#search = search;
  }

  async assign(
    tx: Transaction<NewsTables>,
    unordered: readonly AssignableItem[],
    now: Date,
    insert: InsertItems,
  ): Promise<void> {
    if (unordered.length === 0) return;
    const items = unordered.toSorted((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime());
    let search = await this.#search.findLately(tx, items);
    await lockUntilCommit(tx, 'assign stories');
    // Asked first, because mostly nothing was added, and planning to read that takes longer than asking.
    const last = await lastNumber(tx);
    if (last - search.through > MOST_MISSED) search = await this.#search.find(tx, items);
    const missed = last > search.through ? await reportsAfter(tx, search.through) : [];
    const found = search.found.map((one) => withOthers(one, missed));
    const known = found.flatMap(({ candidates }) => candidates);
    const joinable = new Set(known.filter(mayBeOfOneStory).map(({ itemId }) => itemId));
    const batch = await StoryBatch.open(tx, items, new Set(known.map(({ itemId }) => itemId)), joinable, now);
    const assigned: IndexedReport[] = [];
    const grown = new Set<string>();
    const neighbors: { story: string; neighbors: Neighbor[] }[] = [];
    for (const [index, item] of items.entries()) {
      const one = found[index];
      if (one === undefined) continue;
      const candidates = currentCandidates(one, item, assigned, batch);
      const { story, hasGrown, isAlone } = await assignOne(tx, item, one, candidates, batch);
      if (hasGrown) grown.add(story);
      neighbors.push({ story, neighbors: neighborsOf(story, candidates) });
      const { id: itemId, sourceName: source, title } = item;
      assigned.push({ itemId, story, source, title, report: { ...one.report, isAlone } });
    }
    await batch.write();
    await insert((itemId) => batch.storyOf(itemId) ?? null);
    await putIntoIndex(tx, assigned, now);
    await writeReferences(tx, neighbors, (story) => batch.survivorOf(story));
    const { lexicon } = this.#search.reading;
    const told = [...new Set([...grown].map((story) => batch.survivorOf(story)))];
    await writeDigests(tx, told, lexicon, now);
    await splitGrownApart(tx, told, { lexicon, now });
  }

  async renew(tx: Transaction<NewsTables>, reports: readonly ChangedReport[], now: Date): Promise<void> {
    if (reports.length === 0) return;
    await lockUntilCommit(tx, 'assign stories');
    const { reading } = this.#search;
    const { reports: weighed } = await weighTexts(tx, reports, reading);
    await renewInIndex(
      tx,
      reports.flatMap(({ id }, index) => {
        const report = weighed[index];
        return report === undefined ? [] : [{ itemId: id, report }];
      }),
    );
    const stories = await tx
      .selectFrom('news.item')
      .select('story')
      .distinct()
      .where('id', '=', sql<string>`any(${reports.map(({ id }) => id)})`)
      .execute();
    await renewStories(
      tx,
      stories.flatMap(({ story }) => story ?? []),
      reports.map(({ formerTitle }) => formerTitle),
      { lexicon: reading.lexicon, now },
    );
  }
}

/** The candidates of an item with their stories as they are now, those of the same batch included. */
function currentCandidates(
  found: Found,
  item: AssignableItem,
  assigned: readonly IndexedReport[],
  batch: StoryBatch,
): Candidate[] {
  return withOthers(found, assigned).candidates.flatMap((candidate) => {
    const story = batch.storyOf(candidate.itemId);
    return story === undefined || candidate.itemId === item.id ? [] : [{ ...candidate, story }];
  });
}

/** Puts an item into its story, and returns that and whether it has other reports. */
async function assignOne(
  tx: Transaction<NewsTables>,
  item: AssignableItem,
  { report }: Found,
  candidates: readonly Candidate[],
  batch: StoryBatch,
): Promise<{ story: string; hasGrown: boolean; isAlone: boolean }> {
  const { title, sourceName: source } = item;
  const { isAlone, joined, alike } = placeOf({ report, title, source }, candidates, (story) =>
    batch.sizeOf(story),
  );
  const story = joined?.story ?? (await batch.start(item));
  const others = joined?.story === null ? joined.itemIds : [];
  batch.put([item.id, ...others], story);
  if (joined === undefined) return { story, hasGrown: false, isAlone };
  if (alike.length === 0) return { story, hasGrown: true, isAlone };
  // Split stories are looked up in the database.
  await batch.write();
  const merged = await withoutSplit(tx, [...new Set([story, ...alike])]);
  const [survivor = story, ...younger] = batch.byAge(merged);
  if (younger.length > 0) await batch.merge(younger, survivor);
  return { story: survivor, hasGrown: true, isAlone };
}

/** An item that may belong to a story. */
export interface AssignableItem {
  id: string;
  title: string;
  /** The title in the source's language, if `title` is a translation. */
  originalTitle: string | null;
  summary: string | null;
  sourceName: string;
  category: string | null;
  publishedAt: Date;
  discoveredAt: Date;
}

/** A stored item that its source has edited. */
export interface ChangedReport extends AssignableItem {
  formerTitle: string;
}

/** Inserts items, each in the story that `storyOf` says; null: it has none. */
export type InsertItems = (storyOf: (itemId: string) => string | null) => Promise<void>;

/** Finds the stories that items report on. */
export interface StoryAssigner {
  /**
   * Puts each new item into its story, one that was there or one that it creates, in the order of
   * publication; an item may stay without a story. It runs in the transaction that writes the items, lets
   * `insert` do that once their stories are there, and may give other items, which had no story, the same
   * one. Any number of workers ask at once; the worker runs the transaction again if it loses a race
   * (`isLostRace`).
   */
  assign(
    tx: Transaction<NewsTables>,
    items: readonly AssignableItem[],
    now: Date,
    insert: InsertItems,
  ): Promise<void>;
  /**
   * Lets items that were edited be found by what they say now, and their stories tell it; they stay in these.
   * It runs in the transaction that edits them, after `assign`.
   */
  renew(tx: Transaction<NewsTables>, reports: readonly ChangedReport[], now: Date): Promise<void>;
}

/** Leaves out those of the stories that a person has split from one before them. */
export async function withoutSplit(
  tx: Transaction<NewsTables>,
  stories: readonly string[],
): Promise<string[]> {
  if (stories.length === 1) return [...stories];
  const { rows } = await sql<{ one: string; two: string }>`
    with recursive members as (
      select public_id as root, public_id from news.story where public_id = any(${stories})
      union
      select members.root, story.public_id
      from members join news.story as story on story.merged_into = members.public_id
    )
    select one.root as one, two.root as two from news.story_split as split
    join members as one on one.public_id = split.story
    join members as two on two.public_id = split.other
    where one.root <> two.root
  `.execute(tx);
  const areSplit = (a: string, b: string) =>
    rows.some(({ one, two }) => (one === a && two === b) || (one === b && two === a));
  const kept: string[] = [];
  for (const story of stories) {
    if (!kept.some((other) => areSplit(other, story))) kept.push(story);
  }
  return kept;
}

/**
 * The stories of a batch of items while they are being assigned: what the database has, and what the batch
 * has decided so far, which is written all at once.
 */
class StoryBatch {
  readonly #tx: Transaction<NewsTables>;
  readonly #now: Date;
  /** The story of each item that is known here; null: it has none yet. */
  readonly #storyOf: Map<string, string | null>;
  /** Number of reports of each story, counted up to {@link CORE}. */
  readonly #sizes: Map<string, number>;
  /** The ids that new stories cannot have. */
  readonly #taken: Set<string>;
  /** The place of each story in the order of their creation. */
  readonly #ages: Map<string, number>;
  readonly #survivors: Map<string, string>;
  #started: { public_id: string; title: string }[] = [];
  #moved = new Map<string, string>();

  private constructor(
    tx: Transaction<NewsTables>,
    now: Date,
    read: {
      storyOf: Map<string, string | null>;
      sizes: Map<string, number>;
      taken: Set<string>;
      ages: Map<string, number>;
      survivors: Map<string, string>;
    },
  ) {
    this.#tx = tx;
    this.#now = now;
    this.#storyOf = read.storyOf;
    this.#sizes = read.sizes;
    this.#taken = read.taken;
    this.#ages = read.ages;
    this.#survivors = read.survivors;
  }

  /**
   * Reads the stories of `candidates`, items that were found before, as they are now; those that are
   * withdrawn are left out. The stories that one of the `joinable` items is in are locked until the
   * transaction ends: a person who merges one waits, and then moves the new items too.
   */
  static async open(
    tx: Transaction<NewsTables>,
    items: readonly AssignableItem[],
    candidates: Iterable<string>,
    joinable: ReadonlySet<string>,
    now: Date,
  ): Promise<StoryBatch> {
    const known = [...candidates];
    const rows = known.length > 0 ? await STORIES.execute(tx, { ids: JSON.stringify(known) }) : [];
    const storyOf = new Map(rows.map(({ id, story }) => [id, story]));
    const sizes = new Map(rows.flatMap(({ story, size }) => (story === null ? [] : [[story, size]])));
    const joined = rows.flatMap(({ id, story }) => (story !== null && joinable.has(id) ? [story] : []));
    const { ages, survivors } = await lockWithAges(tx, [...new Set(joined)]);
    const first = items.map(({ id }) => storyId(id, 0));
    const taken = await TAKEN.execute(tx, { ids: JSON.stringify(first) });
    return new StoryBatch(tx, now, {
      storyOf,
      sizes,
      taken: new Set(taken.map(({ id }) => id)),
      ages,
      survivors,
    });
  }

  /** The story of an item; null if it has none, undefined if the item is not known here. */
  storyOf(itemId: string): string | null | undefined {
    const story = this.#storyOf.get(itemId);
    return story ? this.survivorOf(story) : story;
  }

  /** Returns the number of reports of a story, counting at most {@link CORE} of the earlier ones. */
  sizeOf(story: string): number {
    return this.#sizes.get(story) ?? 0;
  }

  survivorOf(story: string): string {
    let survivor = story;
    for (let next = this.#survivors.get(survivor); next !== undefined; next = this.#survivors.get(survivor)) {
      survivor = next;
    }
    return survivor;
  }

  /** Starts a story with the title of an item, and returns its id. */
  async start({ id, title }: AssignableItem): Promise<string> {
    // Made from the item's id, so that a replay makes the same stories; one is taken only after a split.
    let publicId = storyId(id, 0);
    for (let attempt = 1; this.#taken.has(publicId); attempt += 1) {
      const next = storyId(id, attempt);
      const known = await this.#tx
        .selectFrom('news.story')
        .select('public_id')
        .where('public_id', '=', next)
        .executeTakeFirst();
      if (known === undefined) publicId = next;
    }
    this.#taken.add(publicId);
    this.#started.push({ public_id: publicId, title });
    // Younger than all that were there.
    this.#ages.set(publicId, Number.MAX_SAFE_INTEGER / 2 + this.#ages.size);
    return publicId;
  }

  put(itemIds: readonly string[], story: string): void {
    for (const id of itemIds) {
      // A new item is inserted with its story.
      if (this.#storyOf.has(id)) this.#moved.set(id, story);
      this.#storyOf.set(id, story);
      this.#sizes.set(story, this.sizeOf(story) + 1);
    }
  }

  /** The stories, oldest first. */
  byAge(stories: readonly string[]): string[] {
    const age = (story: string) => this.#ages.get(story) ?? Number.POSITIVE_INFINITY;
    return stories.toSorted((a, b) => age(a) - age(b) || (a < b ? -1 : 1));
  }

  /** Merges stories into another; their items and references become its own. */
  async merge(others: readonly string[], survivor: string): Promise<void> {
    await this.write();
    await asOneEdit(this.#tx, { action: 'story merge' }, async () => {
      await this.#tx
        .updateTable('news.story')
        .set({ merged_into: survivor, updated_at: sql<Date>`clock_timestamp()` })
        .where('public_id', '=', sql<string>`any(${others})`)
        .execute();
      await this.#tx
        .updateTable('news.item')
        .set({ story: survivor })
        .where('story', '=', sql<string>`any(${others})`)
        .execute();
    });
    await adoptReferences(this.#tx, others, survivor);
    for (const other of others) {
      this.#survivors.set(other, survivor);
      this.#sizes.set(survivor, this.sizeOf(survivor) + this.sizeOf(other));
    }
  }

  /** Writes what was decided so far: new stories, and the stored items that have joined one. */
  async write(): Promise<void> {
    const [started, moved] = [this.#started, this.#moved];
    this.#started = [];
    this.#moved = new Map();
    if (started.length === 0 && moved.size === 0) return;
    const rows = started.map((row) => ({ ...row, created_at: this.#now }));
    await sql`
      with started as (
        insert into news.story (public_id, title, created_at)
        select public_id, title, created_at from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as row (public_id text, title text, created_at timestamptz)
      )
      update news.item set story = row.story
      from unnest(${[...moved.keys()]}::text[], ${[...moved.values()]}::text[]) as row (id, story)
      where item.id = row.id collate "C" and item.story is distinct from row.story
    `.execute(this.#tx);
  }
}

interface StoryRow {
  id: string;
  story: string | null;
  size: number;
}

/** The items that are not withdrawn, with their stories. */
const STORIES = new PreparedQuery<NewsTables, { ids: string }, StoryRow>((db, value) => ({
  compile: () =>
    // The ids are JSON, and read by key one after the other: the plan costs as much for any, so it is kept.
    sql<StoryRow>`
        select item.id, item.story, (
          select count(*)::integer from (
            select from news.item as member
            where member.story = item.story and member.withdrawn_at is null limit ${sql.lit(CORE)}
          ) as core
        ) as size
        from jsonb_array_elements_text(${value('ids')}::jsonb) as wanted (id)
        cross join lateral (
          select id, story from news.item where id = wanted.id collate "C" and withdrawn_at is null limit 1
        ) as item
      `.compile(db),
}));

/** The ids that stories already have; likewise. */
const TAKEN = new PreparedQuery<NewsTables, { ids: string }, { id: string }>((db, value) => ({
  compile: () =>
    sql<{ id: string }>`
      select wanted.id from jsonb_array_elements_text(${value('ids')}::jsonb) as wanted (id)
      cross join lateral (select from news.story where public_id = wanted.id collate "C" limit 1) as story
    `.compile(db),
}));

/** The id of the story that an item starts. */
function storyId(itemId: string, attempt: number): string {
  return createHash('sha256').update(`${itemId} ${attempt}`).digest('hex').slice(0, 20);
}

/** Locks stories, and the survivors of those that a person has just merged. */
async function lockWithAges(
  tx: Transaction<NewsTables>,
  ids: readonly string[],
): Promise<{ ages: Map<string, number>; survivors: Map<string, string> }> {
  if (ids.length === 0) return { ages: new Map(), survivors: new Map() };
  const locked = await tx
    .selectFrom('news.story')
    .select(['public_id', 'created_at', 'merged_into'])
    .where('public_id', '=', sql<string>`any(${ids})`)
    .orderBy('public_id')
    .forShare()
    .execute();
  const ages = new Map(locked.map(({ public_id, created_at }) => [public_id, created_at.getTime()]));
  if (locked.every(({ merged_into }) => merged_into === null)) return { ages, survivors: new Map() };
  const became = await lockStories(tx, ids);
  const rest = await lockWithAges(tx, [...new Set(became.values())]);
  const survivors = new Map([...became].filter(([story, survivor]) => story !== survivor));
  return { ages: new Map([...ages, ...rest.ages]), survivors };
}

/** A story takes over at most this many references of each kind from stories merged into it. */
const MOST_ADOPTED = 32;

/** Wording for readers of the reasons why a story is shown. */
const RELATIONS = {
  earlier: 'Earlier in this storyline',
  later: 'Later in this storyline',
  related: 'Related',
};

/**
 * Lets stories and their neighbours point to each other, up to eight of a kind. `survivorOf` says what has
 * become of a story since its neighbours were found. Adds only: what a person has written stays.
 */
async function writeReferences(
  tx: Transaction<NewsTables>,
  found: readonly { story: string; neighbors: readonly Neighbor[] }[],
  survivorOf: (story: string) => string,
): Promise<void> {
  const rows = found
    .flatMap(({ story, neighbors }) => neighbors.map((neighbor) => ({ story, neighbor })))
    .flatMap(({ story, neighbor: { story: other, kind, isEarlier } }) => {
      const [one, two] = [survivorOf(story), survivorOf(other)];
      if (one === two) return [];
      const [here, there] = isEarlier
        ? [RELATIONS.earlier, RELATIONS.later]
        : [RELATIONS.later, RELATIONS.earlier];
      const [forth, back] = kind === 'related' ? [RELATIONS.related, RELATIONS.related] : [here, there];
      return [
        { story: one, kind, neighbor: two, relation: forth },
        { story: two, kind, neighbor: one, relation: back },
      ];
    });
  if (rows.length === 0) return;
  await sql`
    with row as (
      select distinct on (story, kind, neighbor) *
      from jsonb_to_recordset(${JSON.stringify(rows.map((row, place) => ({ ...row, place })))}::jsonb)
        as row (story text, kind text, neighbor text, relation text, place integer)
      where not exists (
        select from news.story_reference as known
        where known.story = row.story collate "C" and known.kind = row.kind
          and known.neighbor = row.neighbor collate "C"
      )
      order by story, kind, neighbor, place
    ), placed as (
      select row.*, taken.count + row_number() over (partition by row.story, row.kind order by place) as place_after
      from row cross join lateral (
        select count(*)::integer as count from news.story_reference as known
        where known.story = row.story collate "C" and known.kind = row.kind
      ) as taken
    )
    insert into news.story_reference (story, kind, neighbor, relation, position)
    select story, kind, neighbor, relation, place_after - 1 from placed where place_after <= ${MOST_REFERENCES}
    on conflict do nothing
  `.execute(tx);
}

/**
 * Lets a story point where stories that are merged into it pointed. References to them need no change:
 * whoever reads one follows it to the survivor. Only for merges by the newsroom: an import says itself where
 * each story points, and would undo this when it is repeated.
 */
export async function adoptReferences(
  tx: Transaction<NewsTables>,
  merged: readonly string[],
  survivor: string,
): Promise<void> {
  await sql`
    with taken as (
      select kind, count(*) as count, max(position) as last from news.story_reference
      where story = ${survivor} group by kind
    ), adopted as (
      delete from news.story_reference where story = any(${merged}) returning *
    ), numbered as (
      select adopted.kind, neighbor, relation, row_number() over (partition by adopted.kind order by position, neighbor) as place
      from (select distinct on (kind, neighbor) * from adopted order by kind, neighbor, position) as adopted
      where neighbor <> ${survivor} and neighbor <> all(${merged}::text[])
    )
    insert into news.story_reference (story, kind, neighbor, relation, position)
    select ${survivor}, numbered.kind, neighbor, relation, coalesce(taken.last + 1, 0) + place - 1
    from numbered left join taken using (kind)
    where coalesce(taken.count, 0) + place <= ${MOST_ADOPTED}
    on conflict do nothing
  `.execute(tx);
}
