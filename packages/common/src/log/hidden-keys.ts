/**
 * An API key in its written form (`docs/spec/wire.md`, "Content"), whole or cut off, or percent-encoded in
 * part.
 */
const API_KEY = /(?:p|%70)(?:k|%6[bB])(?:_|%5[fF])[\w%-]*/g;

/** The text as it is logged: the API keys that a client put into it are hidden. */
export function withoutApiKeys(text: string): string {
  // Nearly every text: it cannot contain any part of a key.
  if (!text.includes('pk_') && !text.includes('%')) return text;
  return text.replace(API_KEY, 'pk_(hidden)');
}
