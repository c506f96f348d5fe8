import { isBlock, isInk, isIsland, isShown, nameOf } from '../schema/elements.ts';

/**
 * The normal form of an article's HTML: two articles with the same one look the same to readers, whatever the
 * style sheet of the site. It is a list of
 *
 * - blocks, each with its name and its attributes in the order of the alphabet, and where it ends;
 * - text, with the set of elements around it in its line, whatever their order;
 * - what stands in a line without being text, such as pictures, with the same;
 * - links and their targets that show nothing.
 *
 * White space is what browsers make of it. Optional tags are there. Elements without text and attributes are
 * not, neither are comments by which WordPress marks its blocks; other comments are.
 */
export function normalForm(article: Element): string[] {
  const tokens = new Tokens();
  walk(article, [], false, tokens);
  tokens.endLine();
  return tokens.list;
}

/** The attributes by which readers leave an element, or come to it. */
const ADDRESSES = ['href', 'id', 'name'];

const WORDPRESS = /^\s*\/?wp:/;

class Tokens {
  readonly list: string[] = [];
  #text = '';
  #formats = '';
  /** True if the line so far ends with white space, or is empty. */
  #hasSpace = true;

  add(token: string): void {
    this.#flush();
    this.list.push(token);
  }

  text(written: string, formats: readonly string[], isCode: boolean): void {
    let text = isCode ? written : written.replaceAll(/[ \t\r\n\f]+/g, ' ');
    if (!isCode && this.#hasSpace && text.startsWith(' ')) text = text.slice(1);
    if (text === '') return;
    const key = [...new Set(formats)].sort().join('');
    if (key !== this.#formats) this.#flush();
    this.#formats = key;
    this.#text += text;
    this.#hasSpace = !isCode && text.endsWith(' ');
  }

  inline(token: string, formats: readonly string[]): void {
    this.add(`${[...new Set(formats)].sort().join('')}${token}`);
    this.#hasSpace = false;
  }

  /** White space at the end of a line is not shown. */
  endLine(): void {
    if (this.#hasSpace && this.#text.endsWith(' ')) this.#text = this.#text.slice(0, -1);
    this.#flush();
    this.#hasSpace = true;
  }

  #flush(): void {
    if (this.#text !== '') this.list.push(`${this.#formats}“${this.#text}”`);
    this.#text = '';
  }
}

function walk(parent: Node, formats: readonly string[], isCode: boolean, tokens: Tokens): void {
  for (const node of parent.childNodes) {
    if (node.nodeType === 3) tokens.text(node.nodeValue ?? '', formats, isCode);
    else if (node.nodeType === 8 && !WORDPRESS.test(node.nodeValue ?? '')) tokens.add(`!${node.nodeValue}`);
    else if (node.nodeType === 1) walkElement(node as Element, formats, isCode, tokens);
  }
}

function walkElement(element: Element, formats: readonly string[], isCode: boolean, tokens: Tokens): void {
  const name = nameOf(element);
  const tag = tagOf(element);
  if (isBlock(element)) {
    tokens.endLine();
    // Blocks may stand in the link of a figure.
    if (isIsland(element)) tokens.add(element.outerHTML);
    else {
      tokens.add(`${formats.join('')}${tag}`);
      walk(element, formats, isCode || name === 'pre', tokens);
      tokens.endLine();
      tokens.add(`</${name}>`);
    }
  } else if (isIsland(element)) tokens.inline(element.outerHTML, formats);
  else if (name === 'br') {
    tokens.endLine();
    tokens.add(`${formats.toSorted().join('')}${tag}`);
  } else if (name === 'img' || name === 'picture') tokens.inline(pictureOf(element), formats);
  else {
    const isLinked = ADDRESSES.some((address) => element.hasAttribute(address));
    if (isLinked && !isShown(element)) tokens.add(tag);
    walk(element, [...formats, tag], isCode, tokens);
  }
}

/** An image with what is around it, without the white space between. */
function pictureOf(element: Element): string {
  return `${tagOf(element)}${[...element.children].map(pictureOf).join('')}${isInk(element.textContent) ? element.textContent : ''}`;
}

function tagOf(element: Element): string {
  const attributes = [...element.attributes].map(({ name, value }) => ` ${name}=${JSON.stringify(value)}`);
  return `<${nameOf(element)}${attributes.sort().join('')}>`;
}
