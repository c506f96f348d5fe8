import type { Config, DOMPurify } from 'dompurify';
import createDOMPurify from 'dompurify';
import { htmlElementAttributes } from 'html-element-attributes';
import { htmlTagNames } from 'html-tag-names';
import { JSDOM } from 'jsdom';
import type { CleanedHtml } from './inspection.ts';

/**
 * The HTML that an article may contain (`docs/spec/wire.md`, "Content"): a list of what publishers use, which
 * `docs/content.md` shows them, and what no browser knows. Nothing in it runs code, embeds a document that
 * the article supplies, sends a form, or is parsed differently by two parsers, which is why `noscript`,
 * `template`, `style`, `title`, `textarea` and `select` are not on the list.
 */
export const HTML_ELEMENTS: readonly string[] = [
  // Sections and text.
  ...['address', 'article', 'aside', 'blockquote', 'center', 'dd', 'details', 'div', 'dl', 'dt', 'footer'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hgroup', 'hr', 'li', 'main', 'nav', 'ol', 'p', 'pre'],
  ...['section', 'summary', 'ul', 'a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'br', 'cite', 'code'],
  ...['data', 'del', 'dfn', 'em', 'font', 'i', 'ins', 'kbd', 'mark', 'meter', 'nobr', 'progress', 'q', 'rb'],
  ...[
    'rp',
    'rt',
    'rtc',
    'ruby',
    's',
    'samp',
    'small',
    'span',
    'strike',
    'strong',
    'sub',
    'sup',
    'time',
    'tt',
  ],
  ...['u', 'var', 'wbr', 'dir', 'menu', 'search'],
  // Parts of forms, which do nothing without one; a checkbox is for task lists.
  ...['button', 'fieldset', 'input', 'label', 'legend', 'output'],
  // Figures, media, embeds.
  ...['area', 'audio', 'figcaption', 'figure', 'iframe', 'img', 'map', 'picture', 'source', 'track', 'video'],
  // Tables.
  ...['caption', 'col', 'colgroup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr'],
  // Microdata, and what MathJax writes.
  ...['meta', 'mjx-assistive-mml', 'mjx-container'],
];

/** MathML elements that contain only text, so that HTML is never nested in them. */
const MATHML_TEXT = ['annotation', 'mi', 'mn', 'mo', 'ms', 'mtext'];

/** SVG elements that contain only text. */
const SVG_TEXT = ['desc', 'text', 'title', 'tspan'];

export const FOREIGN_ELEMENTS: Readonly<Record<string, ReadonlySet<string>>> = {
  math: new Set([
    ...['math', 'maction', 'menclose', 'merror', 'mfenced', 'mfrac', 'mmultiscripts', 'mover', 'mpadded'],
    ...['mphantom', 'mprescripts', 'mroot', 'mrow', 'mspace', 'msqrt', 'mstyle', 'msub', 'msubsup', 'msup'],
    ...['mtable', 'mtd', 'mtr', 'munder', 'munderover', 'none', 'semantics', ...MATHML_TEXT],
  ]),
  svg: new Set([
    ...['svg', 'circle', 'clippath', 'defs', 'ellipse', 'g', 'line', 'lineargradient', 'path', 'polygon'],
    ...['polyline', 'radialgradient', 'rect', 'stop', 'symbol', ...SVG_TEXT],
  ]),
};

/** MathML and SVG elements that contain only text. */
export const TEXT_ONLY: ReadonlySet<string> = new Set([...MATHML_TEXT, ...SVG_TEXT]);

/** Attributes of any element, in addition to `data-*` and `aria-*`. */
export const ATTRIBUTES: readonly string[] = [
  // For every element, microdata and RDFa included.
  ...['accesskey', 'class', 'dir', 'hidden', 'id', 'itemid', 'itemprop', 'itemref', 'itemscope', 'itemtype'],
  ...[
    'lang',
    'xml:lang',
    'role',
    'spellcheck',
    'contenteditable',
    'draggable',
    'autocapitalize',
    'autocorrect',
    'enterkeyhint',
    'inputmode',
    'inert',
    'style',
    'tabindex',
    'title',
    'translate',
    'content',
  ],
  ...['property', 'typeof', 'vocab', 'resource', 'about', 'datatype', 'prefix'],
  // Links and text.
  ...['href', 'hreflang', 'rel', 'rev', 'target', 'download', 'referrerpolicy', 'type', 'name', 'cite'],
  ...['datetime', 'value', 'start', 'reversed', 'compact', 'open', 'max', 'min', 'low', 'high', 'optimum'],
  ...['align', 'clear', 'color', 'face', 'size', 'noshade'],
  // Figures, media, embeds.
  ...['src', 'srcset', 'sizes', 'media', 'alt', 'width', 'height', 'loading', 'decoding', 'fetchpriority'],
  ...[
    'usemap',
    'ismap',
    'shape',
    'coords',
    'nohref',
    'crossorigin',
    'border',
    'hspace',
    'vspace',
    'longdesc',
    'controls',
    'controlslist',
    'autoplay',
    'loop',
  ],
  ...['muted', 'playsinline', 'webkit-playsinline', 'preload', 'poster', 'kind', 'srclang', 'label'],
  ...['default', 'allow', 'allowfullscreen', 'webkitallowfullscreen', 'mozallowfullscreen'],
  ...['allowtransparency', 'frameborder', 'framespacing', 'gesture', 'marginheight', 'marginwidth'],
  ...['scrolling', 'sandbox', 'checked', 'disabled', 'credentialless'],
  // Tables.
  ...['abbr', 'axis', 'bgcolor', 'cellpadding', 'cellspacing', 'char', 'charoff', 'colspan', 'frame'],
  ...['headers', 'nowrap', 'rowspan', 'rules', 'scope', 'span', 'summary', 'valign'],
  // MathML, and what MathJax adds.
  ...[
    'accent',
    'accentunder',
    'columnalign',
    'columnlines',
    'columnspacing',
    'columnspan',
    'depth',
    'display',
  ],
  ...['displaystyle', 'encoding', 'equalcolumns', 'equalrows', 'fence', 'form', 'linethickness', 'lquote'],
  ...['lspace', 'mathbackground', 'mathcolor', 'mathsize', 'mathvariant', 'maxsize', 'minsize'],
  ...['movablelimits', 'notation', 'rowalign', 'rowlines', 'rowspacing', 'rquote', 'rspace', 'scriptlevel'],
  ...['separator', 'separators', 'stretchy', 'symmetric', 'voffset', 'xmlns', 'ctxtmenu_counter', 'jax'],
  ...['unselectable'],
  // SVG.
  ...['clip-path', 'clip-rule', 'clippathunits', 'cx', 'cy', 'd', 'dx', 'dy', 'fill', 'fill-opacity'],
  ...['fill-rule', 'focusable', 'font-family', 'font-size', 'font-weight', 'fx', 'fy', 'gradienttransform'],
  ...['gradientunits', 'offset', 'opacity', 'points', 'preserveaspectratio', 'r', 'rx', 'ry', 'stop-color'],
  ...['stop-opacity', 'stroke', 'stroke-dasharray', 'stroke-dashoffset', 'stroke-linecap', 'stroke-linejoin'],
  ...['stroke-miterlimit', 'stroke-opacity', 'stroke-width', 'text-anchor', 'transform', 'version'],
  ...['viewbox', 'x', 'x1', 'x2', 'y', 'y1', 'y2', 'xmlns:xlink', 'xml:space', 'vector-effect'],
  // Left behind by editors and lazy loaders; browsers ignore them.
  ...['rel:bf_image_src', 'rel:buzz_num', 'x-inset'],
];

/** Attributes among these whose values look like URLs but are not. */
const NOT_URLS: readonly string[] = [
  ...[
    'about',
    'allow',
    'content',
    'datatype',
    'datetime',
    'itemid',
    'itemprop',
    'itemref',
    'itemtype',
    'media',
  ],
  ...[
    'prefix',
    'property',
    'resource',
    'sizes',

    'typeof',
    'vocab',
    'xmlns:xlink',
    'ctxtmenu_counter',
    'jax',
  ],
];

/** URLs that are allowed anywhere: with these schemes, or relative. */
const ALLOWED_URLS = /^(?:(?:https?|mailto|tel|sms):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;

/** Elements whose `name` could shadow a variable of the page's scripts, or has a further meaning. */
const NAMELESS: ReadonlySet<string> = new Set([
  ...['button', 'fieldset', 'iframe', 'img', 'input', 'meta', 'output'],
]);

/** The address of an embed: on another host, with TLS unless the page itself has none. */
const EMBED_URL = /^(?:https:)?\/\/[^/\\]/i;

/** CSS that loads or runs something, in past or present browsers; escapes could hide it. */
const UNSAFE_CSS = /[\\<]|\/\*|expression\s*\(|javascript:|vbscript:|behavior\s*:|-moz-binding|@import/i;

/** Attributes that browsers know beyond the lists of the package: old, new and experimental ones. */
const ALSO_KNOWN_ATTRIBUTES = [
  ...['attributionsrc', 'bgproperties', 'browsingtopics', 'contextmenu', 'csp', 'disablepictureinpicture'],
  ...[
    'disableremoteplayback',
    'dynsrc',
    'elementtiming',
    'focusgroup',
    'focusgroupstart',
    'incremental',
    'interestfor',
    'lowsrc',
  ],
  ...['privatetoken', 'sharedstoragewritable', 'virtualkeyboardpolicy', 'webkitdirectory'],
];

const KNOWN_ATTRIBUTES = new Set([...Object.values(htmlElementAttributes).flat(), ...ALSO_KNOWN_ATTRIBUTES]);

const ALSO_KNOWN_ELEMENTS = [
  'fencedframe',
  'geolocation',
  'permission',
  'portal',
  'selectedcontent',
  'selectlist',
];

const FOREIGN_NAMES = Object.values(FOREIGN_ELEMENTS).flatMap((names) => [...names]);

const KNOWN_ELEMENTS = new Set([...htmlTagNames, ...ALSO_KNOWN_ELEMENTS, ...FOREIGN_NAMES]);

/** Names with a prefix of XML, as Word writes them. */
const WORD = /^(?:xmlns|[movwx]|st\d):[a-z][\w-]*$/;

/**
 * Attributes that script libraries take for code: of AngularJS, Alpine, Vue, htmx, Unpoly, Mavo, Dojo,
 * hyperscript and others. An article must not write code for a page that loads one.
 */
const CODE_ATTRIBUTE = /^(?:on|ng|js|x-|v-|hx-|up-|mv-|dojo|script$)/;

/**
 * Attributes with `data-` that script libraries take for code or for actions: htmx, AngularJS, Unpoly, Dojo,
 * Knockout, Turbo, Stimulus, Rails and others.
 */
const CODE_DATA =
  /^data-(?:(?:ajax|bind|dojo|hx|mv|ng|on|request|rv|turbo|up|win)-|(?:ajax|bind|confirm|controller|jsaction|method|reflex|remote|request|script|turbo)$)/;

/** True if no browser, and no script library that we know, does anything with an attribute of HTML. */
export function isInertAttribute(name: string): boolean {
  if (WORD.test(name)) return true;
  return /^_?[a-z][\w-]*$/.test(name) && !KNOWN_ATTRIBUTES.has(name) && !CODE_ATTRIBUTE.test(name);
}

/**
 * True if no browser knows an element of HTML: it is shown like a `span`. False for those with a hyphen,
 * which scripts of the page may define.
 */
function isUnknownElement(name: string): boolean {
  return WORD.test(name) || (/^[a-z][a-z0-9_]*$/.test(name) && !KNOWN_ELEMENTS.has(name));
}

/** A declaration of a `style` attribute: its property and its value, in lower case. */
interface Declaration {
  property: string;
  value: string;
}

/**
 * The declarations of a `style` without escapes and comments, which are refused elsewhere. Text in a string
 * or in braces counts as a declaration too, so that nothing a browser obeys is missed.
 */
function declarationsOf(style: string): Declaration[] {
  return style
    .toLowerCase()
    .split(/[;{}]/)
    .filter((text) => text.includes(':'))
    .map((text) => {
      const colon = text.indexOf(':');
      const property = text
        .slice(0, colon)
        .trim()
        .replace(/^-[a-z]+-/, '');
      const value = text
        .slice(colon + 1)
        .replace(/!\s*important\s*$/, '')
        .trim();
      return { property, value };
    });
}

/** Values of `position` that keep an element in its place, and those that need another one around it. */
const IN_PLACE = /^(?:static|relative|initial|unset|revert)$/;

const OFFSET = /^(?:top|right|bottom|left|inset(?:-.+)?)$/;

/** Parts of a value that add nothing to where an element is, or to its size. */
const NOTHING = /^(?:auto|none|[+-]?0+(?:\.0+)?(?:[a-z]+|%)?)$/;

/** Properties that place an absolute element in the one around it, on each axis: together 100 % at most. */
const AXES = [/^(?:top|bottom|inset|(?:min-)?height)$/, /^(?:left|right|inset|(?:min-)?width)$/];

/** Other properties that place or enlarge an absolute element. */
const OUTGROWING =
  /^(?:inset-.+|(?:margin|padding)(?:-.+)?|border(?:-(?:top|right|bottom|left|block|inline)(?:-start|-end)?)?(?:-width)?|(?:min-)?(?:(?:inline|block)-size|logical-(?:width|height))|aspect-ratio|(?:align|justify|place)-self)$/;

/** Functions of `transform` that leave an element where it is. */
const STILL =
  /^(?:none|initial|(?:(?:(?:rotate|translate)(?:[xyz]|3d)?\((?:0(?:\.0+)?[a-z%]*(?:[,\s]+|(?=\))))+\)|scale[xyz]?\((?:1[,\s]*)+\))\s*)+)$/;

/** Properties that move or enlarge an element, or paint beyond it, without the rest of the page. */
const MOVING =
  /^(?:all|translate|scale|rotate|offset(?:-.+)?|position-.+|inset-area|transform-.+|perspective(?:-.+)?|border-image(?:-outset)?|box-reflect)$/;

/** Properties that paint beyond an element, as far as their lengths say. */
const PAINTING =
  /^(?:box-shadow|outline(?:-width|-offset)?|text-(?:shadow|stroke(?:-width)?|decoration(?:-thickness)?|underline-offset))$/;

/** Lengths that reach too short to cover anything, whatever the size of the font. */
const SHORT = /^[+-]?(?:100|\d{0,2}(?:\.\d+)?)(?:px|pt)?$/;
const SHORT_IN_TEXT = /^[+-]?0?\.\d+r?em$/;
const SHORT_SIDEWAYS = /^-\d?(?:\.\d+)?(?:r?em|ch|ex|%)$/;

/** Widens an element to the window, and no further. */
const FULL_WIDTH = /calc\((?:50% - 50vw|-50vw \+ 50%)\)/g;

/** Elements that clip what they show unless a style says otherwise. */
const CLIPPING = /^(?:iframe|img|svg|video)$/;

/** Elements that contain only table parts: a parser moves others out of them. */
const TABLE = /^(?:table|tbody|thead|tfoot|tr|colgroup)$/;

/**
 * Lists the parts of the `style` of an element called `name` that can lay it over the page around the
 * article.
 *
 * @param anchored whether an element around it holds what is positioned in it
 */
export function overlaysIn(name: string, style: string, anchored: boolean): string[] {
  const declarations = declarationsOf(style);
  const positions = declarations.filter(({ property }) => property === 'position');
  const isAbsolute = positions.some(({ value }) => value === 'absolute');
  const axes = AXES.map((axis) => declarations.filter(({ property }) => axis.test(property)));
  // Without an offset it stays where it would be.
  const isHeld =
    anchored ||
    declarations.every(
      ({ property, value }) =>
        value === 'auto' || ![OFFSET, ...AXES].some((placing) => placing.test(property)),
    );
  const outgrowing = new Set(isAbsolute ? axes.filter((placed) => !fits(placed)).flat() : []);
  const overlays = declarations.filter((declaration) => {
    const { property, value } = declaration;
    if (isAbsolute && (outgrowing.has(declaration) || OUTGROWING.test(property)))
      return outgrowing.has(declaration) || !isNothing(value);
    if (property === 'position') return !(IN_PLACE.test(value) || (value === 'absolute' && isHeld));
    if (property === 'z-index') return !/^(?:auto|0|initial|unset)$/.test(value);
    if (property === 'transform') return !STILL.test(value);
    if (property === 'zoom') return !/^(?:1|100%|normal)$/.test(value);
    // Lines that run down the page make what is allowed sideways go upwards.
    if (property === 'writing-mode') return !/^(?:horizontal-tb|lr-tb|initial|unset)$/.test(value);
    if (property === 'filter') return /drop-shadow|blur|url|var/.test(value);
    if (/^overflow(?:-.+)?$/.test(property)) return CLIPPING.test(name) && /visible|var/.test(value);
    if (MOVING.test(property)) return value !== 'none' && value !== 'auto';
    if (PAINTING.test(property)) return !isShort(property, value);
    if (OFFSET.test(property))
      return positions.some(({ value }) => value !== 'absolute') && !isNothing(value);
    return drawsOver(property, value);
  });
  return overlays.map(({ property, value }) => `${property}: ${value.slice(0, 40)}`);
}

/** True if an element called `name` with this `style` holds what is positioned in it. */
export function isAnchor(name: string, style: string): boolean {
  // Browsers ignore declarations in a string or a block.
  if (TABLE.test(name) || /["'{}()[\]]/.test(style.replaceAll(/\([^();"']*\)/g, ''))) return false;
  const declarations = declarationsOf(style);
  const positions = declarations.filter(({ property }) => property === 'position');
  const hasBox = declarations.every(
    ({ property, value }) =>
      property !== 'display' || /^(?:(?:inline-)?(?:block|flex|grid|table)|flow-root)$/.test(value),
  );
  return (
    hasBox &&
    positions.length > 0 &&
    positions.every(({ value }) => value === 'relative' || value === 'absolute')
  );
}

/** True if offsets and sizes on one axis are percentages of what is around, all of it at most. */
function fits(placed: readonly Declaration[]): boolean {
  const shares = placed.flatMap(({ value }) => value.split(/\s+/)).filter((part) => !NOTHING.test(part));
  const sum = shares.reduce((all, part) => all + Number.parseFloat(part), 0);
  return sum <= 100 && shares.every((part) => /^\+?(?:\d+|\d*\.\d+)%$/.test(part));
}

function isNothing(value: string): boolean {
  return value.split(/\s+/).every((part) => NOTHING.test(part));
}

function isShort(property: string, value: string): boolean {
  const parts = value.replaceAll(/(?:rgb|hsl)a?\([^()]*\)|#[\da-f]+/g, ' ').split(/[\s,]+/);
  const allowed = (part: string) =>
    SHORT.test(part) || (property.startsWith('text-') && SHORT_IN_TEXT.test(part));
  return parts.every((part) => allowed(part) || /^[a-z-]*$/.test(part));
}

/** True if a margin draws an element, or what follows it, over what comes before or stands beside it. */
function drawsOver(property: string, value: string): boolean {
  const margin = /^margin(?:-(.+))?$/.exec(property);
  if (margin === null) return false;
  const isSideways = /^(?:left|right|start|end|inline)/.test(margin[1] ?? '');
  // The results of functions are unknown; their arguments are not parts of a shorthand.
  const parts = value
    .replaceAll(FULL_WIDTH, 'full-width()')
    .replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, '()')
    .split(/\s+/);
  return parts.some((part, index) => {
    const goesUp = part.includes('(') || /^-\s*(?:0*\.)?0*[1-9]/.test(part);
    if (!goesUp || !(isSideways || (property === 'margin' && index % 2 === 1))) return goesUp;
    return !(part === 'full-width()' || SHORT.test(part) || SHORT_SIDEWAYS.test(part));
  });
}

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

/** Passes start tags to DOMPurify, one element each, and reports what it would remove. */
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
    // Removals before it looks at attributes one by one, such as `patchsrc`, are not reported.
    for (const [element, index] of shown) {
      if (faults[index]?.length !== 0) continue;
      const gone = tags[index]?.attributes.find(({ name }) => !element.hasAttribute(name));
      if (gone !== undefined) faults[index]?.push(`${gone.name} on <${tags[index]?.name}>`);
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
  // In MathML it is harmless; elsewhere it names a form of the page.
  if (name === 'form') return tag !== 'mo';
  return false;
}

/** Code as a URL, however it is written: it does nothing here, but might where a script copies it. */
const SCRIPT_URL = /^(?:javascript|vbscript):/i;

/** Attributes whose URLs only ever load an image. */
const IMAGES: ReadonlySet<string> = new Set(['poster', 'srcset']);

/** True if a browser does nothing with an attribute, or nothing but show the image that it contains. */
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
