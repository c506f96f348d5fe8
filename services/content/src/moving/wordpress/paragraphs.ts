/** Elements that a paragraph neither contains nor is put around. */
const BLOCKS =
  'address|article|aside|audio|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hgroup|hr|html|iframe|legend|li|main|map|menu|nav|noscript|object|ol|optgroup|option|p|pre|script|section|select|style|summary|svg|table|tbody|td|textarea|tfoot|th|thead|tr|ul|video';

/** What is left as it is, with all that it contains. */
const VERBATIM = /(<(pre|script|style|textarea|svg|math|iframe|audio|video|object)\b[\s\S]*?<\/\2\s*>)/i;

const BLOCK_TAG = new RegExp(`(<(/?)(${BLOCKS})(?=[\\s/>])[^>]*>)`, 'i');

/** Elements in which paragraphs are written like at the top. */
const CONTAINERS =
  /^(?:article|aside|blockquote|body|center|dd|details|div|figure|footer|header|li|main|section|td|th)$/;

/** Elements that have no end. */
const EMPTY = /^(?:col|hr)$/;

/**
 * Makes paragraphs and line breaks of blank lines and line ends, as WordPress does when it shows an article
 * of its classic editor.
 */
export function paragraphs(text: string): string {
  const html = text.replaceAll(/\r\n?/g, '\n');
  const open: string[] = [];
  const written: string[] = [];
  // A split by a pattern with groups yields, by turns, text and what the groups have found.
  const parts = html.split(VERBATIM);
  for (let at = 0; at < parts.length; at += 3) {
    const runs = (parts[at] ?? '').split(BLOCK_TAG);
    for (let run = 0; run < runs.length; run += 4) {
      written.push(paragraphsIn(runs[run] ?? '', open.at(-1)));
      const [tag, slash, name = ''] = runs.slice(run + 1, run + 4);
      if (tag === undefined) continue;
      written.push(tag);
      follow(open, name.toLowerCase(), slash === '/');
    }
    written.push(parts[at + 1] ?? '');
  }
  return written.join('');
}

function follow(open: string[], name: string, isEnd: boolean): void {
  if (!isEnd && !EMPTY.test(name)) open.push(name);
  if (!isEnd) return;
  const at = open.lastIndexOf(name);
  if (at !== -1) open.length = at;
}

/** Text between two tags of blocks, in the block called `container`. */
function paragraphsIn(text: string, container: string | undefined): string {
  if (text.trim() === '') return text === '' ? '' : '\n';
  const isContainer = container === undefined || CONTAINERS.test(container);
  if (!isContainer || (container !== undefined && !/\n\s*\n/.test(text))) return text;
  const found = text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  return found.map((paragraph) => `<p>${withBreaks(paragraph.trim())}</p>\n`).join('');
}

function withBreaks(paragraph: string): string {
  return paragraph.replaceAll(/(<br\s*\/?>)?[ \t]*\n/gi, '<br>\n');
}
