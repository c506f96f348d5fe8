import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../log/logging.ts';

/**
 * An answered heartbeat proves for this long that the process is up to date, in ms: the bound on staleness.
 */
const LEASE_MS = 1000;

/** Pause between two heartbeats, in ms. */
const HEARTBEAT_MS = 250;

/** Pause between two heartbeats that a reader waits for, in ms. */
const HURRY_MS = 2;

/** Heartbeats become rare when `current` was not read for this long, in ms. */
const QUIET_AFTER_MS = 5000;

/** Pause between two heartbeats while `current` is unread, in ms; a broken connection shows within it. */
const QUIET_HEARTBEAT_MS = 15_000;

/** The connection counts as dead after an unanswered heartbeat of this length, in ms. */
const HEARTBEAT_TIMEOUT_MS = 600;

/** Timeout for connecting, in ms. */
const CONNECT_TIMEOUT_MS = 2000;

/** Pause before another attempt to connect, in ms. */
const RECONNECT_MS = 250;

/**
 * Hears what a notification says; undefined after a (re)connection. `notify` says something on the same
 * channel, if the database lets it.
 */
export type OnNotification = (said: string | undefined, notify: (text: string) => void) => void;

/** Options of a {@link ChangeListener}. */
interface ChangeListenerOptions {
  /** A connection URL of PostgreSQL; not of a pooler in transaction mode, which cannot LISTEN. */
  url: string;
  applicationName: string;
  /** The channel that the database's triggers NOTIFY when a change commits. */
  channel: string;
  /** A query whose single row changes with every commit that the triggers did not announce. */
  watermark?: string;
  /**
   * True if a watermark shows that no commit is under way that it cannot tell apart yet; if absent, every
   * watermark does.
   */
  isSettled?: (watermark: unknown) => boolean;
  /** True to follow the position of the WAL, for reads on a replica. */
  followsWal?: boolean;
  /**
   * Called for each change, and after each (re)connection, when changes may have been missed.
   *
   * @param about what the notification says; absent if it says nothing, or if there was none
   */
  onChange: (about?: string) => void;
  /** Called for each notification of other channels, by their names, and after each (re)connection. */
  others?: Readonly<Record<string, OnNotification>>;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Heartbeats become rare when `current` was not read for this long, in ms; 5 s by default. */
  quietAfterMs?: number;
}

/**
 * Receives notifications of committed changes over one LISTEN connection, and knows whether it is up to date:
 * PostgreSQL delivers notifications in order before it answers the connection's next statement, so an
 * answered heartbeat proves that every earlier acknowledged commit has been received. `current` is that
 * proof, valid for one second. Some commits are not announced, because NOTIFY makes committing transactions
 * wait for each other; for these the heartbeat queries a watermark and treats a different one as a change.
 *
 * Whoever asks for `current` keeps the heartbeats going: otherwise there is one every 15 s instead of four a
 * second. The first to ask after that learns that it is not current, and the next heartbeat is sent at once.
 * Announced changes arrive all the time.
 */
export class ChangeListener {
  readonly #options: ChangeListenerOptions;
  readonly #closing = new AbortController();
  #trustedUntil = 0;
  #askedAt = 0;
  /** Position that a replica must have reached; known only if the listener `followsWal`. */
  readonly position = new WalPosition(() => {
    this.#hurried = true;
    this.#hurry?.();
  });
  /** True if a change was announced since the last heartbeat was sent. */
  #announced = false;
  /** True while a reader waits for the next heartbeat. */
  #hurried = false;
  /** Ends the pause between two heartbeats; absent while one is under way. */
  #hurry: (() => void) | undefined;
  /** Ends the pause of a quiet time; absent while heartbeats are frequent. */
  #wake: (() => void) | undefined;
  #away = false;
  #running: Promise<void> | undefined;

  constructor(options: ChangeListenerOptions) {
    this.#options = options;
  }

  /** True while no change older than a second can have been missed. Asking keeps the listener checking. */
  isCurrent(): boolean {
    this.#askedAt = performance.now();
    this.#wake?.();
    return this.#askedAt < this.#trustedUntil;
  }

  /** Starts listening; connects and reconnects until it succeeds. */
  start(): void {
    this.#running ??= this.#run();
  }

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
    const { url, applicationName, channel, onChange, others = {}, log } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: `${applicationName} listener`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: HEARTBEAT_TIMEOUT_MS,
    });
    // The heartbeat fails when the connection does; this only keeps the event from ending the process.
    client.on('error', () => undefined);
    const notifyOf = (name: string) => (text: string) => void this.#notify(name, text);
    client.on('notification', ({ channel: heard, payload }) => {
      if (heard !== channel) return others[heard]?.(payload ?? '', notifyOf(heard));
      this.#announced = true;
      this.position.seen();
      onChange(payload === '' ? undefined : payload);
    });
    // Without a clean shutdown, which would wait for a server that hangs.
    const hangUp = () => client.connection.stream.destroy();
    this.#closing.signal.addEventListener('abort', hangUp);
    try {
      await client.connect();
      for (const name of [channel, ...Object.keys(others)]) {
        await client.query(`listen ${client.escapeIdentifier(name)}`);
      }
      for (const [name, onOther] of Object.entries(others)) onOther(undefined, notifyOf(name));
      if (this.#away) log.info('change_listener_back');
      this.#away = false;
      await this.#beat(client);
    } finally {
      this.#trustedUntil = 0;
      this.position.lost();
      this.#closing.signal.removeEventListener('abort', hangUp);
      hangUp();
    }
  }

  /**
   * Over a connection of its own, since NOTIFY waits for others who commit one, and without waiting for
   * standbys: when these are away, heartbeats must go on.
   */
  async #notify(channel: string, text: string): Promise<void> {
    const { url, applicationName } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: `notify of ${applicationName}`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    const notify = "select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";
    try {
      await client.connect();
      await client.query(notify, [channel, text]);
    } catch {
      // It is said again after the next connection.
    } finally {
      client.connection.stream.destroy();
    }
  }

  async #beat(client: pg.Client): Promise<void> {
    const { watermark = 'select 1', isSettled = () => true, followsWal = false, onChange } = this.#options;
    const query = followsWal
      ? `select (${watermark}) as watermark, pg_current_wal_insert_lsn()::text as lsn`
      : `select (${watermark}) as watermark`;
    // Differs from every value: the first answer counts as a change, because some may have been missed.
    let known: unknown = Symbol('unknown');
    while (!this.#closing.signal.aborted) {
      const sentAt = performance.now();
      const announced = this.#announced;
      this.#announced = false;
      const { rows } = await client.query(query);
      const [{ watermark: current, lsn }] = rows;
      const differs = current !== known;
      if (differs) onChange();
      known = current;
      this.#trustedUntil = sentAt + LEASE_MS;
      const changed = announced || this.#announced || differs || !isSettled(current);
      if (followsWal) this.position.heard({ sentAt, lsn, changed });
      await this.#pauseBetween();
      if (this.#isQuiet()) await this.#quietPause();
    }
  }

  /** The pause between two heartbeats, which a reader that waits for the next one makes shorter. */
  async #pauseBetween(): Promise<void> {
    await this.#pause(HURRY_MS);
    if (!this.#hurried) {
      const hurried = new AbortController();
      this.#hurry = () => hurried.abort();
      const signal = AbortSignal.any([hurried.signal, this.#closing.signal]);
      await delay(HEARTBEAT_MS - HURRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      this.#hurry = undefined;
    }
    this.#hurried = false;
  }

  #isQuiet(): boolean {
    return performance.now() - this.#askedAt > (this.#options.quietAfterMs ?? QUIET_AFTER_MS);
  }

  /** Ends at the next read of `current`, after 15 s at most. */
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

/** Time that a reader waits for the primary's position, in ms, before it reads on the primary. */
const PATIENCE_MS = 1000;

interface Heartbeat {
  /** When the question was sent, by `performance.now()`. */
  sentAt: number;
  /** The end of the primary's WAL, as PostgreSQL writes it. */
  lsn: string;
  /** True if something may have been committed that the previous heartbeat did not show. */
  changed: boolean;
}

/**
 * The WAL position from which on a replica contains everything that this process has served or heard of.
 *
 * It moves only when there is something to wait for: a change that was announced, a write of this process,
 * or an answer that was read on the primary. Then the position counts that the primary tells after that.
 */
export class WalPosition {
  readonly #hurry: () => void;
  #lsn: string | undefined;
  /** When the question was sent that the position has last been proven by. */
  #provenAt = Number.NEGATIVE_INFINITY;
  /** A replica must have everything that was seen by then. */
  #seenAt = Number.NEGATIVE_INFINITY;
  #next = Promise.withResolvers<void>();

  /** `hurry` is called when the next heartbeat is waited for. */
  constructor(hurry: () => void) {
    this.#hurry = hurry;
  }

  /** Something was written, announced, or read on the primary: a replica must contain it from now on. */
  seen(): void {
    this.#seenAt = performance.now();
  }

  heard({ sentAt, lsn, changed }: Heartbeat): void {
    if (changed || this.#lsn === undefined || !this.#isProven(this.#seenAt)) this.#lsn = lsn;
    this.#provenAt = sentAt;
    this.#settle();
  }

  /** The connection to the primary broke: nothing is known until it reports its position again. */
  lost(): void {
    this.#lsn = undefined;
    this.#provenAt = Number.NEGATIVE_INFINITY;
    this.#settle();
  }

  /**
   * The position that covers everything seen until now, after at most a second; undefined if the primary does
   * not report it.
   */
  async current(): Promise<string | undefined> {
    const seenAt = this.#seenAt;
    const deadline = performance.now() + PATIENCE_MS;
    while (!this.#isProven(seenAt)) {
      const left = deadline - performance.now();
      if (left <= 0) return undefined;
      this.#hurry();
      await Promise.race([this.#next.promise, patience(left)]);
    }
    return this.#lsn;
  }

  #isProven(seenAt: number): boolean {
    return this.#lsn !== undefined && this.#provenAt > seenAt;
  }

  #settle(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}

function patience(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
