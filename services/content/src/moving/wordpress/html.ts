import { parseFragment, serialize } from 'parse5';
import { withCodeElements } from './code-shortcodes.ts';
import { splitAtElements } from './elements.ts';
import { paragraphs } from './paragraphs.ts';
import { CODE, escaped, expandShortcodes, type ShortcodeContext } from './shortcodes.ts';

/** A comment, or all that follows one that does not end. */
const COMMENT = /<!--(?:([\s\S]*?)-->(\n?)|[\s\S]*)/g;

/** In a comment of the block editor: the beginning or end of a block, or one that has no HTML. */
const BLOCK = /^\s*\/?wp:([a-z][\w/-]*)(?:\s+\{.*\})?\s*(\/)?$/s;

/** Marks of the classic editor. */
const MARK = /^(?:more.*|nextpage|noteaser)$/;

/** An address alone on its line, which WordPress shows as what is there. */
const LONE_URL =
  /(^|\n|<p>|<div class="wp-block-embed__wrapper">)[ \t]*(https?:\/\/[^\s<>"']+)[ \t]*(?=\n|$|<\/p>|<\/div>)/g;

/** A block that stands for a pattern, which articles share. */
const PATTERN = /<!--\s*wp:block\s+\{[^{}]*"ref"\s*:\s*(\d+)[^{}]*\}\s*\/-->/g;

/** The most patterns of an article: patterns contain others. */
const MOST_PATTERNS = 200;

/** What else an article consists of, and what {@link articleHtml} reports. */
export interface HtmlContext extends ShortcodeContext {
  /** A pattern by its id. */
  pattern: (id: string) => string | undefined;
  /** In their order. */
  footnotes: readonly { id: string; content: string }[];
  /** Called for a block that has no HTML. */
  onEmptyBlock: (name: string) => void;
}

/** The HTML of an article as WordPress would show it, from what it keeps. */
export function articleHtml(kept: string, context: HtmlContext): string {
  const whole = withCodeElements(withPatterns(kept, context));
  const hasBlocks = /<!--\s*wp:/.test(whole);
  let notes = footnotesOf(context);
  const html = whole.replaceAll(COMMENT, (comment, inside = '', lineEnd = '') => {
    const [block, name = '', isEmpty] = BLOCK.exec(inside) ?? [];
    if (isEmpty !== undefined && name === 'footnotes') {
      const placed = notes;
      notes = '';
      return placed;
    }
    if (isEmpty !== undefined) context.onEmptyBlock(name);
    if (block !== undefined) return '';
    return MARK.test(inside) ? lineEnd : comment;
  });
  const expanded = withLinks(expandShortcodes(html + notes, context));
  // Closes what writers left open, and nests what they crossed, as a browser does.
  return serialize(parseFragment(hasBlocks ? expanded : paragraphs(expanded))).trim();
}

/** Code is left alone. */
function withLinks(html: string): string {
  const parts = splitAtElements(html, CODE);
  let [index, end] = [0, parts[0]?.length ?? 0];
  return html.replaceAll(LONE_URL, (whole, before: string, url: string, offset: number) => {
    while (end <= offset && index < parts.length - 1) end += parts[++index]?.length ?? 0;
    return index % 2 === 1 ? whole : `${before}<a href="${escaped(url)}">${escaped(url)}</a>`;
  });
}

function withPatterns(kept: string, { pattern, onLost }: HtmlContext): string {
  let placed = 0;
  const place = (html: string, around: readonly string[]): string =>
    html.replaceAll(PATTERN, (_, id: string) => {
      placed += 1;
      const found = around.includes(id) || placed > MOST_PATTERNS ? undefined : pattern(id);
      if (found === undefined) onLost(`pattern ${id}: is not in the export; left out`);
      return found === undefined ? '' : place(found, [...around, id]);
    });
  return place(kept, []);
}

/** Footnotes as WordPress shows them: the text has links to their ids. */
function footnotesOf({ footnotes }: HtmlContext): string {
  if (footnotes.length === 0) return '';
  const items = footnotes.map(({ id, content }) => {
    const anchor = escaped(id);
    return `<li id="${anchor}">${content} <a href="#${anchor}-link">↩︎</a></li>`;
  });
  return `\n\n<ol class="wp-block-footnotes">${items.join('')}</ol>\n\n`;
}
