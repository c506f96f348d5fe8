import { DOMParser as ModelParser, type Node } from 'prosemirror-model';
import { schema } from '../schema/schema.ts';
import { inertElement } from './inert-element.ts';

const parser = ModelParser.fromSchema(schema);

/** An article from its HTML. */
export function readHtml(html: string, document: Document = globalThis.document): Node {
  return parser.parse(inertElement(html, document));
}
