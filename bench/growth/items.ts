import pg from 'pg';
import type { ServerProcess } from '../child.ts';
import { BenchClient } from '../client.ts';
import { createDatabase } from '../database.ts';
import type { Figure } from '../figures/figure.ts';
import { rank } from '../news-data.ts';
import { startNewsFeed } from '../news-service.ts';
import { addItems } from './items-data.ts';
import { keptBy } from './kept.ts';
import { numberChanges } from './number-changes.ts';
import type { Question } from './question.ts';
import { CHINESE, LATIN, type Vocabulary } from './vocabulary.ts';

/** Acceptable multiples: of what people ask for, and of writes. */
const READ = 1.2;
const WRITE = 1.5;

/** The same of the archive, which has no window. */
const ARCHIVED = 1.5;

/** Pages of 10, so that 10,000 items fill them too. */
const ITEMS = '/api/v1/items?limit=10&mode=all';
const ARCHIVE = '/api/v1/archive?limit=10';
const SNAPSHOT = '/api/v1/selected/snapshot?limit=500';
const CHANGES = '/api/v1/selected/changes';

/** News items in a database, and an uncached service that reads them. */
export class GrowingItems {
  readonly #pool: pg.Pool;
  readonly #service: ServerProcess;
  readonly #client: BenchClient;
  /** A cursor from before the first item. */
  readonly #start: string;
  #items = 0;
  #written = 0;

  private constructor(pool: pg.Pool, service: ServerProcess, start: string) {
    this.#pool = pool;
    this.#service = service;
    this.#client = new BenchClient(service.port);
    this.#start = start;
  }

  /** Makes an empty database of that name on the server. */
  static async start(serverUrl: string, name: string): Promise<GrowingItems> {
    const url = await createDatabase(serverUrl, name);
    const pool = new pg.Pool({ connectionString: url });
    const service = await startNewsFeed(url, '0');
    const client = new BenchClient(service.port);
    const { cursor } = JSON.parse(await client.ask(SNAPSHOT));
    client.close();
    return new GrowingItems(pool, service, cursor);
  }

  /** Adds items until there are that many, ranks them, and numbers their changes. */
  async growTo(items: number): Promise<void> {
    await addItems(this.#pool, this.#items, items);
    this.#items = items;
    await rank(this.#pool);
    await numberChanges(this.#pool, 'news');
  }

  /** What is asked of items, in the order in which it is asked. */
  async questions(): Promise<Question[]> {
    return [
      this.#read('items, last 7 days', ITEMS),
      this.#read('items, last 24 hours', `${ITEMS}&window=24h`),
      this.#read('selected items, by publication', '/api/v1/items?limit=10&by=published'),
      this.#read('items of a category', `${ITEMS}&category=research`),
      this.#read('items of a rare category', `${ITEMS}&category=patent`),
      this.#read('items of a direction', `${ITEMS}&direction=overseas`),
      this.#read('items of a category and direction', `${ITEMS}&category=research&direction=overseas`),
      ...this.#searches('Latin', LATIN),
      ...this.#searches('Chinese', CHINESE),
      ...this.#archive(),
      this.#read('sources', '/api/v1/sources'),
      this.#read('stories', '/api/v1/stories?limit=10'),
      this.#read('hot topics', '/api/v1/hot-topics'),
      this.#read('snapshot, first page', SNAPSHOT),
      this.#read('snapshot, page in the middle', await this.#middleOfSnapshot()),
      this.#read('changes from the start', `${CHANGES}?cursor=${this.#start}`),
      this.#read('changes at the tip', `${CHANGES}?cursor=${await this.#tip()}`),
      { what: 'create an item', aim: WRITE, ask: () => this.#create() },
      { what: 'update a selected item', aim: WRITE, ask: () => this.#update() },
    ];
  }

  /** What the items take on disk. */
  kept(): Promise<Figure[]> {
    const update = `update news.item set score = 50 where substr(id, 14) = '7'`;
    return keptBy(this.#pool, { what: 'items', subject: 'news-feed', table: 'news.item', update });
  }

  /** Stops the service; the database stays. */
  async stop(): Promise<void> {
    this.#client.close();
    await this.#service.stop();
    await this.#pool.end();
  }

  #searches(script: string, { common, rare, absent }: Vocabulary): Question[] {
    const search = (what: string, ...words: string[]) =>
      this.#read(`search, ${script}, ${what}`, `${ITEMS}&q=${encodeURIComponent(words.join(' '))}`);
    return [
      search('a common word', common(17)),
      search('three common words', common(17), common(101), common(202)),
      search('a rare word', rare(this.#items - 1)),
      search('a word that no item has', absent),
    ];
  }

  /** The oldest items, and what is found in few months. */
  #archive(): Question[] {
    const read = (what: string, query: string) =>
      this.#read(`archive, ${what}`, `${ARCHIVE}&${query}`, ARCHIVED);
    const source = 'source=Source%207';
    return [
      read('a source', source),
      read('a source in a direction', `${source}&direction=overseas`),
      read('a rare category', 'category=patent&direction=overseas'),
      read('a common word', `q=${LATIN.common(17)}`),
      read('a rare word of an old item', `q=${LATIN.rare(3)}`),
      read('a word that no item has', `q=${LATIN.absent}`),
    ];
  }

  #read(what: string, path: string, aim = READ): Question {
    return { what, aim, ask: async () => void (await this.#client.ask(path)) };
  }

  /** The page after half of the set: its cursor names the last key before it, so any page's will do. */
  async #middleOfSnapshot(): Promise<string> {
    let path = SNAPSHOT;
    const pages = this.#items / 10 / 500 / 2;
    for (let page = 1; page < Math.min(pages, 100); page += 1) {
      const { nextPage } = JSON.parse(await this.#client.ask(path));
      path = `${SNAPSHOT}&page=${nextPage}`;
    }
    return path;
  }

  async #tip(): Promise<string> {
    const { cursor, hasMore } = JSON.parse(await this.#client.ask(SNAPSHOT));
    let tip: string = cursor;
    for (let more = hasMore === true; more; ) {
      const page = JSON.parse(await this.#client.ask(`${CHANGES}?cursor=${tip}`));
      tip = page.cursor;
      more = page.hasMore;
    }
    return tip;
  }

  async #create(): Promise<void> {
    this.#written += 1;
    const address = `https://written.example/${this.#written}`;
    await this.#pool.query(
      `insert into news.item (title, summary, source_name, original_url, canonical_url, published_at, category,
         score, selected, directions)
       values ($1, $2, 'Bench', $3, $3, clock_timestamp(), 'research', 50, true, $4)`,
      [
        LATIN.words(this.#written, 6).join(' '),
        CHINESE.words(this.#written, 30).join(''),
        address,
        // As many of each as there are among the others.
        [this.#written % 2 === 0 ? 'domestic' : 'overseas'],
      ],
    );
  }

  async #update(): Promise<void> {
    this.#written += 1;
    const id = `item-${String((this.#written * 7919) % this.#items).padStart(9, '0')}`;
    const title = LATIN.words(this.#written, 6).join(' ');
    await this.#pool.query('update news.item set title = $2, selected = true where id = $1', [id, title]);
  }
}
