import createDOMPurify, { type Config, type DOMPurify } from 'dompurify';
import { JSDOM } from 'jsdom';
import {
  ALLOWED_URLS,
  ATTRIBUTES,
  CODE_DATA,
  EMBED_URL,
  FOREIGN_ELEMENTS,
  HTML_ELEMENTS,
  isInertAttribute,
  isUnknownElement,
  NAMELESS,
  NOT_URLS,
  UNSAFE_CSS,
} from './allowed-html.ts';
import type { CleanedHtml } from './inspection.ts';
import { overlaysIn } from './overlays.ts';

/** A start tag as the HTML standard reads it. */
export interface StartTag {
  name: string;
  /** The root of the MathML or SVG that contains it, or is it; absent in HTML. */
  foreignRoot?: 'math' | 'svg' | undefined;
  attributes: readonly { name: string; value: string }[];
}

const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';

const NAMESPACES = { math: 'http://www.w3.org/1998/Math/MathML', svg: 'http://www.w3.org/2000/svg' } as const;

const LISTED = new Set(ATTRIBUTES);

const CONFIG: Config = {
  ALLOWED_TAGS: [...HTML_ELEMENTS, ...Object.values(FOREIGN_ELEMENTS).flatMap((names) => [...names])],
  ALLOWED_ATTR: [...ATTRIBUTES],
  ADD_TAGS: isUnknownElement,
  ADD_URI_SAFE_ATTR: [...NOT_URLS],
  ALLOWED_URI_REGEXP: ALLOWED_URLS,
  // `id` is for links into the text; `name` is refused on elements where it matters.
  SANITIZE_DOM: false,
  IN_PLACE: true,
};

/**
 * Passes start tags to DOMPurify, one element each, and reports what it would remove.
 */
class Purifier {
  readonly #document: Document;
  readonly #purify: DOMPurify;

  constructor() {
    const { window } = new JSDOM('');
    this.#document = window.document;
    this.#purify = createDOMPurify(window);
    this.#purify.addHook('uponSanitizeAttribute', (element, attribute) => {
      const [tag, name] = [element.nodeName.toLowerCase(), attribute.attrName];
      if (isMisused(tag, name, attribute.attrValue)) attribute.keepAttr = false;
      else if (element.namespaceURI === HTML_NAMESPACE && doesNothing(name, attribute.attrValue))
        attribute.forceKeepAttr = true;
    });
  }

  /** Describes what is not allowed in each start tag; an allowed tag has an empty list. */
  faults(tags: readonly StartTag[]): string[][] {
    const faults = tags.map((): string[] => []);
    const shown = new Map<Element, number>();
    const root = this.#document.createElement('div');
    tags.forEach((tag, index) => {
      try {
        shown.set(this.#show(root, tag), index);
      } catch {
        // A name that a DOM cannot represent, such as an attribute called `"`.
        faults[index]?.push(`an invalid attribute name in <${tag.name}>`);
      }
    });
    this.#purify.sanitize(root, CONFIG);
    for (const removed of this.#purify.removed) {
      const [element, attribute] =
        'element' in removed ? [removed.element, undefined] : [removed.from, removed.attribute];
      const index = shown.get(element as Element);
      if (index === undefined) continue;
      const name = `<${tags[index]?.name}>`;
      faults[index]?.push(attribute ? `${attribute.name} on ${name}${schemeOf(attribute)}` : name);
    }
    return faults.map((found, index) => [...found, ...illMatched(tags[index])]);
  }

  /**
   * The HTML without what is not allowed, as far as an element and its attributes show it, with every element
   * closed; and what was removed. It is for `inspectHtml` to say whether that is enough.
   *
   * @param overlays whether `style` may lay elements over the page
   */
  clean(html: string, overlays: boolean): CleanedHtml {
    const root = this.#document.createElement('div');
    root.innerHTML = html;
    this.#purify.sanitize(root, CONFIG);
    const removed = this.#purify.removed.flatMap((one) => {
      if ('element' in one) return one.element.nodeName === '#comment' ? 'a comment' : nameOf(one.element);
      return `${one.attribute?.name} on ${nameOf(one.from)}`;
    });
    for (const element of root.querySelectorAll('*')) removed.push(...tidy(element, overlays));
    return { html: root.innerHTML, removed };
  }

  #show(root: Element, { name, foreignRoot, attributes }: StartTag): Element {
    const document = this.#document;
    const namespace = foreignRoot && NAMESPACES[foreignRoot];
    const element = namespace ? document.createElementNS(namespace, name) : document.createElement(name);
    for (const { name, value } of attributes) element.setAttribute(name, value);
    // DOMPurify keeps foreign elements only below their own root.
    const needsRoot = namespace !== undefined && name !== foreignRoot;
    const parent = needsRoot
      ? root.appendChild(document.createElementNS(namespace, foreignRoot ?? ''))
      : root;
    return parent.appendChild(element);
  }
}

let purifier: Purifier | undefined;

/** The purifier of this thread: it owns a DOM, so it is made once. */
export function sharedPurifier(): Purifier {
  purifier ??= new Purifier();
  return purifier;
}

function nameOf(node: Node): string {
  return `<${node.nodeName.toLowerCase()}>`;
}

/** List items, and the elements that they may stand in. */
const LISTS: Readonly<Record<string, string>> = {
  li: 'ul, ol, menu, dir',
  dt: 'dl, dl > div',
  dd: 'dl, dl > div',
};

/** Removes what is wrong only in a combination of attributes or elements, and returns it. */
function tidy(element: Element, overlays: boolean): string[] {
  const removed: string[] = [];
  const name = element.nodeName.toLowerCase();
  const style = element.getAttribute('style');
  if (style !== null && !overlays && overlaysIn(name, style, false).length > 0) {
    element.removeAttribute('style');
    removed.push(`style on ${nameOf(element)}`);
  }
  const faults =
    element.namespaceURI === HTML_NAMESPACE ? illMatched({ name, attributes: [...element.attributes] }) : [];
  if (faults.length > 0 && element.hasAttribute('name')) element.removeAttribute('name');
  else if (faults.length > 0) element.remove();
  const root = element.namespaceURI === NAMESPACES.math ? 'math' : 'svg';
  if (element.namespaceURI !== HTML_NAMESPACE && !FOREIGN_ELEMENTS[root]?.has(name)) {
    element.remove();
    removed.push(nameOf(element));
  }
  const lists = LISTS[name];
  if (lists !== undefined && !element.parentElement?.matches(lists)) {
    element.replaceWith(...element.childNodes);
    removed.push(nameOf(element));
  }
  return [...removed, ...faults];
}

/** Attributes that are allowed on other elements or with other values. */
function isMisused(tag: string, name: string, value: string): boolean {
  if (name === 'style') return UNSAFE_CSS.test(value);
  if (CODE_DATA.test(name)) return true;
  // Stimulus calls what follows the `#`; others only name something.
  if (name === 'data-action') return value.includes('#');
  if (name === 'name') return NAMELESS.has(tag);
  if (name === 'rel') return /(?:^|\s)opener(?:\s|$)/i.test(value);
  if (name === 'src' && tag === 'iframe') return !(EMBED_URL.test(value) && URL.canParse(value, 'https://x'));
  if (name === 'type' && tag === 'input') return value.toLowerCase() !== 'checkbox';
  // Of MathML; elsewhere it names a form of the page.
  if (name === 'form') return tag !== 'mo';
  return false;
}

/** Code as a URL, however it is written: it does nothing here, but might where a script copies it. */
const SCRIPT_URL = /^(?:javascript|vbscript):/i;

/** Attributes whose URLs only ever load an image. */
const IMAGES: ReadonlySet<string> = new Set(['poster', 'srcset']);

/** Whether a browser does nothing with an attribute, or nothing but show the image that it contains. */
function doesNothing(name: string, value: string): boolean {
  if (IMAGES.has(name)) return /^data:image\//i.test(value.trim());
  return !LISTED.has(name) && isInertAttribute(name) && !SCRIPT_URL.test(compact(value));
}

/** A URL as browsers read it: without control characters and white space. */
function compact(value: string): string {
  return value.replaceAll(/[\p{Cc}\s]/gu, '');
}

/** Names the scheme of a URL that was refused: it is usually the reason. */
function schemeOf({ name, value }: Attr): string {
  if (!LISTED.has(name) || NOT_URLS.includes(name)) return '';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(compact(value))?.[1];
  return scheme === undefined ? '' : ` with the scheme ${scheme.toLowerCase()}:`;
}

/** Faults of an element's attributes taken together: one is missing, or two conflict. */
function illMatched(tag: StartTag | undefined): string[] {
  const value = (name: string) => tag?.attributes.find((attribute) => attribute.name === name)?.value;
  const has = (name: string) => value(name) !== undefined;
  // DOMPurify has one list for all; `title` is another element in SVG.
  if (tag?.foreignRoot === undefined && tag?.name === 'title') return ['<title>'];
  if (tag?.name === 'input' && !has('type')) return ['<input> other than a checkbox'];
  const [id, name] = [value('id'), value('name')];
  // `window.ID.NAME`, to a script of the page, would be what the article says.
  const clobbers = id !== undefined && name !== undefined && id !== name;
  if (clobbers && !NAMELESS.has(tag?.name ?? '')) return [`name on <${tag?.name}>`];
  return [];
}
