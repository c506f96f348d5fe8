import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** How many topics the list has (`docs/spec/news-feed.md`, "Hot topic"). */
const TOP = 10;

/** The hot topics of the latest ranking. */
export class HotTopicStore {
  readonly #db: Kysely<NewsTables>;

  constructor(db: Kysely<NewsTables>) {
    this.#db = db;
  }

  /**
   * The ten best topics of the latest ranking, or of one direction in it, hottest first. Topics whose item is
   * no longer public are skipped, and the next best move up.
   */
  list(direction: string | undefined) {
    return this.#db
      .selectFrom('news.ranking_entry as entry')
      .innerJoin('news.item as item', 'item.id', 'entry.item_id')
      .where('entry.ranking_id', '=', (query) =>
        query.selectFrom('news.ranking').select(({ fn }) => fn.max<number>('id').as('latest')),
      )
      .where('entry.direction', direction === undefined ? 'is' : '=', direction ?? null)
      .where('item.withdrawn_at', 'is', null)
      .select(['item.id', 'item.title', 'item.source_name', 'item.original_url', 'item.story'])
      .select(['entry.source_count', 'entry.signal_count', 'entry.participant_count', 'entry.source_names'])
      .select('entry.latest_at')
      .orderBy('entry.rank')
      .limit(TOP)
      .execute();
  }
}

/** A topic as a row of the database. */
export type RankedTopic = Awaited<ReturnType<HotTopicStore['list']>>[number];
