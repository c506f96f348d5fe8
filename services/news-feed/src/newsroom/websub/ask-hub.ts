import { reasonOf } from '@pressroom/common/failures/failure';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Post } from '../fetching/web-fetcher.ts';
import { LEASE_SECONDS, noteFault, type Request, takeRequests } from './subscriptions.ts';

/** How many hubs are asked in one go. */
const MOST_REQUESTS = 20;

/** What subscriptions are asked for with. */
export interface SubscriberParts {
  db: Kysely<NewsTables>;
  post: Post;
  /** The public address below which the callbacks are. */
  callbackUrl: string;
}

/**
 * Asks hubs for what is due: new subscriptions, renewals and ends. A hub that fails is asked again later; the
 * reason is kept. Returns how many were asked.
 */
export async function askHubs(parts: SubscriberParts, signal: AbortSignal): Promise<number> {
  const requests = await takeRequests(parts.db, MOST_REQUESTS);
  await Promise.all(requests.map((request) => askHub(parts, request, signal)));
  return requests.length;
}

async function askHub(
  { db, post, callbackUrl }: SubscriberParts,
  { token, mode, hub, topic, secret, givenUrl }: Request,
  signal: AbortSignal,
): Promise<void> {
  const form = new URLSearchParams({
    'hub.callback': `${callbackUrl.replace(/\/$/, '')}/websub/${token}`,
    'hub.mode': mode,
    'hub.topic': topic,
    ...(mode === 'subscribe' && { 'hub.secret': secret, 'hub.lease_seconds': String(LEASE_SECONDS) }),
  });
  try {
    const status = await post(hub, form, signal, givenUrl);
    if (status >= 300) await noteFault(db, token, `the hub answered with status ${status}`);
  } catch (error) {
    signal.throwIfAborted();
    await noteFault(db, token, `the hub: ${reasonOf(error)}`);
  }
}
