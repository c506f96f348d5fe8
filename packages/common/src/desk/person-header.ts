/** The header with the person for whom the desk asks: their name, percent-encoded. */
export const PERSON_HEADER = 'x-desk-person';

/** Who is named if the desk asks for nobody. */
export const DESK = 'desk';

/** The headers with which the desk asks for somebody. */
export function personHeaders(key: string, name = DESK): Record<string, string> {
  return { 'x-api-key': key, [PERSON_HEADER]: encodeURIComponent(name.toWellFormed()) };
}
