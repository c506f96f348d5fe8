/**
 * What an article may hold (`docs/spec/wire.md`, "Content"): the list is of what publishers use, and `docs/content.md`
 * shows it to them. Nothing on it runs code, loads a document of the article's own, or is read differently by two
 * parsers; that last is why `noscript`, `template`, `style`, `title`, `textarea` and `select` are not on it.
 */

/** Elements of HTML. */
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
  // Figures, media, embeds; a check box stands in lists of tasks.
  ...['audio', 'figcaption', 'figure', 'iframe', 'img', 'input', 'picture', 'source', 'track', 'video'],
  // Tables.
  ...['caption', 'col', 'colgroup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr'],
  // Microdata, and what MathJax writes.
  ...['meta', 'mjx-assistive-mml', 'mjx-container'],
];

/** Elements of MathML that hold text alone, so that HTML never stands within them. */
const MATHML_TEXT = ['annotation', 'mi', 'mn', 'mo', 'ms', 'mtext'];

/** Elements of SVG that hold text alone. */
const SVG_TEXT = ['text', 'tspan'];

/** Elements of MathML and SVG, by their roots. */
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

/** Elements of MathML and SVG within which only text stands. */
export const TEXT_ONLY: ReadonlySet<string> = new Set([...MATHML_TEXT, ...SVG_TEXT]);

/** Attributes, of any element; `data-*` and `aria-*` besides. */
export const ATTRIBUTES: readonly string[] = [
  // Of every element, microdata and RDFa included.
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
  // What editors and lazy loaders leave behind; no browser reads them.
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

/** Attributes of these whose values look like URLs and are none. */
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

/** URLs that may stand anywhere: of these schemes, or relative. */
export const ALLOWED_URLS = /^(?:(?:https?|mailto|tel|sms):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;

/** Elements whose `name` a script of the page could mistake for something of its own, or which mean more by it. */
export const NAMELESS: ReadonlySet<string> = new Set(['iframe', 'img', 'input', 'meta']);

/** An embed's address: that of another host, with TLS unless the page itself is without. */
export const EMBED_URL = /^(?:https:)?\/\/[^/\\]/i;

/** CSS that loads or runs more than it styles, in browsers past and present; escapes could hide it. */
export const UNSAFE_CSS =
  /[\\<]|\/\*|expression\s*\(|javascript:|vbscript:|behavior\s*:|-moz-binding|@import/i;
