import { Failure, type FieldFault, invalid } from '@pressroom/common/failures/failure';
import { isStorable, isTimeZone } from '@pressroom/common/fields/fields';
import type { SecretBox } from '@pressroom/common/secrets/secret-box';
import { z } from 'zod';
import type { Source } from './sources.ts';

/** The longest time that a source may take to answer, in seconds. */
const MOST_SECONDS = 120;

const MOST_HEADERS = 20;

/** Names of header fields (RFC 9110, section 5.1), in lower case. */
const NAME = /^[!#$%&'*+.^_`|~\da-z-]{1,100}$/;

/** Visible ASCII with single spaces or tabs inside: nothing that would begin another field. */
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]{0,3998}[\x21-\x7e])?$/;

/** Headers that the worker or the connection sets, and those that have a setting of their own. */
const RESERVED =
  /^(?:accept-encoding|connection|content-.*|date|expect|host|if-.*|keep-alive|proxy-.*|range|te|trailer|transfer-encoding|upgrade|user-agent|via)$/;

const AGENT = 'must be visible ASCII characters, at most 300; empty for the own name';
const SECONDS = `must be a whole number of seconds from 1 to ${MOST_SECONDS}, or null`;

const timeZone = z
  .string('must be a string')
  .max(100, 'must be a time zone such as Europe/Lisbon, or empty')
  .refine((zone) => zone === '' || isTimeZone(zone), 'must be a time zone such as Europe/Lisbon, or empty');

const header = z.strictObject({
  name: z
    .string('must be a string')
    .toLowerCase()
    .regex(NAME, 'must be the name of a header')
    .refine((name) => !RESERVED.test(name), 'the worker sets this header itself'),
  value: z
    .string('must be a string')
    .regex(VALUE, 'must be visible ASCII characters, at most 4000')
    .optional()
    .describe('Absent: the one that it has. It is never shown.')
    .meta({ writeOnly: true }),
});

const word = (most: number, expected: string) =>
  z
    .string('must be a string')
    .min(1, expected)
    .max(most, expected)
    .refine((value) => isStorable(value) && !/\p{Cc}/u.test(value), expected);

const basicAuth = z.strictObject({
  username: word(200, 'must be 1 to 200 characters').refine(
    (name) => !name.includes(':'),
    'must not contain a colon',
  ),
  password: word(500, 'must be 1 to 500 characters')
    .optional()
    .describe('Absent: the one that it has. It is never shown.')
    .meta({ writeOnly: true }),
});

/** The request settings of a source; an absent member keeps its value. */
export const accessInput = {
  userAgent: z
    .string(AGENT)
    .regex(/^(?:[\x21-\x7e](?:[\x20-\x7e]{0,298}[\x21-\x7e])?)?$/, AGENT)
    .describe('Empty: that of the worker.'),
  timeoutSeconds: z
    .int(SECONDS)
    .min(1, SECONDS)
    .max(MOST_SECONDS, SECONDS)
    .nullable()
    .describe('Null: that of the worker.'),
  timeZone: timeZone.describe('Of dates that say none (IANA); empty: UTC.'),
  proxy: z
    .string('must be a string')
    .regex(/^[a-z\d-]{0,40}$/, 'must be the name of a proxy, or empty')
    .describe('Of those that `NEWS_PROXIES` names; empty: none.'),
  basicAuth: basicAuth.nullable().describe('Sent to the host of the given address alone; null removes it.'),
  headers: z
    .array(header)
    .max(MOST_HEADERS, `must be at most ${MOST_HEADERS} headers`)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'must name each header once')
    .describe('All that are sent to the host of the given address, and to no other.'),
};

const access = z.object(accessInput).partial();

export type SourceAccess = z.infer<typeof access>;

/** The encrypted members. */
interface Secrets {
  password?: string;
  headers: Record<string, string>;
}

/** The request settings of one source. */
export interface OwnRequest {
  userAgent?: string;
  timeoutMs?: number;
  /** The name of the proxy to go through. */
  proxy?: string;
  /** For the host of the given address alone. */
  headers: Readonly<Record<string, string>>;
}

/** True if any of these is to change. */
export function changesAccess(settings: SourceAccess): boolean {
  return Object.keys(accessInput).some((name) => settings[name as keyof SourceAccess] !== undefined);
}

/**
 * The columns of a change. At another origin a source has no secrets but those that are given with it, so
 * that nobody who cannot read them can have them sent elsewhere.
 *
 * @throws Failure `invalid` for a value that it does not have yet; `conflict` without a key
 */
export function accessColumns(
  source: Source,
  settings: SourceAccess,
  givenUrl: string,
  box: SecretBox | undefined,
) {
  const { userAgent, timeoutSeconds, timeZone: zone, proxy, basicAuth: basic, headers } = settings;
  const plain = {
    ...(userAgent !== undefined && { user_agent: userAgent || null }),
    ...(timeoutSeconds !== undefined && { timeout_seconds: timeoutSeconds }),
    ...(zone !== undefined && { time_zone: zone || null }),
    ...(proxy !== undefined && { proxy: proxy || null }),
  };
  const isElsewhere = ownerOf(source.id, givenUrl) !== ownerOf(source.id, source.given_url);
  if (basic === undefined && headers === undefined && !isElsewhere) return plain;
  const before: Secrets = (isElsewhere ? undefined : openSecrets(source, box)) ?? { headers: {} };
  const faults: FieldFault[] = [];
  const kept = <T>(given: T | undefined, own: T | undefined, field: string): T | undefined => {
    const value = given ?? own;
    if (value === undefined) faults.push({ field, code: 'required', message: 'is required' });
    return value;
  };
  const user = basic === undefined ? (isElsewhere ? null : source.basic_user) : (basic?.username ?? null);
  const password = user === null ? undefined : kept(basic?.password, before.password, 'basicAuth.password');
  const own = (name: string) => (Object.hasOwn(before.headers, name) ? before.headers[name] : undefined);
  const names = headers ?? Object.keys(before.headers).map((name) => ({ name, value: undefined }));
  const values = names.map(({ name, value }, index) => {
    return [name, kept(value, own(name), `headers.${index}.value`) ?? ''] as const;
  });
  if (faults.length > 0) throw invalid(faults);
  const secrets: Secrets = {
    ...(password !== undefined && { password }),
    headers: Object.fromEntries(values),
  };
  const isEmpty = password === undefined && values.length === 0;
  return {
    ...plain,
    basic_user: user,
    header_names: values.map(([name]) => name),
    secrets: isEmpty ? null : boxed(box).seal(JSON.stringify(secrets), ownerOf(source.id, givenUrl)),
  };
}

function boxed(box: SecretBox | undefined): SecretBox {
  if (box !== undefined) return box;
  throw new Failure('conflict', 'passwords and headers of sources take NEWS_SOURCES_KEY in the settings', {
    code: 'not_configured',
  });
}

/** Opens a source's request settings. Throws a {@link Failure} if its secrets cannot be decrypted. */
export function ownRequestOf(source: Source, box: SecretBox | undefined): OwnRequest {
  const { user_agent: userAgent, timeout_seconds: seconds, basic_user: user, proxy } = source;
  const secrets = openSecrets(source, box);
  if (secrets === undefined && source.secrets !== null) {
    throw new Failure(
      'invalid',
      'its password and headers cannot be read: NEWS_SOURCES_KEY is not the key that encrypted them',
      { code: 'source_secrets_unreadable' },
    );
  }
  const { password, headers = {} } = secrets ?? {};
  const login = user === null || password === undefined ? undefined : `${user}:${password}`;
  return {
    ...(userAgent !== null && { userAgent }),
    ...(seconds !== null && { timeoutMs: seconds * 1000 }),
    ...(proxy !== null && { proxy }),
    headers: {
      ...headers,
      ...(login !== undefined && { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
    },
  };
}

/** True of the host of the given address, also where it answers over https instead of http. */
export function isOwnOrigin(url: URL, givenUrl: string): boolean {
  const given = new URL(givenUrl);
  const isSafer = given.protocol === 'http:' && url.protocol === 'https:' && given.port + url.port === '';
  return url.origin === given.origin || (isSafer && url.hostname === given.hostname);
}

function openSecrets({ id, given_url, secrets }: Source, box: SecretBox | undefined): Secrets | undefined {
  const opened = secrets === null ? undefined : box?.open(secrets, ownerOf(id, given_url));
  return opened === undefined ? undefined : (JSON.parse(opened) as Secrets);
}

/** Only for the origin that they were given for. */
function ownerOf(id: number, givenUrl: string): string {
  return `source ${id} at ${new URL(givenUrl).origin}`;
}
