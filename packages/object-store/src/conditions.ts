import { S3Error } from './errors.ts';

/** What conditions are compared with. */
export interface Validators {
  /** Without quotes. */
  etag: string;
  /** ms since 1970. */
  modified: number;
}

/** Conditions of a write on what is there already. */
export interface WriteConditions {
  /** Value of `If-Match`. */
  ifMatch?: string | undefined;
  /** Value of `If-None-Match`. */
  ifNoneMatch?: string | undefined;
}

type Headers = Record<string, string>;

/**
 * Checks the conditions of GET and HEAD in the order of RFC 9110, section 13.2.2.
 *
 * @returns whether the answer is 304
 * @throws S3Error PreconditionFailed
 */
export function isNotModified(headers: Headers, object: Validators): boolean {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined) {
    if (!matches(match, object.etag)) throw new S3Error('PreconditionFailed');
  } else if (isModifiedSince(headers['if-unmodified-since'], object) === true) {
    throw new S3Error('PreconditionFailed');
  }
  if (noneMatch !== undefined) return matches(noneMatch, object.etag);
  return isModifiedSince(headers['if-modified-since'], object) === false;
}

/** Whether to honor a `Range`: `If-Range` is absent or names the current object. */
export function isRangeValid(ifRange: string | undefined, object: Validators): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"')) return matches(ifRange, object.etag);
  return isModifiedSince(ifRange, object) === false;
}

/**
 * Checks the conditions of a copy on its source, whose headers have other names.
 *
 * @throws S3Error PreconditionFailed
 */
export function checkCopySource(headers: Headers, object: Validators): void {
  const renamed: Headers = {};
  for (const name of ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since']) {
    const value = headers[`x-amz-copy-source-${name}`];
    if (value !== undefined) renamed[name] = value;
  }
  if (isNotModified(renamed, object)) throw new S3Error('PreconditionFailed');
}

/** The conditions that a request sets on what its write replaces or removes. */
export function writeConditions(headers: Headers): WriteConditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    throw new S3Error('NotImplemented', 'A write only accepts If-None-Match: *.');
  }
  return { ifMatch, ifNoneMatch };
}

/**
 * Checks the conditions of a write.
 *
 * @throws S3Error PreconditionFailed
 */
export function checkWrite(
  { ifMatch, ifNoneMatch }: WriteConditions,
  existing: Validators | undefined,
): void {
  if (ifNoneMatch !== undefined && existing) throw new S3Error('PreconditionFailed');
  if (ifMatch === undefined) return;
  if (!existing || !matches(ifMatch, existing.etag)) throw new S3Error('PreconditionFailed');
}

/** Whether a list of entity tags (or `*`) names this one; quotes are optional, as in S3. */
function matches(list: string, etag: string): boolean {
  return list.split(',').some((item) => {
    const tag = unquote(item);
    return tag === '*' || tag === etag;
  });
}

/** An entity tag without its quotes and weakness. */
export function unquote(tag: string): string {
  return tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1');
}

// Dates of HTTP are whole seconds. Undefined: there is no date, or it is not one.
function isModifiedSince(date: string | undefined, { modified }: Validators): boolean | undefined {
  const since = Date.parse(date ?? '');
  return Number.isNaN(since) ? undefined : Math.floor(modified / 1000) * 1000 > since;
}
