import { splitAtElements } from './elements.ts';

/** Elements that a paragraph neither contains nor is put around. */
const BLOCKS =
  'address|article|aside|audio|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hgroup|hr|html|iframe|legend|li|main|map|menu|nav|noscript|object|ol|optgroup|option|p|pre|script|section|select|style|summary|svg|table|tbody|td|textarea|tfoot|th|thead|tr|ul|video';

/** What is left as it is, with all that it contains. */
const VERBATIM = 'pre|script|style|textarea|svg|math|iframe|audio|video|object';

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
  const open = new OpenElements();
  const written: string[] = [];
  for (const [index, part] of splitAtElements(html, VERBATIM).entries()) {
    if (index % 2 === 1) {
      written.push(part);
      continue;
    }
    // No tag is looked for where none ends any more.
    const end = part.lastIndexOf('>') + 1;
    // A split by a pattern with groups yields, by turns, text and what the groups have found.
    const runs = part.slice(0, end).split(BLOCK_TAG);
    runs.push(`${runs.pop()}${part.slice(end)}`);
    for (let run = 0; run < runs.length; run += 4) {
      written.push(paragraphsIn(runs[run] ?? '', open.innermost));
      const [tag, slash, name = ''] = runs.slice(run + 1, run + 4);
      if (tag === undefined) continue;
      written.push(tag);
      if (slash === '/') open.end(name.toLowerCase());
      else open.begin(name.toLowerCase());
    }
  }
  return written.join('');
}

/** The elements that are open at a place, counted by name: a hostile text ends many that it never began. */
class OpenElements {
  readonly #names: string[] = [];
  readonly #times = new Map<string, number>();

  get innermost(): string | undefined {
    return this.#names.at(-1);
  }

  begin(name: string): void {
    if (EMPTY.test(name)) return;
    this.#names.push(name);
    this.#times.set(name, (this.#times.get(name) ?? 0) + 1);
  }

  end(name: string): void {
    if (!this.#times.get(name)) return;
    let closed: string | undefined;
    do {
      closed = this.#names.pop() ?? name;
      this.#times.set(closed, (this.#times.get(closed) ?? 0) - 1);
    } while (closed !== name);
  }
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
  return paragraph.replaceAll(/(?:<br\s*\/?>|(?<![ \t]))[ \t]*\n/gi, '<br>\n');
}
