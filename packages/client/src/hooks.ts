import { Webhook } from 'standardwebhooks';

export { WebhookVerificationError } from 'standardwebhooks';

/** A change in the content service, as a hook receives it. */
export interface ContentEvent {
  /** The same at every attempt: an event may come more than once. */
  id: string;
  /** Such as `article.published`. */
  type: string;
  timestamp: string;
  data: {
    /** Id of the article, category, tag, author or series. */
    id: number;
    /** The slug that readers find it by; null if they do not. */
    slug: string | null;
    /** The slug before the change; null if readers did not find it. */
    previous_slug: string | null;
    /** Tags of the pages that depend on it, such as `articles` and `article:7`. */
    cache_tags: string[];
    /** A cursor of `/api/sync/changes`: a copy that has come so far has the change ({@link isInCopy}). */
    sync_cursor: string;
  };
}

/** The headers of a request: of any implementation of `fetch`, or of Node; names may be in capitals. */
export type HookHeaders = FetchHeaders | Readonly<Record<string, string | string[] | undefined>>;

const SIGNING = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/**
 * Verifies that a request comes from the content service, and returns its event. Works in Node, browsers and
 * edge runtimes.
 *
 * @param body as it was received, byte for byte
 * @param secret what `content hooks add` printed
 * @throws WebhookVerificationError for another signature, or one older than 5 minutes
 */
export function verifyEvent(body: string, headers: HookHeaders, secret: string): ContentEvent {
  const given = Object.fromEntries(SIGNING.map((name) => [name, givenBy(headers, name)]));
  return new Webhook(secret).verify(body, given) as ContentEvent;
}

/** The part of the headers of `fetch` that is used. */
interface FetchHeaders {
  get(name: string): string | null;
}

/** Not by `instanceof`: a framework may bring its own. */
function isOfFetch(headers: HookHeaders): headers is FetchHeaders {
  return typeof headers.get === 'function';
}

function givenBy(headers: HookHeaders, name: string): string {
  if (isOfFetch(headers)) return headers.get(name) ?? '';
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return String(value ?? '');
}

/** The bytes of a cursor: its version, two for the server alone, then its history and its place there. */
const [HISTORY, END] = [3, 17];
const PLACE = 11;

/**
 * True if a copy of the published articles (`mirrorArticles`) that has reached this cursor, in either form,
 * already has the change that an event tells of. False for a cursor of another history: following the changes
 * decides that.
 */
export function isInCopy({ data }: ContentEvent, cursor: string): boolean {
  const [own, told] = [bytesOf(cursor), bytesOf(data.sync_cursor)];
  const isComparable = own[0] === told[0] && own.slice(HISTORY, PLACE) === told.slice(HISTORY, PLACE);
  return isComparable && own.slice(PLACE, END) >= told.slice(PLACE, END);
}

/** The bytes as characters, which sort in the same order. */
function bytesOf(cursor: string): string {
  return atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
}
