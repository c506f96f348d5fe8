import { Failure } from '@pressroom/common/failures/failure';
import { onOneLine, requiredText } from '@pressroom/common/fields/fields';
import {
  type ApiKeyStore,
  type KeyPurpose,
  type ListedKey,
  prefixOf,
  SCOPES,
  type Scope,
} from '../api-keys.ts';

/** The name becomes the author of the key's articles. */
const keyName = onOneLine(requiredText(255));

/**
 * Parses the name of a key: 1 to 255 characters in one line, at least one of them visible.
 *
 * @throws Failure `refused` for anything else
 */
export function readName(value: string): string {
  const { data, error } = keyName.safeParse(value.trim());
  if (data === undefined) throw new Failure('refused', `the name of the key ${error.issues[0]?.message}`);
  return data;
}

/**
 * Parses when a key expires, like {@link readTime}.
 *
 * @throws Failure `refused` for anything else, and for times that are not in the future
 */
export function readEnd(value: string, now = new Date()): Date {
  const end = readTime(value);
  if (end <= now) throw new Failure('refused', `${value} is not in the future`);
  return end;
}

/**
 * Parses a time: a calendar day, which means its beginning in UTC, or a time with its offset.
 *
 * @throws Failure `refused` for anything else
 */
export function readTime(value: string): Date {
  const [, day] =
    /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(value) ?? [];
  const time = new Date(value);
  // `Date` takes 31 February for 3 March.
  if (day === undefined || Number.isNaN(time.getTime()) || !isDay(day)) {
    throw new Failure('refused', `"${value}" is not a date such as 2027-01-31 or 2027-01-31T18:00:00Z`);
  }
  return time;
}

function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * Parses a scope.
 *
 * @throws Failure `refused` for anything else
 */
export function readScope(value: string): Scope {
  const scope = SCOPES.find((known) => known === value);
  if (scope !== undefined) return scope;
  throw new Failure('refused', `"${value}" is not a scope: ${SCOPES.join(', ')}`);
}

/**
 * Parses the id of the category that a key is restricted to.
 *
 * @throws Failure `refused` for anything else, and for a scope that has nothing to restrict, or more
 */
export function readCategory(value: string, scope: Scope): number {
  if (scope !== 'write' && scope !== 'publish')
    throw new Failure(
      'refused',
      'only a key with the scope write or publish can be restricted to a category',
    );
  return readCount(value, 'the id of a category');
}

/**
 * Parses a whole number of at least 1; `what` says what it is of.
 *
 * @throws Failure `refused` for anything else
 */
export function readCount(value: string, what: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new Failure('refused', `"${value}" is not ${what}`);
}

/**
 * Parses the reference to a key: its prefix, with or without `pk_`, or the whole key.
 *
 * @throws Failure `refused` for anything else; the message does not repeat the input, because it may contain
 * a secret
 */
export function readPrefix(value: string): string {
  const prefix = prefixOf(value) ?? /^(?:pk_)?([A-Za-z0-9]{8})$/.exec(value)?.[1];
  if (prefix !== undefined) return prefix;
  throw new Failure('refused', 'this is not a key: give the 8 characters after pk_, or the whole key');
}

/**
 * Makes a key and prints it alone on a line, so that it can be captured; the explanation goes to standard
 * error.
 */
export async function createKey(keys: ApiKeyStore, purpose: KeyPurpose): Promise<void> {
  const { key } = await keys.create(purpose);
  console.error(`The key for ${purpose.name}, which will not be shown again:`);
  console.log(key);
}

export async function listKeys(keys: ApiKeyStore): Promise<void> {
  const rows = await keys.list();
  if (rows.length === 0)
    return console.log('There are no keys yet. Make one with `content keys create --name NAME`.');
  console.table(
    rows.map((key) => ({
      prefix: key.prefix,
      name: key.name,
      scope: key.scope,
      category: key.category_id ?? '',
      state: stateOf(key),
      created: shown(key.created_at),
      expires: shown(key.expires_at),
      'last used': shown(key.last_used_at),
    })),
  );
}

/**
 * Revokes a key.
 *
 * @throws Failure `missing` if the key does not exist or is revoked
 */
export async function revokeKey(keys: ApiKeyStore, prefix: string): Promise<void> {
  if (!(await keys.revoke(prefix))) throw noSuchKey(prefix);
  console.log(`Revoked pk_${prefix}. It stops working within 5 seconds.`);
}

/**
 * Changes when a key expires.
 *
 * @throws Failure `missing` if the key does not exist or is revoked
 */
export async function expireKey(keys: ApiKeyStore, prefix: string, end: Date): Promise<void> {
  if (!(await keys.expire(prefix, end))) throw noSuchKey(prefix);
  console.log(`pk_${prefix} expires at ${end.toISOString()}.`);
}

function noSuchKey(prefix: string): Failure {
  return new Failure('missing', `no key in use begins with pk_${prefix}; see \`content keys list\``);
}

function stateOf({ revoked_at, expires_at }: ListedKey): string {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at.getTime() <= Date.now() ? 'expired' : 'active';
}

function shown(time: Date | null): string {
  return time?.toISOString() ?? '';
}
