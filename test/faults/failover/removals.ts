import { randomUUID } from 'node:crypto';
import { articleBody } from '../../support/content-client.ts';
import { type ClientOptions, insist } from '../clients.ts';
import type { Observations, Replica } from '../observations.ts';
import { repeatedly } from '../program.ts';

/** Other replicas may answer as before a change for this long (docs/operations.md, "Scale"), in ms. */
const STALE_MS = 1000;

/** For how long each removed article is asked for, in ms: longer than any outage of these tests. */
const WATCHED_MS = 60_000;

/** Removed articles that are requested at a time. */
const WATCHED = 20;

/** An article that was removed, and when that was acknowledged, by `performance.now()`. */
interface Removed {
  id: number;
  at: number;
}

/** Publishes articles, has every replica keep them, then deletes or unpublishes each. */
export class Removals {
  /** Articles that a reader was given although they had been removed over a second before the request. */
  readonly served: string[] = [];
  /** Acknowledged removals. */
  acknowledged = 0;
  readonly done: Promise<unknown>;
  readonly #options: ClientOptions;
  readonly #replicas: readonly Replica[];
  readonly #headers: Record<string, string>;
  #removed: Removed[] = [];

  constructor(options: ClientOptions, replicas: readonly Replica[], key: string) {
    this.#options = options;
    this.#replicas = replicas;
    this.#headers = { 'x-api-key': key };
    const { signal } = options;
    const readers = replicas.map((replica) => repeatedly(signal, 20, () => this.#lookAt(replica)));
    this.done = Promise.all([repeatedly(signal, 50, () => this.#remove()), ...readers]);
  }

  async #remove(): Promise<void> {
    const json = articleBody({ title: `To be removed ${randomUUID()}`, is_published: true });
    const headers = { ...this.#headers, 'idempotency-key': randomUUID() };
    const post = { method: 'POST', headers, json };
    const made = await insist(this.#options, '/api/articles', post, [200, 201]);
    if (made === undefined) return;
    const { id } = made.body.data;
    for (const replica of this.#replicas) await this.#observations.ask(replica, `/api/articles/${id}`);
    const how =
      this.acknowledged % 2 === 0 ? { method: 'DELETE' } : { method: 'PATCH', json: { is_published: false } };
    // One that is sent again may find it gone already.
    const gone = { ...how, headers: this.#headers };
    const seen = await insist(this.#options, `/api/articles/${id}`, gone, [200, 204, 404]);
    if (seen === undefined) return;
    this.#removed.push({ id, at: performance.now() });
    this.acknowledged += 1;
  }

  /** Asks for a list and for what was removed lately, the oldest of it included. */
  async #lookAt(replica: Replica): Promise<void> {
    const now = performance.now();
    this.#removed = this.#removed.filter(({ at }) => now - at < WATCHED_MS);
    const settled = this.#removed.filter(({ at }) => now - at > STALE_MS);
    const gone = new Set(settled.map(({ id }) => id));
    const { body } = await this.#observations.ask(replica, '/api/articles?per_page=100');
    for (const { id } of body.data ?? []) if (gone.has(id)) this.#found(replica, id, 'in the list');
    const step = Math.ceil(settled.length / WATCHED);
    for (const { id } of settled.filter((_, index) => index % step === 0)) {
      const { status } = await this.#observations.ask(replica, `/api/articles/${id}`);
      if (status === 200) this.#found(replica, id, 'by its id');
    }
  }

  #found(replica: Replica, id: number, where: string): void {
    this.served.push(`${replica.name} served the removed article ${id} ${where}`);
  }

  get #observations(): Observations {
    return this.#options.observations;
  }
}
