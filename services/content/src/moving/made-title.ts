import { plainText } from './plain-text.ts';

/** The longest title that is made of the beginning of an article. */
const MADE_TITLE = 80;

/** A title for an article that has none: its first words. */
export function titleFrom(html: string, notes: string[]): string {
  const text = plainText(html);
  const end = text.length > MADE_TITLE ? text.lastIndexOf(' ', MADE_TITLE) : text.length;
  const title = text.slice(0, end > 0 ? end : MADE_TITLE) || 'Untitled';
  notes.push(`has no title; it is called "${title}"`);
  return title;
}
