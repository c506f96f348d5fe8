import { type ReadonlySignal, signal } from '@preact/signals';
import { galleryClient } from '@pressroom/client';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

/** Somebody who has an article open. */
export interface Seat {
  readonly article: number;
  readonly name: string;
  readonly mode: 'writing' | 'waiting' | 'looking';
  /** Who has taken over from them, if anybody. */
  readonly takenBy: string | null;
  readonly isThis: boolean;
  readonly isYou: boolean;
}

/** How often the list is asked for where no events arrive, in ms. */
const POLL_MS = 5000;

/** Who has which article open, as the service tells it; where it cannot, nobody is shown. */
export class Presence {
  readonly #service: Service;
  readonly #tab = crypto.randomUUID();
  readonly #seats = signal<readonly Seat[]>([]);
  #open: { readonly article: number; readonly mode: 'writing' | 'looking' } | undefined;
  #events: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What is sent waits for what was sent before, so that the last word counts. */
  #last: Promise<void> = Promise.resolve();

  constructor(service: Service) {
    this.#service = service;
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
      if (this.#open !== undefined) void this.#send('DELETE', true);
    };
    // A page that comes back from the browser's memory says so again.
    const show = ({ persisted }: PageTransitionEvent) => {
      if (persisted && this.#open !== undefined) void this.#put(false);
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
    await this.#put(takeOver);
    this.#follow();
  }

  async leave(): Promise<void> {
    this.#open = undefined;
    await this.#send('DELETE');
  }

  #put(takeOver: boolean): Promise<void> {
    return this.#send('PUT', takeOver);
  }

  #send(method: 'PUT' | 'DELETE', flag = false): Promise<void> {
    const open = this.#open;
    const send = async () => {
      const path = { tab: this.#tab };
      const { baseUrl, fetch } = this.#service;
      // A page that is closed no longer waits for an answer.
      const kept = method === 'DELETE' && flag;
      const client = galleryClient({
        baseUrl,
        fetch: (url, init) => (kept ? globalThis.fetch(url, { ...init, keepalive: true }) : fetch(url, init)),
        retry: { attempts: 1 },
      });
      const { data } =
        method === 'DELETE' || open === undefined
          ? await asked(client.delete('/api/presence/{tab}', { path }))
          : await asked(client.put('/api/presence/{tab}', { path, body: { ...open, takeOver: flag } }));
      this.#seats.value = data.entries;
    };
    this.#last = (method === 'DELETE' && flag ? send() : this.#last.then(send)).catch(() => undefined);
    return this.#last;
  }

  /** A page that nobody sees, with nothing open, needs no connection: over HTTP/1.1 there are six. */
  #follow(): void {
    const isIdle = document.visibilityState === 'hidden' && this.#open === undefined;
    if (isIdle) this.#stop();
    if (isIdle || this.#events !== undefined || this.#timer !== undefined) return;
    const events = new EventSource(`${this.#service.baseUrl}/api/presence/events?tab=${this.#tab}`);
    this.#events = events;
    let isFirst = true;
    events.onopen = () => {
      // After a while without a connection, the service has forgotten this page.
      if (!isFirst && this.#open !== undefined) void this.#put(false);
      isFirst = false;
    };
    events.onmessage = ({ data }) => {
      this.#seats.value = JSON.parse(data).entries;
    };
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
    const { baseUrl, fetch } = this.#service;
    const client = galleryClient({ baseUrl, fetch, retry: { attempts: 1 } });
    const answer = await asked(client.get('/api/presence', { query: { tab: this.#tab } })).catch(
      () => undefined,
    );
    if (answer === undefined) return;
    const { entries } = answer.data;
    this.#seats.value = entries;
    if (this.#open !== undefined && !entries.some(({ isThis }) => isThis)) await this.#put(false);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#events?.close();
    this.#events = undefined;
  }
}
