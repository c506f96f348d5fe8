import { setTimeout as delay } from 'node:timers/promises';
import { eventId, type StoredEvent } from '@pressroom/content/hooks/store';
import { inTurn } from '../support/history.ts';
import { Mirror } from '../support/mirror.ts';
import { listAll } from '../support/s3/objects.ts';
import { selectedSet } from '../support/selected-set.ts';
import { until } from '../support/until.ts';
import { ArticlePlanner, ArticleWriter, GalleryUser, NewsWriter, poll } from './clients.ts';
import { Removals } from './failover/removals.ts';
import { Observations, type Replica } from './observations.ts';
import { type Program, repeatedly } from './program.ts';
import { type Stand, urlOf } from './stand.ts';

/** Interval at which each process is asked for a sign of life, in ms. */
const PULSE_MS = 200;

/** Timeout of the sign of life, in ms: no machine is so busy that a process that lives needs it. */
const PULSE_LIMIT_MS = 60_000;

/** Time in which a follower must hold what the database holds, in ms. */
const FOLLOWER_PATIENCE_MS = 100_000;

/** Clients of every kind on every replica, from {@link Load.start} to its end. */
export class Load {
  readonly observations = new Observations();
  readonly #stand: Stand;
  readonly #stopping = new AbortController();
  readonly #running: Promise<unknown>[] = [];
  readonly #articles: ArticleWriter[] = [];
  readonly #planners: ArticlePlanner[] = [];
  readonly #users: GalleryUser[] = [];
  readonly #news: NewsWriter[] = [];
  readonly #mirrors: Mirror[] = [];
  /** Replicas that are known not to run. */
  killed: readonly string[] = [];
  #unalive: string[] = [];
  #slowestPulseMs = 0;
  #broken: unknown;

  private constructor(stand: Stand) {
    this.#stand = stand;
  }

  static start(stand: Stand): Load {
    const load = new Load(stand);
    load.#write();
    load.#read();
    load.#follow();
    for (const program of stand.replicas) {
      load.#running.push(repeatedly(load.#signal, PULSE_MS, () => load.#examine(program)));
    }
    load.#watch(load.#running);
    return load;
  }

  /** Plans articles as well, which builds before there were plans cannot. */
  plan(): void {
    const replicas = this.#stand.services.content.map(replicaOf);
    const planner = new ArticlePlanner(this.#clientOf(inTurn(replicas)), this.#stand.key);
    this.#planners.push(planner);
    this.#running.push(planner.done);
    this.#watch([planner.done]);
  }

  /** Removes articles as well, and looks whether anybody is given one afterwards. */
  remove(): Removals {
    const replicas = this.#stand.services.content.map(replicaOf);
    const removals = new Removals(this.#clientOf(inTurn(replicas)), replicas, this.#stand.key);
    this.#running.push(removals.done);
    this.#watch([removals.done]);
    return removals;
  }

  #watch(clients: readonly Promise<unknown>[]): void {
    for (const client of clients) {
      client.catch((error: unknown) => {
        this.#broken ??= error;
      });
    }
  }

  /** Acknowledged writes of each kind so far. */
  get acknowledged(): Record<string, number> {
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
    return {
      articles: sum(this.#articles.map(({ acknowledged }) => acknowledged.size)),
      ...(this.#planners.length > 0 && {
        plans: sum(this.#planners.map(({ acknowledged }) => acknowledged.size)),
      }),
      news: sum(this.#news.map(({ acknowledged }) => acknowledged)),
      files: sum(this.#users.map(({ uploaded }) => uploaded.size)),
      moves: sum(this.#users.map(({ moved }) => moved.size)),
    };
  }

  /** True if every follower holds the whole set: until then it may have to ask for the beginning again. */
  get following(): boolean {
    return this.#mirrors.every(({ disk }) => disk.cursor !== undefined);
  }

  /**
   * Waits until writes of every kind are acknowledged: a process that has just started is slow at first.
   * Throws when a client has met an answer that no fault explains, and has ended.
   */
  async worksAgain(): Promise<void> {
    const before = Object.values(this.acknowledged);
    await until('everything is written', () => {
      if (this.#broken !== undefined) throw this.#broken;
      return Object.values(this.acknowledged).every((count, index) => count > (before[index] ?? 0) + 5);
    });
  }

  /** Waits until one more article is acknowledged. */
  async writesAgain(): Promise<void> {
    const { articles: before = 0 } = this.acknowledged;
    await until('an article is written', () => (this.acknowledged.articles ?? 0) > before);
  }

  /** The longest time to a proof of life since the last call, in ms: it shows how busy the machine was. */
  takeSlowestPulse(): number {
    const taken = this.#slowestPulseMs;
    this.#slowestPulseMs = 0;
    return taken;
  }

  /** Failed proofs of life since the last call, of processes that should run. */
  takeUnalive(): string[] {
    const taken = this.#unalive;
    this.#unalive = [];
    return taken;
  }

  /** Lists the acknowledged writes that are gone, or are there twice. */
  async lostOrDoubled(): Promise<string[]> {
    return [
      ...(await this.#articlesLost()),
      ...(await this.#plansMissed()),
      ...(await this.#filesLost()),
      ...(await this.#newsLost()),
    ];
  }

  /** The articles whose events the receiver has not heard all of, or has not first heard in their order. */
  async #mistold(): Promise<string[]> {
    const told = new Map<string, Set<string>>();
    const tell = (to: typeof told, subject: string, id: string) =>
      to.set(subject, (to.get(subject) ?? new Set()).add(id));
    for (const { event } of this.#stand.receiver.received) tell(told, `article:${event.data.id}`, event.id);
    const happened: typeof told = new Map();
    const { rows } = await this.#stand.pool.query<Pick<StoredEvent, 'id' | 'happened_at' | 'subject'>>(
      'select id, happened_at, subject from content.event where is_public order by id',
    );
    for (const event of rows) tell(happened, event.subject, eventId(event));
    const acknowledged = this.#articles.flatMap((writer) => [...writer.acknowledged.keys()]);
    const subjects = new Set([...happened.keys(), ...acknowledged.map((id) => `article:${id}`)]);
    const inOrder = (ids: Set<string> | undefined) => ids && [...ids].join();
    return [...subjects].filter((subject) => {
      const expected = inOrder(happened.get(subject));
      return expected === undefined || inOrder(told.get(subject)) !== expected;
    });
  }

  /** Waits until the receiver has heard every event: thousands take as long as they take, if it goes on. */
  async everythingTold(): Promise<void> {
    for (let untold = Infinity; untold > 0; ) {
      const before = untold;
      untold = await until('more articles are told', async () => {
        const { length } = await this.#mistold();
        return length < before ? length : undefined;
      });
    }
  }

  /** Lists the differences between the followers of the ledger and the database, and who began again. */
  async diverged(): Promise<string[]> {
    const begun = this.#mirrors.filter(({ snapshots }) => snapshots > 1);
    return [
      ...(await this.differences()),
      ...begun.map(({ snapshots }) => `a follower had to begin ${snapshots} times`),
    ];
  }

  /** Lists the differences between the followers of the ledger and the database. */
  async differences(): Promise<string[]> {
    for (const writer of this.#news) writer.pause();
    try {
      await until('no transaction is open', () => this.#news.every(({ idle }) => idle));
      const faults = await Promise.all(
        this.#mirrors.map((mirror, index) => this.#differences(mirror, index)),
      );
      return faults.flat();
    } finally {
      for (const writer of this.#news) writer.resume();
    }
  }

  /** Ends the clients. Throws when one of them met an answer that no fault explains. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  get #signal(): AbortSignal {
    return this.#stopping.signal;
  }

  #clientOf(replica: () => Replica) {
    return { observations: this.observations, replica, signal: this.#signal };
  }

  #write(): void {
    const { content, 'gallery-admin': gallery } = this.#stand.services;
    for (const program of content.flatMap((one) => [one, one])) {
      this.#articles.push(new ArticleWriter(this.#clientOf(fixed(program)), this.#stand.key));
    }
    // Each request of a user goes to the other replica than the one before it.
    for (const order of [gallery, gallery.toReversed()]) {
      this.#users.push(new GalleryUser(this.#clientOf(inTurn(order.map(replicaOf))), this.#stand.cookie));
    }
    for (const name of ['first', 'second']) {
      this.#news.push(new NewsWriter(this.#stand.database.url, this.#signal, name));
    }
    this.#running.push(...[...this.#articles, ...this.#users, ...this.#news].map(({ done }) => done));
  }

  #read(): void {
    const { content, 'news-feed': news } = this.#stand.services;
    const articles = [
      '/api/articles',
      '/api/articles?page=2',
      '/api/categories',
      '/api/articles?per_page=100',
    ];
    for (const program of content.flatMap((one) => [one, one, one])) {
      this.#running.push(poll(this.#clientOf(fixed(program)), articles));
    }
    const items = [
      '/api/v1/items',
      '/api/v1/hot-topics',
      '/api/v1/selected/snapshot',
      '/api/v1/items?q=title',
    ];
    for (const program of news.flatMap((one) => [one, one])) {
      this.#running.push(poll(this.#clientOf(fixed(program)), items));
    }
  }

  #follow(): void {
    const replicas = this.#stand.services['news-feed'].map(urlOf);
    for (const fields of ['default', 'minimal'] as const) {
      const mirror = new Mirror({
        fields,
        server: inTurn(replicas),
        snapshotLimit: () => 50,
        changesLimit: () => 20,
      });
      this.#mirrors.push(mirror);
      // Errors are ignored here: the clients that poll notice them.
      this.#running.push(repeatedly(this.#signal, 50, () => mirror.catchUp().catch(() => delay(100))));
    }
  }

  async #examine(program: Program): Promise<void> {
    program.measure();
    const asked = performance.now();
    const signal = AbortSignal.timeout(PULSE_LIMIT_MS);
    const status = await fetch(`${urlOf(program)}/healthz`, { signal }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    if (status === 200) this.#slowestPulseMs = Math.max(this.#slowestPulseMs, performance.now() - asked);
    if (status === 200 || this.killed.includes(program.name) || this.#signal.aborted) return;
    this.#unalive.push(`${program.name}: ${status} after ${Math.round(performance.now() - asked)} ms`);
  }

  async #articlesLost(): Promise<string[]> {
    // Before the query: what is acknowledged during it need not be in it.
    const told = this.#articles.flatMap(({ acknowledged }) => [...acknowledged]);
    const { rows } = await this.#stand.pool.query<{ id: number; title: string }>(
      "select id::int as id, title from content.article where title like 'Under load %'",
    );
    const kept = new Map(rows.map(({ id, title }) => [id, title]));
    const doubled = rows.length - new Set(kept.values()).size;
    const lost = told.filter(([id, title]) => kept.get(id) !== title);
    return [
      ...lost.map(([id]) => `article ${id} is lost`),
      ...(doubled > 0 ? [`${doubled} articles are there twice`] : []),
    ];
  }

  /** Lists the plans that were not carried out when promised, or more than once. */
  async #plansMissed(): Promise<string[]> {
    const told = new Map(this.#planners.flatMap(({ acknowledged }) => [...acknowledged]));
    const due = [...told].filter(([, time]) => time < Date.now()).map(([id]) => id);
    const publications = async () => {
      const { rows } = await this.#stand.pool.query<{ id: number; times: string; published_at: Date | null }>(
        `select article.id, published_at, (select count(*) from public.publication where id = article.id) as times
         from content.article where id = any($1)`,
        [due],
      );
      return rows;
    };
    await until('what is due is published', async () =>
      (await publications()).every(({ published_at }) => published_at !== null),
    );
    return (await publications()).flatMap(({ id, times, published_at }) => {
      if (times !== '1') return [`article ${id} was published ${times} times`];
      const time = published_at?.getTime();
      return time === told.get(id) ? [] : [`article ${id} is of ${time} instead of ${told.get(id)}`];
    });
  }

  async #filesLost(): Promise<string[]> {
    const moved = new Set(this.#users.flatMap((user) => [...user.moved]));
    const uploaded = new Set(this.#users.flatMap((user) => [...user.uploaded]));
    const { keys } = await listAll(this.#stand.s3, { Bucket: this.#stand.bucket });
    const kept = new Set(keys);
    return [...uploaded].flatMap((file) => {
      const places = ['inbox', 'done'].filter((folder) => kept.has(`${folder}/${file}`));
      if (places.length === 0) return [`${file} is lost`];
      // Between the copy and the deletion of a move that goes on, a file is in both.
      return moved.has(file) && places.join() !== 'done'
        ? [`${file} was moved and is in ${places.join()}`]
        : [];
    });
  }

  async #newsLost(): Promise<string[]> {
    const told = new Map(this.#news.flatMap(({ titles }) => [...titles]));
    const { rows } = await this.#stand.pool.query<{ id: string; title: string }>(
      'select id, title from news.item',
    );
    const kept = new Map(rows.map(({ id, title }) => [id, title]));
    return [...told]
      .filter(([id, title]) => numberOf(kept.get(id)) < numberOf(title))
      .map(([id, title]) => `${id} was ${title} and is ${kept.get(id)}`);
  }

  async #differences(mirror: Mirror, index: number): Promise<string[]> {
    const fields = index === 0 ? 'default' : 'minimal';
    const expected = await selectedSet(this.#stand.pool, fields);
    const differences = () => differing(mirror.disk.copy, expected);
    const end = performance.now() + FOLLOWER_PATIENCE_MS;
    // The follower may be a page behind.
    while (differences().length > 0 && performance.now() < end) await delay(50);
    return differences().map((id) => `the follower of ${fields} differs in ${id}`);
  }
}

function differing(copy: Mirror['disk']['copy'], expected: Map<string, unknown>): string[] {
  const ids = new Set([...copy.keys(), ...expected.keys()]);
  return [...ids].filter((id) => titleOf(copy.get(id)) !== titleOf(expected.get(id)));
}

function titleOf(item: unknown): string | undefined {
  return (item as { title?: string } | undefined)?.title;
}

function numberOf(title: string | undefined): number {
  return Number(/\d+$/.exec(title ?? '')?.[0] ?? -1);
}

function replicaOf(program: Program): Replica {
  return { name: program.name, url: urlOf(program) };
}

function fixed(program: Program): () => Replica {
  const replica = replicaOf(program);
  return () => replica;
}
