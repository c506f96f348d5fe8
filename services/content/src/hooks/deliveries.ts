import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundLoop } from '@pressroom/common/concurrency/background-loop';
import { isDatabaseAway } from '@pressroom/common/database/database-fault';
import type { Logger } from '@pressroom/common/log/logging';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { WebhookSender } from '@pressroom/common/webhooks/webhook-sender';
import type { Kysely } from 'kysely';
import type { ContentConfig } from '../config.ts';
import type { SyncStore } from '../sync/store.ts';
import type { ContentTables } from '../tables.ts';
import { eventBody, eventId } from './event.ts';
import { type Claim, type Delivery, DeliveryQueue, type Outcome } from './queue.ts';
import { secretOwner } from './store.ts';

/** The pause after a fault of the database, in ms. */
const RETRY_MS = 5000;

/** How many events a hook gets at once, each about something else. */
const AT_ONCE = 64;

/** How long to wait after finding that another process took what was due, in ms. */
const TAKEN_MS = 1000;

/** What {@link Deliveries} work with. */
export interface DeliveriesParts {
  queue: DeliveryQueue;
  /** What is published, whose changes events are about. */
  sync: Pick<SyncStore, 'head' | 'haveSameHistory'>;
  sender: WebhookSender;
  /** Opens the secrets of the hooks. */
  box: SecretBox;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** The deliveries to one hook. */
class Lane {
  /** Outcomes that are not recorded yet, with whether another event was taken since the attempt began. */
  readonly ended: { outcome: Outcome; isAlive: boolean }[] = [];
  readonly underway = new Set<Promise<void>>();
  /** How many events the hook has taken. */
  taken = 0;
  /** Whether something may be due that no claim has looked at. */
  isDue = true;
  #woken = Promise.withResolvers<void>();

  wake(): void {
    this.#woken.resolve();
  }

  get room(): number {
    return AT_ONCE - this.underway.size;
  }

  /** Waits until something has ended or become due. */
  async rest(): Promise<void> {
    if (this.isDue && this.room > 0) return;
    await this.#woken.promise;
    this.#woken = Promise.withResolvers();
  }
}

/**
 * Delivers events to hooks, beside the same work of other processes: each takes what is due by a lease, which
 * ends by itself. Between two changes it sleeps until the next attempt is due.
 */
export class Deliveries {
  readonly #parts: DeliveriesParts;
  /** The hooks that something is being delivered to. */
  readonly #lanes = new Map<number, Lane>();
  readonly #delivering = new Set<Promise<void>>();
  readonly #loop: BackgroundLoop;

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
    this.#loop = new BackgroundLoop((signal) => this.#look(signal), Infinity);
  }

  /** Makes it look for what is due. */
  wake(): void {
    this.#loop.wake();
  }

  /** Gives up what is in progress; another process, or the next start, delivers it. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#delivering);
    await this.#parts.sender.close();
  }

  /** Begins what is due, and returns the ms until more is. */
  async #look(signal: AbortSignal): Promise<number> {
    const { queue } = this.#parts;
    try {
      const { now, hooks } = await queue.dueHooks();
      for (const hook of hooks) this.#begin(hook, signal);
      return (await queue.idleMs(now)) ?? Infinity;
    } catch (error) {
      this.#failed(error, signal);
      return RETRY_MS;
    }
  }

  /** Not awaited, so that no hook waits for another one. */
  #begin(hook: number, signal: AbortSignal): void {
    const known = this.#lanes.get(hook);
    if (known !== undefined) {
      known.isDue = true;
      known.wake();
      return;
    }
    const lane = new Lane();
    this.#lanes.set(hook, lane);
    const delivering = this.#deliver(hook, lane, signal).finally(() => this.#delivering.delete(delivering));
    this.#delivering.add(delivering);
  }

  #failed(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#parts.log.warn({ err: error }, isDatabaseAway(error) ? 'database_away' : 'hooks_failed');
  }

  /** Delivers what is due for a hook until nothing is left. */
  async #deliver(hook: number, lane: Lane, signal: AbortSignal): Promise<void> {
    let hasDelivered = false;
    try {
      for (;;) {
        await this.#record(hook, lane);
        if (!signal.aborted) await this.#fill(hook, lane, signal);
        hasDelivered ||= lane.underway.size > 0;
        if (lane.underway.size === 0 && lane.ended.length === 0 && (!lane.isDue || signal.aborted)) break;
        await lane.rest();
      }
    } catch (error) {
      this.#failed(error, signal);
      await Promise.all(lane.underway);
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
    this.#lanes.delete(hook);
    if (hasDelivered) return this.wake();
    // Another process has taken it, or a command works with the hook.
    if (!signal.aborted) this.#loop.wakeIn(TAKEN_MS);
  }

  /** Begins as many deliveries as the lane has room for. */
  async #fill(hook: number, lane: Lane, signal: AbortSignal): Promise<void> {
    if (lane.room === 0) return;
    const wasDue = lane.isDue;
    lane.isDue = false;
    const { deliveries: batch, hasMore } = await this.#claim(hook, lane.room);
    lane.isDue ||= hasMore;
    // What is due is in other hands: this lane may sleep long.
    if (batch.length === 0 && wasDue && !hasMore) this.#loop.wakeIn(TAKEN_MS);
    const [first] = batch;
    if (first === undefined) return;
    const secrets = this.#secretsOf(first);
    if (secrets === undefined) return this.#refuse(hook, batch);
    for (const delivery of batch) {
      const attempt = this.#attempt(delivery, lane, secrets, signal).finally(() => {
        lane.underway.delete(attempt);
        lane.wake();
      });
      lane.underway.add(attempt);
    }
  }

  /** Takes what is due; all of it was committed before the cursor that it may get is read. */
  async #claim(hook: number, most: number): Promise<Claim> {
    const { queue, sync } = this.#parts;
    const { deliveries, hasMore } = await queue.claim(hook, most);
    if (deliveries.length === 0) return { deliveries, hasMore };
    const head = await sync.head();
    const isStale = (cursor: string) => !sync.haveSameHistory(cursor, head);
    return { deliveries: await queue.setCursors(deliveries, head, isStale), hasMore };
  }

  async #refuse(hook: number, batch: readonly Delivery[]): Promise<void> {
    const { queue, log } = this.#parts;
    for (const delivery of batch) await queue.release(delivery);
    const reason = 'CONTENT_HOOKS_KEY is not the key that its secret was encrypted with';
    await queue.pause(hook, reason);
    log.warn({ hook, reason }, 'hook_paused');
  }

  /** Sends an event; it never throws. */
  async #attempt(
    delivery: Delivery,
    lane: Lane,
    secrets: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { queue, sender } = this.#parts;
    const { hook, event } = delivery;
    const takenBefore = lane.taken;
    try {
      const message = { id: eventId(event), body: eventBody(event) };
      const attempt = await sender.send(hook.url, message, secrets, signal);
      lane.ended.push({ outcome: { delivery, attempt }, isAlive: lane.taken > takenBefore });
      if (attempt.fault === null) lane.taken += 1;
    } catch (error) {
      this.#failed(error, signal);
      await queue.release(delivery).catch((fault) => this.#failed(fault, signal));
    }
  }

  /**
   * Records what has ended: all that was delivered at once, so that a quick receiver does not wait for it.
   */
  async #record(hook: number, lane: Lane): Promise<void> {
    const { queue, log } = this.#parts;
    const ended = lane.ended.splice(0);
    const delivered = ended.filter(({ outcome }) => outcome.attempt.fault === null);
    if (delivered.length > 0)
      await queue.succeed(
        hook,
        delivered.map(({ outcome }) => outcome),
      );
    for (const { outcome, isAlive } of ended) {
      const { event } = outcome.delivery;
      const { status, fault, durationMs } = outcome.attempt;
      const about = { hook, event: event.id, type: event.type, status, durationMs };
      if (fault === null) {
        log.info(about, 'event_delivered');
        continue;
      }
      const reason = await queue.fail(outcome, isAlive);
      log.warn({ ...about, fault }, 'event_not_delivered');
      if (reason !== undefined) log.warn({ hook, reason }, 'hook_paused');
    }
  }

  /** The secrets that sign: the current one, and the one before it for a while; undefined for a wrong key. */
  #secretsOf({ hook: { id, secret, previous_secret } }: Delivery): string[] | undefined {
    const sealed = previous_secret === null ? [secret] : [secret, previous_secret];
    const secrets = sealed.flatMap((one) => this.#parts.box.open(one, secretOwner(id)) ?? []);
    return secrets.length === sealed.length ? secrets : undefined;
  }
}

/** The deliveries of a process, which begin when they are woken; undefined without `CONTENT_HOOKS_KEY`. */
export function openDeliveries(
  config: ContentConfig,
  db: Kysely<ContentTables>,
  sync: SyncStore,
  log: Logger,
): Deliveries | undefined {
  const { CONTENT_HOOKS_KEY: key, CONTENT_HOOKS_KEY_PREVIOUS: previous } = config;
  if (key === undefined) return undefined;
  const sender = new WebhookSender({
    userAgent: 'pressroom-content',
    privateHosts: config.CONTENT_HOOKS_PRIVATE_HOSTS,
    privateHostsSetting: 'CONTENT_HOOKS_PRIVATE_HOSTS',
  });
  return new Deliveries({
    queue: new DeliveryQueue(db),
    sync,
    sender,
    box: new SecretBox(key, previous),
    log,
  });
}
