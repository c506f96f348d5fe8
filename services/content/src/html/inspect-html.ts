import { ArticleParser } from './article-parser.ts';
import type { Inspection, InspectionRules } from './inspection.ts';
import { TokenInspector } from './token-inspector.ts';

/**
 * Closes a tag that the article left open, wherever it was cut off, as the page around it would, so that it
 * is detected. A value that is still to come starts with a letter: a quote would open it and hide the end of
 * the tag.
 */
function restOfPage(html: string): string {
  return `${html.trimEnd().endsWith('=') ? 'x' : ''} "'>`;
}

/**
 * Inspects an article token by token with the parser of the HTML standard. Every tag in the text is judged,
 * even one that a browser would ignore in one place and obey in another, and so is what the tree makes of
 * them. The work grows only with the length of the text.
 */
export async function inspectHtml(html: string, rules: InspectionRules): Promise<Inspection> {
  const tokens = new TokenInspector(html, rules);
  ArticleParser.into(tokens).tokenizer.write(html + restOfPage(html), true);
  return tokens.end(!tokens.isFull);
}
