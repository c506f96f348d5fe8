import {
  type DOMOutputSpec,
  type MarkSpec,
  type MarkType,
  type NodeSpec,
  type NodeType,
  Schema,
} from 'prosemirror-model';
import { marks } from './marks.ts';
import { nodes } from './nodes.ts';
import type { Written } from './written.ts';

/**
 * Attributes of the article that the editing surface has, too. Its ids, classes and styles are the site's,
 * and would get those of this page.
 */
const SHOWN = new Set([
  ...[
    'alt',
    'colspan',
    'contenteditable',
    'dir',
    'href',
    'lang',
    'reversed',
    'rowspan',
    'src',
    'start',
    'title',
  ],
  'type',
]);

/** Classes that the editor writes itself: pictures in a row, and cards. */
const LOOKS = ['side-by-side', 'embed-card'];

/** Of an element as it is written, what the editing surface shows. */
function shown({ name, attributes, children }: Written): DOMOutputSpec {
  const kept = Object.entries(attributes).filter(([attribute]) => SHOWN.has(attribute));
  const looks = LOOKS.filter((look) => attributes.class?.split(/\s+/).includes(look));
  if (looks.length > 0) kept.push(['class', looks.join(' ')]);
  const inside = children.map((child) => (typeof child === 'object' ? shown(child) : child));
  return [name, Object.fromEntries(kept), ...inside];
}

const shownNodes = Object.entries(nodes).map(([name, spec]): [string, NodeSpec] => {
  const { write } = spec;
  return [name, write === undefined ? spec : { ...spec, toDOM: (node) => shown(write(node)) }];
});

const shownMarks = Object.entries(marks).map(([name, spec]): [string, MarkSpec] => [
  name,
  { ...spec, toDOM: (mark) => shown(spec.write(mark)) },
]);

/** The part of the HTML that content accepts which the editor can represent. */
export const schema = new Schema({
  nodes: Object.fromEntries(shownNodes),
  marks: Object.fromEntries(shownMarks),
});

/** A type of nodes by its name. */
export function nodeType(name: string): NodeType {
  const type = schema.nodes[name];
  if (type === undefined) throw new Error(`there is no node ${name}`);
  return type;
}

/** A type of marks by its name. */
export function markType(name: string): MarkType {
  const type = schema.marks[name];
  if (type === undefined) throw new Error(`there is no mark ${name}`);
  return type;
}
