import createDOMPurify, { type Config, type DOMPurify } from 'dompurify';
import { JSDOM } from 'jsdom';
import {
  ALLOWED_URLS,
  ATTRIBUTES,
  EMBED_URL,
  FOREIGN_ELEMENTS,
  HTML_ELEMENTS,
  NAMELESS,
  NOT_URLS,
  UNSAFE_CSS,
} from './allowed-html.ts';

/** A start tag as the HTML standard reads it. */
export interface StartTag {
  name: string;
  /** The root of the MathML or SVG that contains it, or is it; absent in HTML. */
  foreignRoot?: 'math' | 'svg' | undefined;
  attributes: readonly { name: string; value: string }[];
}

const NAMESPACES = { math: 'http://www.w3.org/1998/Math/MathML', svg: 'http://www.w3.org/2000/svg' } as const;

const CONFIG: Config = {
  ALLOWED_TAGS: [...HTML_ELEMENTS, ...Object.values(FOREIGN_ELEMENTS).flatMap((names) => [...names])],
  ALLOWED_ATTR: [...ATTRIBUTES],
  ADD_URI_SAFE_ATTR: [...NOT_URLS],
  ALLOWED_URI_REGEXP: ALLOWED_URLS,
  // `id` is for links into the text; `name` is refused on elements where it matters.
  SANITIZE_DOM: false,
  IN_PLACE: true,
};

/**
 * Passes start tags to DOMPurify, one element each, and reports what it would remove. Owns a DOM, so it is
 * made once.
 */
export class Purifier {
  readonly #document: Document;
  readonly #purify: DOMPurify;

  constructor() {
    const { window } = new JSDOM('');
    this.#document = window.document;
    this.#purify = createDOMPurify(window);
    this.#purify.addHook('uponSanitizeAttribute', (element, attribute) => {
      const tag = element.nodeName.toLowerCase();
      if (isMisused(tag, attribute.attrName, attribute.attrValue)) attribute.keepAttr = false;
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
      const [element, what] =
        'element' in removed ? [removed.element, ''] : [removed.from, `${removed.attribute?.name} on `];
      const index = shown.get(element as Element);
      if (index !== undefined) faults[index]?.push(`${what}<${tags[index]?.name}>`);
    }
    return faults.map((found, index) => [...found, ...illMatched(tags[index])]);
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

/** Attributes that are allowed on other elements or with other values. */
function isMisused(tag: string, name: string, value: string): boolean {
  if (name === 'style') return UNSAFE_CSS.test(value);
  if (name === 'name') return NAMELESS.has(tag);
  if (name === 'rel') return /(?:^|\s)opener(?:\s|$)/i.test(value);
  if (name === 'src' && tag === 'iframe') return !(EMBED_URL.test(value) && URL.canParse(value, 'https://x'));
  if (name === 'type' && tag === 'input') return value.toLowerCase() !== 'checkbox';
  return false;
}

/** Faults of an element's attributes taken together: one is missing, or two conflict. */
function illMatched(tag: StartTag | undefined): string[] {
  const value = (name: string) => tag?.attributes.find((attribute) => attribute.name === name)?.value;
  const has = (name: string) => value(name) !== undefined;
  if (tag?.name === 'input' && !(has('type') && has('disabled')))
    return ['<input> other than a disabled checkbox'];
  const [id, name] = [value('id'), value('name')];
  // `window.ID.NAME`, to a script of the page, would be what the article says.
  const clobbers = id !== undefined && name !== undefined && id !== name;
  if (clobbers && !NAMELESS.has(tag?.name ?? '')) return [`name on <${tag?.name}>`];
  if (tag?.name === 'meta' && !(has('itemprop') || has('property'))) return ['<meta> without itemprop'];
  return [];
}
