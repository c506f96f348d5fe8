import { Webhook } from 'standardwebhooks';
import { backoffUntil } from '../database/leases.ts';
import {
  GuardedAgents,
  type GuardedTarget,
  NotPublicAddress,
  type Resolve,
} from '../fetching/guarded-agents.ts';
import { isHostAmong } from '../fetching/public-address.ts';

/** The time limit of an attempt, in ms. */
const TOTAL_MS = 10_000;

/** Bytes kept of an answer. */
const ANSWER_BYTES = 1024;

interface WebhookSenderOptions {
  userAgent: string;
  /** Hosts that may have addresses that are not public, without ports. */
  privateHosts: readonly string[];
  privateHostsSetting: string;
  /** Resolves names; the system's resolver by default. */
  resolve?: Resolve | undefined;
  /** The time limit of an attempt, in ms; 10 s by default. */
  totalMs?: number | undefined;
}

export interface Attempt {
  durationMs: number;
  /** Null without an answer. */
  status: number | null;
  /** Reason of its failure; null if it has not failed. */
  fault: string | null;
  answer: string;
}

/** The message; the same at every attempt. */
export interface WebhookMessage {
  /** Tells messages apart at the receiver. */
  id: string;
  body: string;
}

/** Node's own limit: a receiver has little to say. */
const MOST_HEADER_BYTES = 16 * 1024;

/** Sends messages to receivers, signed as Standard Webhooks say. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #agents: GuardedAgents;
  readonly #totalMs: number;

  constructor(options: WebhookSenderOptions) {
    const { resolve, totalMs = TOTAL_MS } = options;
    this.#options = options;
    this.#totalMs = totalMs;
    const times = { connectMs: totalMs, headersMs: totalMs, pauseMs: totalMs };
    this.#agents = new GuardedAgents({ ...times, mostHeaderBytes: MOST_HEADER_BYTES, resolve });
  }

  /**
   * Sends a message once, signed with each secret; a redirect is not followed. Throws only the signal's
   * reason.
   */
  async send(
    address: string,
    { id, body }: WebhookMessage,
    secrets: readonly string[],
    signal: AbortSignal,
  ): Promise<Attempt> {
    const began = performance.now();
    const now = new Date();
    const deadline = AbortSignal.timeout(this.#totalMs);
    const outcome = { status: null as number | null, fault: null as string | null, answer: '' };
    try {
      const { statusCode, body: answer } = await this.#agents.request(
        webhookTarget(address, this.#options.privateHosts),
        {
          method: 'POST',
          body,
          headers: {
            'content-type': 'application/json',
            'user-agent': this.#options.userAgent,
            'webhook-id': id,
            'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
            ...(secrets.length > 0 && {
              'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' '),
            }),
          },
          signal: AbortSignal.any([signal, deadline]),
        },
      );
      outcome.status = statusCode;
      outcome.fault = faultOf(statusCode);
      outcome.answer = await beginningOf(answer);
    } catch (error) {
      signal.throwIfAborted();
      // With a status, only the rest of the answer is missing.
      if (outcome.status === null) outcome.fault = this.#explained(error, deadline);
    }
    return { ...outcome, durationMs: Math.round(performance.now() - began) };
  }

  /** Closes all connections, including those in use. */
  close(): Promise<void> {
    return this.#agents.close();
  }

  #explained(error: unknown, deadline: AbortSignal): string {
    if (error instanceof NotPublicAddress) {
      return `${error.message}; ${this.#options.privateHostsSetting} lists hosts that may have others`;
    }
    if (deadline.aborted || (error instanceof Error && error.name.endsWith('TimeoutError'))) {
      return `${TOO_SLOW} ${this.#totalMs / 1000} s`;
    }
    const code =
      error instanceof Error && 'code' in error && error.code !== undefined ? ` (${String(error.code)})` : '';
    return `it cannot be reached, or the connection broke${code}`;
  }
}

/**
 * Where the URL of a receiver leads; `privateHosts` may have addresses that are not public, without ports.
 */
export function webhookTarget(address: string, privateHosts: readonly string[]): GuardedTarget {
  const url = new URL(address);
  return { url, mayBePrivate: isHostAmong(url, privateHosts) };
}

/** Why a message was not delivered. */
export const FAULT_CODES = ['not_public', 'too_slow', 'unreachable', 'redirects', 'refused'] as const;

export type FaultCode = (typeof FAULT_CODES)[number];

/** What the sentence of an attempt says, for programs; null if it has not failed. */
export function faultCodeOf({ status, fault }: Pick<Attempt, 'status' | 'fault'>): FaultCode | null {
  if (fault === null) return null;
  if (status !== null) return status >= 300 && status < 400 ? 'redirects' : 'refused';
  if (/^the address of \S+ is not public/.test(fault)) return 'not_public';
  return fault.startsWith(TOO_SLOW) ? 'too_slow' : 'unreachable';
}

const TOO_SLOW = 'it did not answer within';

function faultOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const redirects = status >= 300 && status < 400;
  return redirects ? `it redirects (${status}), which is not followed` : `it answered ${status}`;
}

/** The first bytes of an answer as one line of text; its connection is closed if there are more. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= ANSWER_BYTES) break;
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, ANSWER_BYTES));
  return text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
}

const BACKOFF = { firstSeconds: 5, mostSeconds: 3600, factor: 4 };

/** Attempts are made for this long, in seconds: three days. */
const TOTAL_SECONDS = 72 * 3600;

/** The wait after so many failed attempts, in seconds; undefined once they have been made for three days. */
export function webhookWait(failures: number): number | undefined {
  return backoffUntil(BACKOFF, TOTAL_SECONDS, failures);
}
