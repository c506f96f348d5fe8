/** Signs by which a text is Markdown, one a line. */
const BLOCK = /^(?:#{1,6} \S|```|> \S|\s*[-*+] \S|\d{1,3}[.)] \S|\|.+\|\s*$|(?:---|\*\*\*)\s*$)/m;

const INLINE = /\*\*[^*\s][^*]*\*\*|\[[^\]\n]+\]\([^)\s]+\)|(?:^|\s)`[^`\n]+`/;

/** Whether a text from the clipboard reads as Markdown. */
export function looksLikeMarkdown(text: string): boolean {
  return BLOCK.test(text) || INLINE.test(text);
}

/** The HTML of Markdown. Its parser is loaded when the first Markdown is pasted. */
export async function markdownToHtml(text: string): Promise<string> {
  const { marked } = await import('marked');
  return marked.parse(text, { gfm: true });
}
