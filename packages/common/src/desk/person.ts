import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest } from '../problems/problem.ts';

/** The longest name of a person, in characters. */
const MAX_NAME = 200;

/** The person for whom the desk asks. Throws 400 for an invalid name. */
export function personOf(headers: IncomingHttpHeaders): string {
  const given = headers[PERSON_HEADER];
  if (given === undefined) return DESK;
  const name = decoded(String(given));
  if (name === undefined || name.trim() === '' || name.length > MAX_NAME || /\p{C}/u.test(name)) {
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

/** The headers of the desk's requests for a person. */
export function personHeaders(key: string, name = DESK): Record<string, string> {
  return { 'x-api-key': key, [PERSON_HEADER]: encodeURIComponent(name.toWellFormed()) };
}
