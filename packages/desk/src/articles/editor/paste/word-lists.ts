import { STYLE } from '../html/inert-element.ts';

/** Word's lists, which are paragraphs: their numbers and bullets are text that Word itself says to ignore. */
const LEVEL = /mso-list:[^;]*level(\d+)/i;

/** `1.`, `a)`, `(iv)`, `二、`: what stands before the items of an ordered list. */
const NUMBER = /^\s*[(（]?(?:(\d+)|[a-z]|[ivxlcdm]+|[一二三四五六七八九十]+)[.)）、．]/i;

/** The numbering that an item belongs to; another one begins anew. */
const NUMBERING = /mso-list:[^;]*(lfo\d+)/i;

/** Makes lists of the paragraphs by which Word writes them. */
export function makeWordLists(root: Element): void {
  const open: { level: number; list: Element; numbering: string }[] = [];
  let previous: Element | null = null;
  for (const paragraph of [...root.querySelectorAll('p, h1, h2, h3, h4, h5, h6')]) {
    const style = paragraph.getAttribute(STYLE) ?? '';
    const level = Number(LEVEL.exec(style)?.[1] ?? 0);
    if (level === 0) continue;
    const follows = previous !== null && previous === previousElement(paragraph);
    if (!follows) open.length = 0;
    const marker = [...paragraph.querySelectorAll(`[${STYLE}]`)].find((one) =>
      /mso-list:\s*Ignore/i.test(one.getAttribute(STYLE) ?? ''),
    );
    const number = NUMBER.exec(marker?.textContent ?? '');
    const tag = number === null ? 'ul' : 'ol';
    // Bullets go on whatever numbering Word gives them.
    const numbering = number === null ? 'ul' : (NUMBERING.exec(style)?.[1] ?? 'ol');
    marker?.remove();
    while (open.length > 0 && (open.at(-1)?.level ?? 0) > level) open.pop();
    const before = open.at(-1);
    const isOther = before?.level === level && before.numbering !== numbering;
    if (isOther) open.pop();
    let around = open.at(-1);
    if (around === undefined || around.level < level) {
      const list = root.ownerDocument.createElement(tag);
      if (number?.[1] !== undefined && number[1] !== '1') list.setAttribute('start', number[1]);
      const item = around?.list.lastElementChild;
      if (item) item.append(list);
      else paragraph.before(list);
      around = { level, list, numbering };
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
