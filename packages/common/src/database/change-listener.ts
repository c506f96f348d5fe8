import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';

/** How long an answered heartbeat proves that the process is up to date, in ms: the bound on staleness. */
const LEASE_MS = 1000;

/** Pause between two heartbeats, in ms. */
const HEARTBEAT_MS = 250;

/** How long nobody has asked before heartbeats become rare, in ms. */
const QUIET_AFTER_MS = 5000;

/** Pause between two heartbeats while nobody asks, in ms: a broken connection is noticed within it. */
const QUIET_HEARTBEAT_MS = 15_000;

/** How long a heartbeat may go unanswered before the connection counts as dead, in ms. */
const HEARTBEAT_TIMEOUT_MS = 600;

/** Timeout for connecting, in ms. */
const CONNECT_TIMEOUT_MS = 2000;

/** Pause before another attempt to connect, in ms. */
const RECONNECT_MS = 250;

/** Options of a {@link ChangeListener}. */
export interface ChangeListenerOptions {
  /** A connection URL of PostgreSQL; not of a pooler in transaction mode, which cannot LISTEN. */
  url: string;
  applicationName: string;
  /** The channel that the database's triggers NOTIFY when a change commits. */
  channel: string;
  /** A query whose single row changes with every commit that the triggers did not announce. */
  watermark?: string;
  /** Called for each change, and after each (re)connection, when changes may have been missed. */
  onChange: () => void;
  log: FastifyBaseLogger;
  /** How long nobody has asked before heartbeats become rare, in ms; 5 s by default. */
  quietAfterMs?: number;
}

/**
 * Receives notifications of committed changes over one LISTEN connection, and knows whether it is up to date:
 * PostgreSQL delivers notifications in order before it answers the connection's next statement, so an
 * answered heartbeat proves that every earlier acknowledged commit has been received. `current` is that
 * proof, valid for one second. Some commits are not announced, because NOTIFY makes committing transactions
 * wait for each other; for these the heartbeat queries a watermark and treats a different one as a change.
 *
 * Whoever asks for `current` keeps the heartbeats going: while nobody does, there is one every 15 s instead
 * of four a second. The first to ask after that is told that it is not current, and the next heartbeat is
 * sent at once. Announced changes arrive all the time.
 */
export class ChangeListener {
  readonly #options: ChangeListenerOptions;
  readonly #closing = new AbortController();
  #trustedUntil = 0;
  #askedAt = 0;
  /** Ends the pause of a quiet time; absent while heartbeats are frequent. */
  #wake: (() => void) | undefined;
  #away = false;
  #running: Promise<void> | undefined;

  constructor(options: ChangeListenerOptions) {
    this.#options = options;
  }

  /** True while no change older than a second can have been missed. */
  get current(): boolean {
    this.#askedAt = performance.now();
    this.#wake?.();
    return this.#askedAt < this.#trustedUntil;
  }

  /** Starts listening; connects and reconnects until it succeeds. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops listening and closes the connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#listen();
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        if (!this.#away) this.#options.log.warn({ err: error }, 'change_listener_away');
        this.#away = true;
      }
      await this.#pause(RECONNECT_MS);
    }
  }

  async #listen(): Promise<void> {
    const { url, applicationName, channel, onChange, log } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: `${applicationName} listener`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: HEARTBEAT_TIMEOUT_MS,
    });
    // The heartbeat fails when the connection does; this only keeps the event from ending the process.
    client.on('error', () => undefined);
    client.on('notification', onChange);
    // Without a clean shutdown, which would wait for a server that hangs.
    const hangUp = () => client.connection.stream.destroy();
    this.#closing.signal.addEventListener('abort', hangUp);
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      if (this.#away) log.info('change_listener_back');
      this.#away = false;
      await this.#beat(client);
    } finally {
      this.#trustedUntil = 0;
      this.#closing.signal.removeEventListener('abort', hangUp);
      hangUp();
    }
  }

  async #beat(client: pg.Client): Promise<void> {
    const { watermark = 'select 1', onChange } = this.#options;
    // Differs from every row: the first answer counts as a change, because some may have been missed.
    let known: string | undefined;
    while (!this.#closing.signal.aborted) {
      const asked = performance.now();
      const { rows } = await client.query(watermark);
      const current = JSON.stringify(rows);
      if (current !== known) onChange();
      known = current;
      this.#trustedUntil = asked + LEASE_MS;
      await this.#pause(HEARTBEAT_MS);
      if (this.#isQuiet()) await this.#quietPause();
    }
  }

  #isQuiet(): boolean {
    return performance.now() - this.#askedAt > (this.#options.quietAfterMs ?? QUIET_AFTER_MS);
  }

  /** Ends when somebody asks, after 15 s at most. */
  async #quietPause(): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const signal = AbortSignal.any([woken.signal, this.#closing.signal]);
    await delay(QUIET_HEARTBEAT_MS, undefined, { signal, ref: false }).catch(() => undefined);
    this.#wake = undefined;
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
  }
}
