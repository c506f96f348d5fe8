/** The header with the person for whom the desk asks: their name, percent-encoded. */
export const PERSON_HEADER = 'x-desk-person';

/** The name in requests of the desk that are for no person. */
export const DESK = 'desk';

/** The headers of the desk's requests for a person. */
export function personHeaders(key: string, name = DESK): Record<string, string> {
  return { 'x-api-key': key, [PERSON_HEADER]: encodeURIComponent(name.toWellFormed()) };
}
