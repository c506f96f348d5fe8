import { isDatabaseAway } from '@pressroom/common/database/database-fault';
import type { Logger } from '@pressroom/common/log/logging';
import { SealBroken, SecretBox } from '@pressroom/common/secrets/secret-box';
import type { Kysely } from 'kysely';
import type { ContentConfig } from '../config.ts';
import type { ContentTables } from '../tables.ts';
import { type Delivery, DeliveryQueue } from './queue.ts';
import { type Attempt, HookSender } from './sender.ts';
import { secretOwner } from './store.ts';

/** The pause after a fault of the database, in ms. */
const RETRY_MS = 5000;

/** The longest timer that is set, in ms. */
const LONGEST_MS = 24 * 3_600_000;

/** What {@link Deliveries} work with. */
export interface DeliveriesParts {
  queue: DeliveryQueue;
  sender: HookSender;
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
  readonly #stopping = new AbortController();
  /** The hooks that something is being delivered to. */
  readonly #lanes = new Map<number, Promise<void>>();
  #looking: Promise<void> | undefined;
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
  }

  /** Has it look for what is due. */
  wake(): void {
    this.#isWanted = true;
    this.#looking ??= this.#look();
  }

  /** Gives up what is in hand; another process, or the next start, delivers it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await Promise.all([this.#looking, ...this.#lanes.values()]);
    await this.#parts.sender.close();
  }

  async #look(): Promise<void> {
    const { queue } = this.#parts;
    const { signal } = this.#stopping;
    while (this.#isWanted && !signal.aborted) {
      this.#isWanted = false;
      try {
        const { now, hooks } = await queue.dueHooks();
        await Promise.all(hooks.map((hook) => this.#begin(hook)));
        await queue.prune();
        this.#sleep(await queue.idleMs(now));
      } catch (error) {
        this.#failed(error);
      }
    }
    // Nothing is awaited since the last look, so no call can have been missed.
    this.#looking = undefined;
  }

  #sleep(ms: number | undefined): void {
    clearTimeout(this.#timer);
    if (ms === undefined || this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(ms, 1), LONGEST_MS)).unref();
  }

  #failed(error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    this.#parts.log.warn({ err: error }, isDatabaseAway(error) ? 'database_away' : 'hooks_failed');
    this.#sleep(RETRY_MS);
  }

  /** Takes what is due for a hook, and has it delivered until nothing is left. */
  async #begin(hook: number): Promise<void> {
    if (this.#lanes.has(hook)) return;
    const first = await this.#parts.queue.claim(hook);
    if (first.length === 0) return;
    const lane = this.#deliver(hook, first).then(
      () => {
        this.#lanes.delete(hook);
        this.wake();
      },
      (error: unknown) => {
        this.#lanes.delete(hook);
        this.#failed(error);
      },
    );
    this.#lanes.set(hook, lane);
  }

  async #deliver(hook: number, first: readonly Delivery[]): Promise<void> {
    for (let batch = first; batch.length > 0; batch = await this.#parts.queue.claim(hook)) {
      await Promise.all(batch.map((delivery) => this.#attempt(delivery)));
      if (this.#stopping.signal.aborted) return;
    }
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { queue, sender, log } = this.#parts;
    const { hook, event } = delivery;
    let attempt: Attempt;
    try {
      attempt = await sender.send(hook.url, event, this.#secretsOf(delivery), this.#stopping.signal);
    } catch (error) {
      await queue.release(delivery);
      if (this.#stopping.signal.aborted) return;
      if (!(error instanceof SealBroken)) throw error;
      const reason = 'CONTENT_HOOKS_KEY is not the key that its secret was encrypted with';
      await queue.pause(hook.id, reason);
      return log.warn({ hook: hook.id, reason }, 'hook_paused');
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

  /** The secrets that sign: the current one, and the one before it for a while. */
  #secretsOf({ hook: { id, secret, previous_secret } }: Delivery): string[] {
    const sealed = previous_secret === null ? [secret] : [secret, previous_secret];
    return sealed.map((one) => this.#parts.box.open(one, secretOwner(id)));
  }
}

/** The deliveries of a process, which begin when they are woken; undefined without `CONTENT_HOOKS_KEY`. */
export function openDeliveries(
  config: ContentConfig,
  db: Kysely<ContentTables>,
  log: Logger,
): Deliveries | undefined {
  const { CONTENT_HOOKS_KEY: key, CONTENT_HOOKS_KEY_PREVIOUS: previous } = config;
  if (key === undefined) return undefined;
  const sender = new HookSender({ privateHosts: config.CONTENT_HOOKS_PRIVATE_HOSTS });
  return new Deliveries({ queue: new DeliveryQueue(db), sender, box: new SecretBox(key, previous), log });
}
