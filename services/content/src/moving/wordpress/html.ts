import { parseFragment, serialize } from 'parse5';
import { paragraphs } from './paragraphs.ts';
import { escaped, expandShortcodes, type ShortcodeContext } from './shortcodes.ts';

/** A comment, or all that follows one that does not end. */
const COMMENT = /<!--(?:([\s\S]*?)-->(\n?)|[\s\S]*)/g;

/** In a comment of the block editor: the beginning or end of a block, or one that has no HTML. */
const BLOCK = /^\s*\/?wp:([a-z][\w/-]*)(?:\s+\{.*\})?\s*(\/)?$/s;

/** Marks of the classic editor. */
const MARK = /^(?:more.*|nextpage|noteaser)$/;

/** An address alone on its line, which WordPress shows as what is there. */
const LONE_URL =
  /(^|\n|<p>|<div class="wp-block-embed__wrapper">)[ \t]*(https?:\/\/[^\s<>"']+)[ \t]*(?=\n|$|<\/p>|<\/div>)/g;

/** What else {@link articleHtml} reports. */
interface HtmlContext extends ShortcodeContext {
  /** Called for a block that has no HTML. */
  onEmptyBlock: (name: string) => void;
}

/** The HTML of an article as WordPress would show it, from what it keeps. */
export function articleHtml(kept: string, context: HtmlContext): string {
  const hasBlocks = /<!--\s*wp:/.test(kept);
  const html = kept.replaceAll(COMMENT, (whole, inside = '', lineEnd = '') => {
    const [block, name = '', isEmpty] = BLOCK.exec(inside) ?? [];
    if (isEmpty !== undefined) context.onEmptyBlock(name);
    if (block !== undefined) return '';
    return MARK.test(inside) ? lineEnd : whole;
  });
  const expanded = expandShortcodes(html, context).replaceAll(
    LONE_URL,
    (_, before: string, url: string) => `${before}<a href="${escaped(url)}">${escaped(url)}</a>`,
  );
  // Closes what writers left open, and nests what they crossed, as a browser does.
  return serialize(parseFragment(hasBlocks ? expanded : paragraphs(expanded))).trim();
}
