import { STYLE } from '../html/inert-element.ts';

/** Word's lists, which are paragraphs: their numbers and bullets are text that Word itself says to ignore. */
const LEVEL = /mso-list:[^;]*level(\d+)/i;

/** `1.`, `a)`, `iv.`: what stands before the items of an ordered list. */
const NUMBER = /^\s*(?:\d+|[a-z]|[ivxlcdm]+)[.)]/i;

/** Makes lists of the paragraphs by which Word writes them. */
export function makeWordLists(root: Element): void {
  const open: { level: number; list: Element }[] = [];
  let previous: Element | null = null;
  for (const paragraph of [...root.querySelectorAll('p, h1, h2, h3, h4, h5, h6')]) {
    const level = Number(LEVEL.exec(paragraph.getAttribute(STYLE) ?? '')?.[1] ?? 0);
    if (level === 0) continue;
    const follows = previous !== null && previous === previousElement(paragraph);
    if (!follows) open.length = 0;
    const marker = [...paragraph.querySelectorAll(`[${STYLE}]`)].find((one) =>
      /mso-list:\s*Ignore/i.test(one.getAttribute(STYLE) ?? ''),
    );
    const tag = NUMBER.test(marker?.textContent ?? '') ? 'ol' : 'ul';
    marker?.remove();
    while (open.length > 0 && (open.at(-1)?.level ?? 0) > level) open.pop();
    let around = open.at(-1);
    if (around === undefined || around.level < level) {
      const list = root.ownerDocument.createElement(tag);
      const item = around?.list.lastElementChild;
      if (item) item.append(list);
      else paragraph.before(list);
      around = { level, list };
      open.push(around);
    }
    const item = root.ownerDocument.createElement('li');
    item.append(...paragraph.childNodes);
    around.list.append(item);
    paragraph.remove();
    previous = open[0]?.list ?? null;
  }
}

function previousElement(element: Element): Element | null {
  return element.previousElementSibling;
}
