import { ApiKeyStore } from '@pressroom/content/api-keys/store';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { ServerProcess } from '../child.ts';
import { BenchClient } from '../client.ts';
import { startContent } from '../content-service.ts';
import { createDatabase } from '../database.ts';
import type { Figure } from '../figures/figure.ts';
import { addArticles, addTerms } from './articles-data.ts';
import { keptBy } from './kept.ts';
import { numberChanges } from './number-changes.ts';
import type { Question } from './question.ts';
import { LATIN } from './vocabulary.ts';

/** Acceptable multiples: of what people ask for, of the page in the middle, of writes, of searches. */
const READ = 1.2;
const MIDDLE = 3;
const WRITE = 1.5;
const SEARCH = 10;

const LIST = '/api/articles';
const SNAPSHOT = '/api/sync/snapshot?limit=500';
const CHANGES = '/api/sync/changes?limit=100';

/** A category that the lists are restricted to, and one that the written articles are in. */
const CATEGORY = 3;
const WRITTEN_CATEGORY = 5;

/** Articles in a database, and an uncached service that reads and writes them. */
export class GrowingArticles {
  readonly #pool: pg.Pool;
  readonly #service: ServerProcess;
  readonly #client: BenchClient;
  readonly #key: string;
  /** A cursor from before the first article. */
  readonly #start: string;
  #articles = 0;
  #written = 0;

  private constructor(pool: pg.Pool, service: ServerProcess, key: string, start: string) {
    this.#pool = pool;
    this.#service = service;
    this.#client = new BenchClient(service.port);
    this.#key = key;
    this.#start = start;
  }

  /** Makes an empty database of that name on the server. */
  static async start(serverUrl: string, name: string): Promise<GrowingArticles> {
    const url = await createDatabase(serverUrl, name);
    const pool = new pg.Pool({ connectionString: url });
    await addTerms(pool);
    const keys = new ApiKeyStore(new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool }) }));
    const key = await keys.create({ name: 'Bench' });
    // Checking HTML costs the same however many articles there are, and more than writing them.
    const settings = {
      CONTENT_HTML: 'trusted',
      CONTENT_KEY_RATE_LIMIT: '1000000000',
      CONTENT_SITE_URL: 'https://site.example',
    };
    const service = await startContent(url, '0', settings);
    const client = new BenchClient(service.port);
    const { meta } = JSON.parse(await client.ask(SNAPSHOT));
    client.close();
    return new GrowingArticles(pool, service, key, meta.cursor);
  }

  /** Adds articles until there are that many. */
  async growTo(articles: number): Promise<void> {
    await addArticles(this.#pool, this.#articles, articles);
    this.#articles = articles;
    await numberChanges(this.#pool, 'content');
  }

  /** What is asked of articles, in the order in which it is asked. */
  async questions(): Promise<Question[]> {
    const [pages, pagesOfCategory] = [await this.#pages(''), await this.#pages(`category_id=${CATEGORY}&`)];
    const detail = `${LIST}/${await this.#anyId()}`;
    return [
      this.#read('articles, first page', LIST),
      this.#read('articles, page 50', `${LIST}?page=50`),
      this.#read('articles, middle page', `${LIST}?page=${Math.ceil(pages / 2)}`, MIDDLE),
      this.#read('articles, last page', `${LIST}?page=${pages}`),
      this.#read('articles of a category, first page', `${LIST}?category_id=${CATEGORY}`),
      this.#read(
        'articles of a category, middle page',
        `${LIST}?category_id=${CATEGORY}&page=${Math.ceil(pagesOfCategory / 2)}`,
        MIDDLE,
      ),
      ...(await this.#lists()),
      this.#read('categories with their totals', '/api/categories'),
      this.#read('article with related ones', detail),
      this.#read('revisions of an article', `${detail}/revisions`, READ, { 'x-api-key': this.#key }),
      this.#read('article by its slug', `${LIST}/by-slug/${await this.#anySlug()}`),
      this.#read('feed of articles', '/articles/feed.xml'),
      this.#read('index of the sitemap', '/sitemap.xml', MIDDLE),
      ...(await this.#copies()),
      ...this.#searches(),
      { what: 'create an article', aim: WRITE, ask: () => this.#create() },
      { what: 'update an article', aim: WRITE, ask: () => this.#update() },
    ];
  }

  /** What the articles take on disk. */
  kept(): Promise<Figure[]> {
    // Nothing that searches read: the service would be busy with that.
    const update = `update content.article set alt_text = 'Changed' where id % 10 = 7`;
    return keptBy(this.#pool, { what: 'articles', subject: 'content', table: 'content.article', update });
  }

  /** Stops the service; the database stays. */
  async stop(): Promise<void> {
    this.#client.close();
    await this.#service.stop();
    await this.#pool.end();
  }

  /** Lists that are filtered, sorted and walked through; half of the articles changed since the time. */
  async #lists(): Promise<Question[]> {
    const { rows } = await this.#pool.query(
      'select percentile_disc(0.5) within group (order by updated_at) as half from content.article',
    );
    const since = `updated_since=${rows[0].half.toISOString()}`;
    const { meta } = JSON.parse(await this.#client.ask(`${LIST}?fields=full&cursor=`));
    return [
      this.#read('articles of an author', `${LIST}?author=Author+3`),
      this.#read('articles of a tag', `${LIST}?tag=tag-3`),
      this.#read('articles, changed last', `${LIST}?sort=updated`),
      this.#read('articles of a category, changed since', `${LIST}?category_id=${CATEGORY}&${since}`),
      this.#read('whole articles, second page', `${LIST}?fields=full&cursor=${meta.next_cursor}`),
    ];
  }

  /** What a copy is made of; the pages of a snapshot cost the same wherever they are. */
  async #copies(): Promise<Question[]> {
    const whole = `${SNAPSHOT}&fields=full`;
    const { meta } = JSON.parse(await this.#client.ask(whole));
    return [
      this.#read('snapshot of articles, first page', SNAPSHOT),
      this.#read('snapshot of whole articles, second page', `${whole}&page=${meta.next_page}`),
      this.#read('changes of articles from the start', `${CHANGES}&cursor=${this.#start}`),
      this.#read('changes of articles at the tip', `${CHANGES}&cursor=${await this.#tip(meta.cursor)}`),
    ];
  }

  async #tip(cursor: string): Promise<string> {
    const { meta } = JSON.parse(await this.#client.ask(`${CHANGES}&cursor=${cursor}`));
    return meta.has_more ? this.#tip(meta.cursor) : meta.cursor;
  }

  /**
   * A word that all articles have, one of a fiftieth of them, three of these, one of some in a million, and
   * what none has.
   */
  #searches(): Question[] {
    const [first, second, third] = [1, 2, 3].map((word) => LATIN.common(word * 7));
    const search = (what: string, q: string, more = ''): Question => ({
      ...this.#read(`search of articles, ${what}`, `${LIST}?q=${q}${more}`, SEARCH),
      metric: 'p99',
    });
    return [
      search('a word of all', 'somebody'),
      search('a word of all, by relevance', 'somebody', '&sort=relevance'),
      search('a common word', `${first}`),
      search('a common word, by relevance', `${first}`, '&sort=relevance'),
      search('three common words', `${first}+${second}+${third}`),
      search('a common word in a category', `${first}`, `&category_id=${CATEGORY}`),
      search('a rare word', LATIN.rare(1)),
      search('a rare word, by relevance', LATIN.rare(1), '&sort=relevance'),
      search('a word that no article has', LATIN.absent),
    ];
  }

  #read(what: string, path: string, aim = READ, headers: Record<string, string> = {}): Question {
    return { what, aim, ask: async () => void (await this.#client.ask(path, { headers })) };
  }

  async #pages(filter: string): Promise<number> {
    const { meta } = JSON.parse(await this.#client.ask(`${LIST}?${filter}per_page=20`));
    return meta.total_pages;
  }

  async #anyId(): Promise<number> {
    const { rows } = await this.#pool.query(
      `select id from content.article where is_published order by abs(id - $1) limit 1`,
      [Math.floor(this.#articles / 2)],
    );
    return rows[0].id;
  }

  async #anySlug(): Promise<string> {
    const { data } = JSON.parse(await this.#client.ask(`${LIST}/${await this.#anyId()}`));
    return data.slug;
  }

  async #create(): Promise<void> {
    this.#written += 1;
    const json = {
      title: `Written while it grows ${this.#written}`,
      content: '<p>An article has at least fifty characters of text, not counting tags.</p>',
      category_id: WRITTEN_CATEGORY,
      is_published: true,
    };
    await this.#client.ask(LIST, { method: 'POST', headers: { 'x-api-key': this.#key }, json });
  }

  async #update(): Promise<void> {
    this.#written += 1;
    // A prime, so that the updates reach all parts of the table.
    const id = 1 + ((this.#written * 7919) % this.#articles);
    const json = { excerpt: `Changed ${this.#written} times` };
    await this.#client.ask(`${LIST}/${id}`, { method: 'PATCH', headers: { 'x-api-key': this.#key }, json });
  }
}
