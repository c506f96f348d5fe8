import type { DefaultTreeAdapterTypes } from 'parse5';

/** A node of a parsed document. */
export type HtmlNode = DefaultTreeAdapterTypes.Node;

/** An element of a parsed document. */
export type HtmlElement = DefaultTreeAdapterTypes.Element;

/**
 * The nodes below `root` in document order, the contents of templates included. It keeps its own stack, so
 * that no depth of nesting can overflow the engine's.
 */
export function* descendants(root: HtmlNode): Generator<HtmlNode> {
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node !== root) yield node;
    if ('content' in node) waiting.push(node.content);
    if ('childNodes' in node) waiting.push(...node.childNodes.toReversed());
  }
}

/** Whether a node is an element. */
export function isElement(node: HtmlNode): node is HtmlElement {
  return 'attrs' in node;
}
