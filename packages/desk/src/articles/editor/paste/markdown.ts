/** Signs by which a text is Markdown, one a line. */
const BLOCK = /^(?:#{1,6} \S|```|> \S|\s*[-*+] \S|\d{1,3}[.)] \S|\|.+\|\s*$|(?:---|\*\*\*)\s*$)/m;

const INLINE = /\*\*[^*\s][^*]*\*\*|\[[^\]\n]+\]\([^)\s]+\)|(?:^|\s)`[^`\n]+`/;

export function looksLikeMarkdown(text: string): boolean {
  return BLOCK.test(text) || INLINE.test(text);
}

/** The HTML of Markdown. Its parser is loaded when the first Markdown is pasted. */
export async function markdownToHtml(text: string): Promise<string> {
  const [{ Marked }, { default: footnotes }] = await Promise.all([
    import('marked'),
    import('marked-footnote'),
  ]);
  return new Marked(footnotes()).parse(text, { gfm: true });
}
