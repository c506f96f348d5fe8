import { htmlElementAttributes } from 'html-element-attributes';
import { htmlTagNames } from 'html-tag-names';

/**
 * The HTML that an article may contain (`docs/spec/wire.md`, "Content"): a list of what publishers use, which
 * `docs/content.md` shows them, and what no browser knows. Nothing in it runs code, embeds a document that
 * the article supplies, sends a form, or is parsed differently by two parsers, which is why `noscript`,
 * `template`, `style`, `title`, `textarea` and `select` are not on the list.
 */

/** HTML elements. */
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
  // What belongs to forms, and does nothing without one; a checkbox is for task lists.
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

/** MathML and SVG elements, by root. */
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
export const NOT_URLS: readonly string[] = [
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
export const ALLOWED_URLS = /^(?:(?:https?|mailto|tel|sms):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;

/** Elements whose `name` could shadow a variable of the page's scripts, or has a further meaning. */
export const NAMELESS: ReadonlySet<string> = new Set([
  ...['button', 'fieldset', 'iframe', 'img', 'input', 'meta', 'output'],
]);

/** The address of an embed: on another host, with TLS unless the page itself has none. */
export const EMBED_URL = /^(?:https:)?\/\/[^/\\]/i;

/** CSS that loads or runs something, in past or present browsers; escapes could hide it. */
export const UNSAFE_CSS =
  /[\\<]|\/\*|expression\s*\(|javascript:|vbscript:|behavior\s*:|-moz-binding|@import/i;

/** What browsers know beyond the lists of the package: old, new and experimental ones. */
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
export const CODE_DATA =
  /^data-(?:(?:ajax|bind|dojo|hx|mv|ng|on|request|rv|turbo|up|win)-|(?:ajax|bind|confirm|controller|jsaction|method|reflex|remote|request|script|turbo)$)/;

/** Whether no browser, and no script library that we know, does anything with an attribute of HTML. */
export function isInertAttribute(name: string): boolean {
  if (WORD.test(name)) return true;
  return /^_?[a-z][\w-]*$/.test(name) && !KNOWN_ATTRIBUTES.has(name) && !CODE_ATTRIBUTE.test(name);
}

/**
 * Whether an element of HTML is one that no browser knows: it is shown like a `span`. Not those with a
 * hyphen, which scripts of the page may define.
 */
export function isUnknownElement(name: string): boolean {
  return WORD.test(name) || (/^[a-z][a-z0-9_]*$/.test(name) && !KNOWN_ELEMENTS.has(name));
}
