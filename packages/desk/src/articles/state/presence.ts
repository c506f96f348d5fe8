import { type ReadonlySignal, signal } from '@preact/signals';
import { galleryClient } from '@pressroom/client';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

/** Somebody who has an article open. */
export interface Seat {
  readonly article: number;
  readonly name: string;
  readonly mode: 'writing' | 'waiting' | 'looking';
  /** The person who has taken over from them, if anybody has. */
  readonly takenBy: string | null;
  readonly isThis: boolean;
  readonly isYou: boolean;
}

/** The interval between requests for the list if no events arrive, in ms. */
const POLL_MS = 5000;

/** The pages that have articles open, as the service reports them; without it, nobody is shown. */
export class Presence {
  readonly #client: ReturnType<typeof galleryClient>;
  readonly #url: string;
  readonly #tab = crypto.randomUUID();
  readonly #seats = signal<readonly Seat[]>([]);
  #open: { readonly article: number; readonly mode: 'writing' | 'looking' } | undefined;
  #events: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Requests wait for those before them, so that the last word counts. */
  #last: Promise<void> = Promise.resolve();

  constructor({ baseUrl, fetch }: Service) {
    this.#client = galleryClient({ baseUrl, fetch, retry: { attempts: 1 } });
    this.#url = `${baseUrl}/api/presence`;
  }

  get seats(): ReadonlySignal<readonly Seat[]> {
    return this.#seats;
  }

  /** The other pages that have an article open. */
  othersAt(article: number | undefined): readonly Seat[] {
    return this.#seats.value.filter((seat) => seat.article === article && !seat.isThis);
  }

  /** Follows who has what open until the returned function is called. */
  watch(): () => void {
    const look = () => this.#follow();
    const leave = () => {
      if (this.#open === undefined) return;
      // A page that is closed no longer waits for an answer.
      fetch(`${this.#url}/${this.#tab}`, { method: 'DELETE', keepalive: true }).catch(() => undefined);
    };
    // A page that comes back from the browser's memory says so again.
    const show = ({ persisted }: PageTransitionEvent) => {
      if (persisted && this.#open !== undefined) void this.#say();
    };
    document.addEventListener('visibilitychange', look);
    addEventListener('pagehide', leave);
    addEventListener('pageshow', show);
    look();
    return () => {
      document.removeEventListener('visibilitychange', look);
      removeEventListener('pagehide', leave);
      removeEventListener('pageshow', show);
      this.#stop();
    };
  }

  /** Says that this page has an article open. */
  async enter(article: number, mode: 'writing' | 'looking', takeOver = false): Promise<void> {
    this.#open = { article, mode };
    await this.#say(takeOver);
    this.#follow();
  }

  async leave(): Promise<void> {
    this.#open = undefined;
    await this.#say();
  }

  /** Says what is open here. */
  #say(takeOver = false): Promise<void> {
    const open = this.#open;
    const path = { tab: this.#tab };
    const say = async () => {
      const { data } = await asked(
        open === undefined
          ? this.#client.delete('/api/presence/{tab}', { path })
          : this.#client.put('/api/presence/{tab}', { path, body: { ...open, takeOver } }),
      );
      this.#seats.value = data.entries;
    };
    this.#last = this.#last.then(say).catch(() => undefined);
    return this.#last;
  }

  /** A page that nobody sees, with nothing open, needs no connection: over HTTP/1.1 there are six. */
  #follow(): void {
    const isIdle = document.visibilityState === 'hidden' && this.#open === undefined;
    if (isIdle) this.#stop();
    if (isIdle || this.#events !== undefined || this.#timer !== undefined) return;
    const events = new EventSource(`${this.#url}/events?tab=${this.#tab}`);
    this.#events = events;
    events.onmessage = ({ data }) => this.#hear(JSON.parse(data).entries);
    events.onerror = () => {
      if (events.readyState !== EventSource.CLOSED) return;
      this.#events = undefined;
      void this.#poll();
    };
  }

  /** Asks instead, which also waits for a login, and then tries the events again. */
  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#follow();
    }, POLL_MS);
    const asking = asked(this.#client.get('/api/presence', { query: { tab: this.#tab } }));
    const answer = await asking.catch(() => undefined);
    if (answer !== undefined) this.#hear(answer.data.entries);
  }

  /** The service forgets a page that it has not heard of for a while, such as one without a connection. */
  #hear(entries: readonly Seat[]): void {
    this.#seats.value = entries;
    if (this.#open !== undefined && !entries.some(({ isThis }) => isThis)) void this.#say();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#events?.close();
    this.#events = undefined;
  }
}
