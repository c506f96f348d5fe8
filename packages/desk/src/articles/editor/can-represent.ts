import { inertElement, STYLE } from './html/inert-element.ts';
import { normalForm } from './html/normal-form.ts';
import { readHtml } from './html/read-html.ts';
import { writeHtml } from './html/write-html.ts';

/**
 * Content judges these styles by the elements around, so they may not be moved (`docs/content.md`, "HTML").
 */
const PLACED = /position/i;

/** An item of a list that a browser finds outside of one; content refuses it where it is written so. */
const LONE_ITEM = ':is(li, dt, dd):not(:is(ul, ol, menu, dir, dl) *)';

/**
 * True if the editor writes an article as readers have seen it, apart from what {@link normalForm} leaves
 * out. The source view is for others.
 */
export function canRepresent(html: string, document: Document = globalThis.document): boolean {
  const before = inertElement(html, document);
  const styled = [...before.querySelectorAll(`[${STYLE}]`)];
  const isPlaced = styled.some((one) => PLACED.test(one.getAttribute(STYLE) ?? ''));
  if (isPlaced || before.querySelector(LONE_ITEM) !== null) return false;
  const after = inertElement(writeHtml(readHtml(html, document)), document);
  const [expected, written] = [normalForm(before), normalForm(after)];
  return expected.length === written.length && expected.every((token, index) => token === written[index]);
}
