import { BackgroundLoop } from '@pressroom/common/concurrency/background-loop';
import type { Kysely } from 'kysely';
import type { ActiveBucket } from '../buckets/bucket.ts';
import { StorePing } from '../buckets/store-errors.ts';
import { type Section, type SectionState, stateOf } from '../desk.ts';
import type { GalleryTables } from '../tables.ts';

type Neighbour = GalleryTables['gallery.outage']['name'];

/** The time between two looks at what the gallery depends on, in ms. */
const LOOK_MS = 60_000;

/** Since when something does not answer, whichever replica was the first to notice. */
export class Outages {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** Notes what is away and what is not, and returns since when what is away has been. */
  async note(isAway: Readonly<Partial<Record<Neighbour, boolean>>>): Promise<Map<Neighbour, Date>> {
    const before = await this.#list();
    const names = Object.keys(isAway) as Neighbour[];
    const back = names.filter((name) => !isAway[name] && before.has(name));
    const gone = names.filter((name) => isAway[name] && !before.has(name));
    if (back.length > 0) await this.#db.deleteFrom('gallery.outage').where('name', 'in', back).execute();
    if (gone.length > 0) {
      const rows = gone.map((name) => ({ name }));
      await this.#db
        .insertInto('gallery.outage')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    return back.length + gone.length === 0 ? before : this.#list();
  }

  async #list(): Promise<Map<Neighbour, Date>> {
    const rows = await this.#db.selectFrom('gallery.outage').selectAll().execute();
    return new Map(rows.map(({ name, since }) => [name, since]));
  }
}

export function isAway(state: SectionState): boolean {
  return state === 'unavailable' || state === 'refused';
}

/** True if the active bucket's store gives any answer now. */
export function storeAnswers(active: ActiveBucket): Promise<boolean> {
  // One of its own remembers no earlier answer.
  return new StorePing().ping(active.probed()).then(
    () => true,
    () => false,
  );
}

/** Looks every minute, so that an outage has its beginning before anybody asks. */
export function watchNeighbours(parts: {
  sections: { content: Section; newsroom: Section };
  active: ActiveBucket;
  outages: Outages;
}): BackgroundLoop {
  const { sections, active, outages } = parts;
  const look = async () => {
    const [content, newsroom, answers] = await Promise.all([
      stateOf(sections.content),
      stateOf(sections.newsroom),
      storeAnswers(active),
    ]);
    // Without the database nobody can be told, either.
    await outages
      .note({ content: isAway(content), newsroom: isAway(newsroom), store: !answers })
      .catch(() => undefined);
    return LOOK_MS;
  };
  return new BackgroundLoop(look, LOOK_MS);
}
