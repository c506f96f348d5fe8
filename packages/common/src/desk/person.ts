import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest } from '../problems/problem.ts';
import { DESK, PERSON_HEADER } from './person-header.ts';

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
