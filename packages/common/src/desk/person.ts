import type { IncomingHttpHeaders } from 'node:http';
import { codePoints } from '../fields/fields.ts';
import { invalidRequest } from '../problems/problem.ts';

/** The longest name of a person, in characters. */
const MAX_NAME = 200;

/** The person for whom the desk asks. Throws 400 for an invalid name. */
export function personOf(headers: IncomingHttpHeaders): string {
  const given = headers[PERSON_HEADER];
  if (given === undefined) return DESK;
  const name = decoded(String(given));
  if (
    name === undefined ||
    name.trim() === '' ||
    codePoints(name) > MAX_NAME ||
    /[\p{Cc}\p{Cs}]/u.test(name)
  ) {
    throw invalidRequest(
      `X-Desk-Person must be 1 to ${MAX_NAME} visible characters, percent-encoded as UTF-8`,
    );
  }
  return name;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The header with the person for whom the desk asks: their name, percent-encoded. */
export const PERSON_HEADER = 'x-desk-person';

/** The name in requests of the desk that are for no person. */
const DESK = 'desk';

/**
 * Scopes that the desk may ask for a person, from least to most: to read, to write what is theirs,
 * everything.
 */
const DESK_SCOPES = ['read', 'write', 'full'] as const;

export type DeskScope = (typeof DESK_SCOPES)[number];

const SCOPE_HEADER = 'x-desk-scope';

/** The author of content that the person is: with the scope `write`, only their articles are changed. */
const AUTHOR_HEADER = 'x-desk-author';

/** The account of the person, which stays when they are renamed. */
const ACCOUNT_HEADER = 'x-desk-account';

/** A person for whom the desk asks, and what they may do. */
export interface DeskPerson {
  readonly name: string;
  readonly scope: DeskScope;
  /** Null for a person who is no author. */
  readonly author: number | null;
  /** Null for the account of the environment, and for the desk itself. */
  readonly account: string | null;
}

/** The person for whom the desk asks, and what they may do: everything unless it says less. Throws 400. */
export function deskPersonOf(headers: IncomingHttpHeaders): DeskPerson {
  const { [SCOPE_HEADER]: given = 'full', [AUTHOR_HEADER]: author, [ACCOUNT_HEADER]: account } = headers;
  const scope = DESK_SCOPES.find((known) => known === given);
  if (scope === undefined) throw invalidRequest(`X-Desk-Scope must be one of ${DESK_SCOPES.join(', ')}`);
  if (author !== undefined && !/^[1-9]\d{0,9}$/.test(String(author)))
    throw invalidRequest('X-Desk-Author must be the id of an author');
  if (account !== undefined && !/^[\w-]{1,64}$/.test(String(account)))
    throw invalidRequest('X-Desk-Account must be the id of an account');
  return {
    name: personOf(headers),
    scope,
    author: author === undefined ? null : Number(author),
    account: account === undefined ? null : String(account),
  };
}

/** The headers of the desk's requests for a person: without one, for the desk itself. */
export function personHeaders(key: string, person?: DeskPerson): Record<string, string> {
  const { name = DESK, scope = 'full', author = null, account = null } = person ?? {};
  return {
    'x-api-key': key,
    [PERSON_HEADER]: encodeURIComponent(name.toWellFormed()),
    ...(scope !== 'full' && { [SCOPE_HEADER]: scope }),
    ...(author !== null && { [AUTHOR_HEADER]: String(author) }),
    ...(account !== null && { [ACCOUNT_HEADER]: account }),
  };
}
