/**
 * The HTML that an article may contain (`docs/spec/wire.md`, "Content"): a list of what publishers use, which
 * `docs/content.md` shows them. Nothing on it runs code, embeds a document that the article supplies, or is
 * parsed differently by two parsers, which is why `noscript`, `template`, `style`, `title`, `textarea` and
 * `select` are not on it.
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
  ...['u', 'var', 'wbr'],
  // Figures, media, embeds; a checkbox is for task lists.
  ...['audio', 'figcaption', 'figure', 'iframe', 'img', 'input', 'picture', 'source', 'track', 'video'],
  // Tables.
  ...['caption', 'col', 'colgroup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr'],
  // Microdata, and what MathJax writes.
  ...['meta', 'mjx-assistive-mml', 'mjx-container'],
];

/** MathML elements that contain only text, so that HTML is never nested in them. */
const MATHML_TEXT = ['annotation', 'mi', 'mn', 'mo', 'ms', 'mtext'];

/** SVG elements that contain only text. */
const SVG_TEXT = ['text', 'tspan'];

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
  ...['lang', 'xml:lang', 'role', 'spellcheck', 'style', 'tabindex', 'title', 'translate', 'content'],
  ...['property', 'typeof', 'vocab', 'resource', 'about', 'datatype', 'prefix'],
  // Links and text.
  ...['href', 'hreflang', 'rel', 'rev', 'target', 'download', 'referrerpolicy', 'type', 'name', 'cite'],
  ...['datetime', 'value', 'start', 'reversed', 'compact', 'open', 'max', 'min', 'low', 'high', 'optimum'],
  ...['align', 'clear', 'color', 'face', 'size', 'noshade'],
  // Figures, media, embeds.
  ...['src', 'srcset', 'sizes', 'media', 'alt', 'width', 'height', 'loading', 'decoding', 'fetchpriority'],
  ...[
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
  ...['stop-opacity', 'stroke', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin'],
  ...['stroke-miterlimit', 'stroke-opacity', 'stroke-width', 'text-anchor', 'transform', 'version'],
  ...['viewbox', 'x', 'x1', 'x2', 'y', 'y1', 'y2', 'xmlns:xlink', 'xml:space', 'vector-effect'],
  // Left behind by editors and lazy loaders; browsers ignore them.
  ...[
    'bosszone',
    'datasrc',
    'imageanchor',
    'oldsrc',
    'rel:bf_image_src',
    'rel:buzz_num',
    'reltitle',
    'section',
  ],
  ...['trbidi', 'x-inset'],
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
  ...['prefix', 'property', 'resource', 'sizes', 'typeof', 'vocab', 'xmlns:xlink', 'ctxtmenu_counter', 'jax'],
];

/** URLs that are allowed anywhere: with these schemes, or relative. */
export const ALLOWED_URLS = /^(?:(?:https?|mailto|tel|sms):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;

/** Elements whose `name` could shadow a variable of the page's scripts, or has a further meaning. */
export const NAMELESS: ReadonlySet<string> = new Set(['iframe', 'img', 'input', 'meta']);

/** The address of an embed: on another host, with TLS unless the page itself has none. */
export const EMBED_URL = /^(?:https:)?\/\/[^/\\]/i;

/** CSS that loads or runs something, in past or present browsers; escapes could hide it. */
export const UNSAFE_CSS =
  /[\\<]|\/\*|expression\s*\(|javascript:|vbscript:|behavior\s*:|-moz-binding|@import/i;
