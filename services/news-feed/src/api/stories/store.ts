import type { Kysely } from 'kysely';
import { survivorsOf } from '../../survivors.ts';
import type { NewsTables } from '../../tables.ts';
import { MergedStory } from './merged-story.ts';

type Database = Kysely<NewsTables>;

/** How many reports of a story are shown, newest first, which bounds its cost. */
const MOST_REPORTS = 500;

/** The format of an id that may name a story; nothing else needs a query. */
const PUBLIC_ID = /^[A-Za-z0-9._~-]+$/;

/** A story that this one points to. */
export interface Neighbor {
  publicId: string;
  title: string;
  relation: string;
}

/** The stories in the database. */
export class StoryStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * The story of `publicId` with its reports and neighbours; undefined if it does not exist or none of its
   * reports is public. Throws {@link MergedStory} if it has been merged into another one.
   */
  async read(publicId: string) {
    if (!PUBLIC_ID.test(publicId)) return undefined;
    const survivor = (await survivorsOf(this.#db, [publicId])).get(publicId);
    if (survivor === undefined) return undefined;
    if (survivor.publicId !== publicId) throw new MergedStory(survivor.publicId);
    const [story, coverage, reports] = await Promise.all([
      this.#story(publicId),
      this.#coverage(publicId),
      this.#reports(publicId),
    ]);
    const [newest] = reports;
    if (story === undefined || newest === undefined) return undefined;
    const neighbors = await this.#neighbors(publicId);
    return { story, coverage, newest, reports, ...neighbors };
  }

  #story(publicId: string) {
    return this.#db
      .selectFrom('news.story')
      .select(['public_id', 'title', 'status', 'digest', 'digest_updated_at'])
      .where('public_id', '=', publicId)
      .executeTakeFirst();
  }

  #coverage(publicId: string) {
    return this.#db
      .selectFrom('news.item')
      .select(({ fn }) => [
        fn.countAll<number>().as('reports'),
        fn.count<number>('source_name').distinct().as('sources'),
        fn.min('published_at').as('first'),
      ])
      .where('story', '=', publicId)
      .where('withdrawn_at', 'is', null)
      .executeTakeFirstOrThrow();
  }

  #reports(publicId: string) {
    return this.#db
      .selectFrom('news.item')
      .select(['id', 'title', 'summary', 'source_name', 'source_first_party', 'original_url', 'published_at'])
      .select(['image', 'language'])
      .where('story', '=', publicId)
      .where('withdrawn_at', 'is', null)
      .orderBy('published_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST_REPORTS)
      .execute();
  }

  /** References point to survivors, each once, and only to stories that the story endpoint shows. */
  async #neighbors(publicId: string): Promise<{ storyline: Neighbor[]; related: Neighbor[] }> {
    const references = await this.#db
      .selectFrom('news.story_reference')
      .select(['kind', 'neighbor', 'relation'])
      .where('story', '=', publicId)
      .orderBy('position')
      .orderBy('neighbor')
      .execute();
    const survivors = await survivorsOf(
      this.#db,
      references.map(({ neighbor }) => neighbor),
    );
    const neighborsOf = (kind: 'storyline' | 'related') => {
      const neighbors = new Map<string, Neighbor>();
      for (const reference of references) {
        const survivor = survivors.get(reference.neighbor);
        if (reference.kind !== kind || !survivor?.isPublic || survivor.publicId === publicId) continue;
        if (neighbors.has(survivor.publicId)) continue;
        const { title } = survivor;
        neighbors.set(survivor.publicId, {
          publicId: survivor.publicId,
          title,
          relation: reference.relation,
        });
      }
      return [...neighbors.values()];
    };
    return { storyline: neighborsOf('storyline'), related: neighborsOf('related') };
  }
}

/** A story as read from the database. */
export type StoryRead = NonNullable<Awaited<ReturnType<StoryStore['read']>>>;
