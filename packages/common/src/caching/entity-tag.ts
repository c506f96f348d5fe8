import { hash } from 'node:crypto';

/**
 * A finished answer: its body and the strong validator that was computed from its bytes (RFC 9110, section
 * 8.8.3).
 */
export interface Representation {
  /** Its bytes or, if it is short and in ASCII, its text. */
  readonly body: Buffer | string;
  readonly etag: string;
  /** When it expires, in ms since 1970; if absent, only when the data change. */
  readonly expiresAt?: number | undefined;
  /** What it depends on, as the service names changes; if absent, any change invalidates it. */
  readonly subjects?: readonly string[] | undefined;
}

/**
 * The most bytes that are sent as text. Node sends text in one piece with the headers, bytes as a second
 * piece; longer text costs more to encode for each answer than that saves, and text that is not ASCII
 * from 2 KiB on.
 */
const MAX_TEXT_BYTES = 12_288;

/**
 * Finishes `text` as a representation: a body and a strong entity tag, equal only for equal bytes. `state`
 * (base64url) is appended to the tag if a representation shows more than the resource itself; see {@link
 * namesState}.
 */
export function represent(text: string, expiresAt?: Date, state?: string): Representation {
  const bytes = Buffer.from(text);
  const digest = hash('sha256', bytes, 'base64url').slice(0, 27);
  const etag = state === undefined ? `"${digest}"` : `"${digest}.${state}"`;
  const isAscii = bytes.length === text.length;
  const body = isAscii && bytes.length <= MAX_TEXT_BYTES ? text : bytes;
  return { body, etag, expiresAt: expiresAt?.getTime() };
}

/**
 * The members of an `If-Match` or `If-None-Match` list (RFC 9110, section 8.8.3); anything else in the list
 * is ignored.
 */
const ENTITY_TAG = /(?:^|,)[ \t]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/g;

/**
 * Evaluates `If-None-Match` by weak comparison (RFC 9110, section 13.1.2): true means 304 for GET and HEAD.
 */
export function isNotModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true;
  for (const [, , tag] of ifNoneMatch.matchAll(ENTITY_TAG)) {
    if (tag === etag) return true;
  }
  return false;
}

/** Evaluates `If-Match` by strong comparison (RFC 9110, section 13.1.1): whether it names this tag. */
export function isNamed(ifMatch: string, etag: string | undefined): boolean {
  if (ifMatch.trim() === '*') return true;
  return [...ifMatch.matchAll(ENTITY_TAG)].some(([, weak, tag]) => weak === undefined && tag === etag);
}

/** The state of a resource's own members, for its entity tag: equal only for equal values. */
export function stateOf(own: unknown): string {
  return hash('sha256', JSON.stringify(own), 'base64url').slice(0, 27);
}

/**
 * The tag of a resource in the answer to its write, for the `If-Match` of the next one. It is the tag of no
 * representation, so `If-None-Match` never takes it for one that was read.
 */
export function writtenTag(own: unknown): string {
  return `"written.${stateOf(own)}"`;
}

/**
 * Evaluates `If-Match` against a resource that exists: whether one of its strong tags (RFC 9110, section
 * 13.1.1) is of this state of the resource, whatever else its representation showed.
 */
export function namesState(ifMatch: string, state: string): boolean {
  return names(ifMatch, state, false);
}

/** Evaluates the `If-None-Match` of a write like {@link namesState}, by weak comparison (section 13.1.2). */
export function namesStateWeakly(ifNoneMatch: string, state: string): boolean {
  return names(ifNoneMatch, state, true);
}

function names(list: string, state: string, isWeak: boolean): boolean {
  if (list.trim() === '*') return true;
  for (const [, weak, tag] of list.matchAll(ENTITY_TAG)) {
    if ((isWeak || weak === undefined) && tag?.endsWith(`.${state}"`)) return true;
  }
  return false;
}
