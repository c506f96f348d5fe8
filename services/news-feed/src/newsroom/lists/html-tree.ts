import { type Document, DomHandler, type Element, isTag, isText, type ParentNode } from 'domhandler';
import { Parser } from 'htmlparser2';

/** No list is nested deeper, and the parser's time for an end tag grows with the depth. */
const MOST_DEPTH = 200;

/** The most elements of a page that are read. */
const MOST_ELEMENTS = 100_000;

/** Ends the parser where enough was read. */
class Enough extends Error {}

class BoundedTree extends DomHandler {
  #elements = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    this.#elements += 1;
    if (this.#elements > MOST_ELEMENTS || this.tagStack.length > MOST_DEPTH) throw new Enough();
    super.onopentag(name, attributes);
  }
}

/** The tree of a page, up to where it has too many elements or they are nested too deep. */
export function htmlTree(html: string): Document {
  const tree = new BoundedTree();
  try {
    new Parser(tree).end(html);
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return tree.root;
}

/** The elements below a node, in the page's order. */
export function* elementsIn(node: ParentNode): Generator<Element> {
  for (const child of node.children) {
    if (!isTag(child)) continue;
    yield child;
    yield* elementsIn(child);
  }
}

/** How many elements of an article's part of a page are looked at: all of what a page repeats. */
const MOST_OF_PART = 1000;

/** The first elements of a part of a page: parts overlap, so each may cost no more than a bit. */
export function elementsOfPart(part: Element): Element[] {
  return elementsIn(part).take(MOST_OF_PART).toArray();
}

/** Elements that do not separate words. */
const INLINE = new Set(
  'a abbr b bdi bdo cite code em font i mark q s small span strong sub sup u wbr'.split(' '),
);

/** Elements whose contents are not text. */
export const SILENT = new Set('script style noscript template svg select textarea iframe button'.split(' '));

/** The text of an element as its lines, up to about `most` characters. */
export function linesOf(node: ParentNode, most = 3000): string[] {
  let text = '';
  const add = ({ children }: ParentNode) => {
    for (const child of children) {
      if (text.length > most) return;
      if (isText(child)) text += child.data.replace(/\s+/g, ' ');
      if (!isTag(child) || SILENT.has(child.name)) continue;
      const edge = INLINE.has(child.name) ? '' : '\n';
      text += edge;
      add(child);
      text += edge;
    }
  };
  add(node);
  return text.split('\n').flatMap((line) => line.trim() || []);
}

/** The text of an element as one line. */
export function wordsOf(node: ParentNode): string {
  return linesOf(node).join(' ').replace(/\s+/g, ' ');
}
