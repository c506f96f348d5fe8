import { createHash } from 'node:crypto';
import { PreparedQuery } from '@pressroom/common/database/database';
import { CORE, MOST_REFERENCES, type Neighbor } from '@pressroom/stories';
import { sql, type Transaction } from 'kysely';
import { asOneEdit } from '../editing/edits.ts';
import type { NewsTables } from '../tables.ts';
import type { AssignableItem } from './story-assigner.ts';
import { lockStories } from './story-renewal.ts';

/**
 * The stories of a batch of items while they are being assigned: what the database has, and what the batch
 * has decided so far, which is written all at once.
 */
export class StoryBatch {
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
export async function writeReferences(
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
