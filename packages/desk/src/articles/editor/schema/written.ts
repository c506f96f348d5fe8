import type { Mark, MarkSpec, Node, NodeSpec } from 'prosemirror-model';

/** An element as it is written; in its children, 0 stands for the content of the node or mark. */
export interface Written {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Written | string | 0)[];
}

/** A kind of nodes, with what it is in HTML. */
export type WrittenNode = NodeSpec & { readonly write?: (node: Node) => Written };

/** A kind of marks, with what it is in HTML. */
export type WrittenMark = MarkSpec & { readonly write: (mark: Mark) => Written };

export function element(
  name: string,
  attributes: Readonly<Record<string, string>> | null,
  ...children: Written['children']
): Written {
  return { name, attributes: attributes ?? {}, children };
}
