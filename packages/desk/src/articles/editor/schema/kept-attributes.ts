import type { AttributeSpec } from 'prosemirror-model';
import { STYLE } from '../html/inert-element.ts';

/** Attributes of an element that the editor does not edit, and writes as it has read them. */
export type KeptAttributes = Readonly<Record<string, string>>;

/** The attribute of nodes and marks that holds {@link KeptAttributes}. */
export const KEPT: Readonly<Record<'kept', AttributeSpec>> = { kept: { default: null } };

/** The attributes that an element's node or mark does not hold itself. */
export function keptAttributes(element: Element, edited: readonly string[] = []): KeptAttributes | null {
  const kept = [...element.attributes].filter(({ name }) => !edited.includes(name));
  return kept.length === 0
    ? null
    : Object.fromEntries(kept.map(({ name, value }) => [name === STYLE ? 'style' : name, value]));
}
