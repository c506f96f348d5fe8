import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundLoop } from '@pressroom/common/concurrency/background-loop';
import { isDatabaseAway } from '@pressroom/common/database/database-fault';
import type { Logger } from '@pressroom/common/log/logging';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { type Attempt, WebhookSender } from '@pressroom/common/webhooks/webhook-sender';
import type { Kysely } from 'kysely';
import type { ContentConfig } from '../config.ts';
import type { SyncStore } from '../sync/store.ts';
import type { ContentTables } from '../tables.ts';
import { eventBody, eventId } from './event.ts';
import { type Delivery, DeliveryQueue } from './queue.ts';
import { secretOwner } from './store.ts';

/** The pause after a fault of the database, in ms. */
const RETRY_MS = 5000;

/** How long to wait after finding that another process took what was due, in ms. */
const TAKEN_MS = 1000;

/** What {@link Deliveries} work with. */
export interface DeliveriesParts {
  queue: DeliveryQueue;
  /** What is published, whose changes events are about. */
  sync: Pick<SyncStore, 'head'>;
  sender: WebhookSender;
  /** Opens the secrets of the hooks. */
  box: SecretBox;
  log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Delivers events to hooks, beside the same work of other processes: each takes what is due by a lease, which
 * ends by itself. Between two changes it sleeps until the next attempt is due.
 */
export class Deliveries {
  readonly #parts: DeliveriesParts;
  /** The hooks that something is being delivered to. */
  readonly #lanes = new Map<number, Promise<void>>();
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
    await Promise.all(this.#lanes.values());
    await this.#parts.sender.close();
  }

  /** Begins what is due, and returns the ms until more is. */
  async #look(signal: AbortSignal): Promise<number> {
    const { queue } = this.#parts;
    try {
      const { now, hooks } = await queue.dueHooks();
      // Not awaited, so that no hook waits for another one.
      for (const hook of hooks) {
        if (!this.#lanes.has(hook)) this.#lanes.set(hook, this.#deliver(hook, signal));
      }
      return (await queue.idleMs(now)) ?? Infinity;
    } catch (error) {
      this.#failed(error, signal);
      return RETRY_MS;
    }
  }

  #failed(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#parts.log.warn({ err: error }, isDatabaseAway(error) ? 'database_away' : 'hooks_failed');
  }

  /** Takes what is due; all of it was committed before the cursor that it gets is read. */
  async #claim(hook: number): Promise<Delivery[]> {
    const { queue, sync } = this.#parts;
    const batch = await queue.claim(hook);
    if (batch.every(({ event }) => event.sync_cursor !== null)) return batch;
    return queue.setCursors(batch, await sync.head());
  }

  /** Delivers what is due for a hook until nothing is left. */
  async #deliver(hook: number, signal: AbortSignal): Promise<void> {
    let attempts = 0;
    try {
      for (;;) {
        const batch = await this.#claim(hook);
        if (batch.length === 0) break;
        attempts += batch.length;
        await Promise.all(batch.map((delivery) => this.#attempt(delivery, signal)));
        if (signal.aborted) break;
      }
    } catch (error) {
      this.#failed(error, signal);
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
    this.#lanes.delete(hook);
    if (attempts > 0) return this.wake();
    // Another process has taken it, or a command works with the hook.
    if (!signal.aborted) this.#loop.wakeIn(TAKEN_MS);
  }

  async #attempt(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { queue, sender, log } = this.#parts;
    const { hook, event } = delivery;
    const secrets = this.#secretsOf(delivery);
    if (secrets === undefined) {
      await queue.release(delivery);
      const reason = 'CONTENT_HOOKS_KEY is not the key that its secret was encrypted with';
      await queue.pause(hook.id, reason);
      return log.warn({ hook: hook.id, reason }, 'hook_paused');
    }
    let attempt: Attempt;
    try {
      const message = { id: eventId(event), body: eventBody(event) };
      attempt = await sender.send(hook.url, message, secrets, signal);
    } catch (error) {
      await queue.release(delivery);
      if (signal.aborted) return;
      throw error;
    }
    const { status, fault, durationMs } = attempt;
    const about = { hook: hook.id, event: event.id, type: event.type, status, durationMs };
    if (fault === null) {
      await queue.succeed(delivery, attempt);
      return log.info(about, 'event_delivered');
    }
    const reason = await queue.fail(delivery, attempt);
    log.warn({ ...about, fault }, 'event_not_delivered');
    if (reason !== undefined) log.warn({ hook: hook.id, reason }, 'hook_paused');
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
