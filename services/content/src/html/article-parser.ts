import { readableCharacters } from '@pressroom/common/fields/fields';
import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html,
  Parser,
  type Token,
} from 'parse5';
import type { HtmlFault, Inspection, InspectionRules } from './inspection.ts';
import {
  FOREIGN_ELEMENTS,
  isAnchor,
  overlaysIn,
  type StartTag,
  sharedPurifier,
  TEXT_ONLY,
} from './purifier.ts';

/**
 * Closes a tag that the article left open, wherever it was cut off, as the page around it would, so that it
 * is detected. A value that is still to come starts with a letter: a quote would open it and hide the end of
 * the tag.
 */
function restOfPage(html: string): string {
  return `${html.trimEnd().endsWith('=') ? 'x' : ''} "'>`;
}

/**
 * Inspects an article token by token with the parser of the HTML standard. Every tag in the text is judged,
 * even one that a browser would ignore in one place and obey in another, and so is what the tree makes of
 * them. The work grows only with the length of the text.
 */
export async function inspectHtml(html: string, rules: InspectionRules): Promise<Inspection> {
  const tokens = new TokenInspector(html, rules);
  ArticleParser.into(tokens).tokenizer.write(html + restOfPage(html), true);
  return tokens.end(!tokens.isFull);
}

type Element = DefaultTreeAdapterTypes.Element;

/** Browsers build another tree from deeper nesting: Chromium from 512, with the elements of the page. */
const MAX_DEPTH = 256;

/** Parts of a table, whose tags end parts of the page's table where there is no other. */
const TABLE_PARTS = new Set([...['caption', 'col', 'colgroup', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr']]);

/** List items, whose start tags end one of the page's where there is no list around them. */
const LIST_ITEMS = new Set(['dd', 'dt', 'li']);

/** Elements whose end tag may be left out (HTML standard, "Optional tags"). */
const OPTIONAL_ENDS = new Set([...TABLE_PARTS, ...LIST_ITEMS, 'p', 'rb', 'rp', 'rt', 'rtc']);

/** End tags that may stand alone: of elements that have no end, and those that stand for an element. */
const LONE_ENDS = new Set([
  ...['area', 'br', 'col', 'hr', 'img', 'input', 'meta', 'p', 'source', 'track', 'wbr'],
]);

/** Special elements that do not stop the search for the list item that a start tag ends. */
const NO_BOUNDARIES = new Set(['address', 'div', 'html', 'p']);

/** Elements that the inspector itself reports if they are not closed. */
const RAW = new Set(['iframe', 'script']);

/** Nothing reads the tree, so nothing is put into it: it costs no memory. */
const HOLLOW_TREE = {
  ...defaultTreeAdapter,
  appendChild: () => undefined,
  insertBefore: () => undefined,
};

/**
 * The parser of the HTML standard on its way through an article. It shows each token to the inspector, and
 * reports what the tree makes of the tags: elements that are left open, closed too often, or of a list or
 * table that the article does not have. They would take in or end what the page has around the article.
 */
class ArticleParser extends Parser<DefaultTreeAdapterMap> {
  #tokens!: TokenInspector;
  #text: { text: string; place: TokenPlace } | undefined;
  /** The name of the end tag that is being processed. */
  #ending: string | undefined;
  /** True if the tag that is being processed has begun or ended an element of its name. */
  #took = false;
  /** Open elements that stop the search for a list item to end. */
  readonly #boundaries = new Set<object>();
  /** Open elements in which others may be positioned. */
  readonly #anchors = new Set<object>();

  /** Returns a parser of the content of a `div`. */
  static into(tokens: TokenInspector): ArticleParser {
    const div = defaultTreeAdapter.createElement('div', html.NS.HTML, []);
    const options = { sourceCodeLocationInfo: true, treeAdapter: HOLLOW_TREE };
    const parser = ArticleParser.getFragmentParser(div, options) as ArticleParser;
    parser.#tokens = tokens;
    return parser;
  }

  override onStartTag(token: Token.TagToken): void {
    const { tagName, attrs, selfClosing } = token;
    const place = this.#before(token);
    this.#tokens.startTag(tagName, attrs.map(attributeOf), selfClosing, place);
    if (this.#isWhole(place)) this.#begin(token, place);
    this.#after();
  }

  override onEndTag(token: Token.TagToken): void {
    const place = this.#before(token);
    this.#tokens.endTag(token.tagName, place);
    if (this.#isWhole(place)) this.#end(token, place);
    this.#after();
  }

  override onComment(token: Token.CommentToken): void {
    this.#tokens.comment(token.data, this.#before(token));
    super.onComment(token);
    this.#after();
  }

  override onDoctype(token: Token.DoctypeToken): void {
    this.#tokens.documentType(this.#before(token));
    super.onDoctype(token);
    this.#after();
  }

  override onCharacter(token: Token.CharacterToken): void {
    this.#addText(token);
    super.onCharacter(token);
  }

  override onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.#addText(token);
    super.onWhitespaceCharacter(token);
  }

  override onNullCharacter(token: Token.CharacterToken): void {
    this.#addText(token);
    super.onNullCharacter(token);
  }

  override onEof(token: Token.EOFToken): void {
    this.#endText();
    const { items, stackTop } = this.openElements;
    for (const element of items.slice(0, stackTop + 1)) if (element) this.#leave(element as Element);
    super.onEof(token);
  }

  override _insertElement(token: Token.TagToken, namespace: html.NS): void {
    super._insertElement(token, namespace);
    if (token !== this.currentToken) return;
    this.#took = true;
    this.#lookAtStyle(token, this.openElements.current);
  }

  override _appendElement(token: Token.TagToken, namespace: html.NS): void {
    super._appendElement(token, namespace);
    if (token !== this.currentToken) return;
    this.#took = true;
    this.#lookAtStyle(token, undefined);
  }

  /** The text of the tree is never read. */
  override _insertCharacters(): void {}

  override onItemPush(node: Element, tagId: number, isTop: boolean): void {
    super.onItemPush(node, tagId, isTop);
    const isSpecial = html.SPECIAL_ELEMENTS[node.namespaceURI]?.has(tagId);
    if (isSpecial && !NO_BOUNDARIES.has(node.tagName)) this.#boundaries.add(node);
  }

  override onItemPop(node: Element, isTop: boolean): void {
    super.onItemPop(node, isTop);
    this.#boundaries.delete(node);
    this.#anchors.delete(node);
    if (node.tagName !== this.#ending) this.#leave(node);
    else this.#took = true;
    // The adoption agency takes an element from below others, which go on in a copy of it.
    const inner = this.openElements.current as Element;
    if (node.tagName === this.#ending && !isTop && this.currentToken?.location)
      this.#tokens.fault(
        `</${node.tagName}> where </${inner.tagName}> should be`,
        this.currentToken.location,
      );
  }

  #begin(token: Token.TagToken, place: TokenPlace): void {
    const { tagName } = token;
    const inHtml = !this.currentNotInHTML;
    if (inHtml && LIST_ITEMS.has(tagName) && this.#boundaries.size === 0)
      this.#tokens.fault(`<${tagName}> outside of a list`, place);
    this.#took = false;
    super.onStartTag(token);
    if (inHtml && TABLE_PARTS.has(tagName) && !this.#took)
      this.#tokens.fault(`<${tagName}> outside of a table`, place);
    if (this.openElements.depth > MAX_DEPTH)
      this.#tokens.stop(`<${tagName}> in more than ${MAX_DEPTH} elements`, place);
  }

  #end(token: Token.TagToken, place: TokenPlace): void {
    const inHtml = !this.currentNotInHTML;
    this.#took = false;
    this.#ending = token.tagName;
    super.onEndTag(token);
    this.#ending = undefined;
    if (inHtml && !this.#took && !LONE_ENDS.has(token.tagName))
      this.#tokens.fault(`</${token.tagName}> that closes nothing`, place);
  }

  /** Reports an element that ends without its end tag, unless that may be left out. */
  #leave({ tagName, namespaceURI, sourceCodeLocation: place }: Element): void {
    if (namespaceURI !== html.NS.HTML || OPTIONAL_ENDS.has(tagName) || RAW.has(tagName)) return;
    // Without a place, it was added by the parser for one that has been reported.
    if (place) this.#tokens.fault(`<${tagName}> that is not closed`, place);
  }

  #lookAtStyle({ attrs, tagName, location }: Token.TagToken, opened: object | undefined): void {
    const style = attrs.find(({ name }) => name === 'style')?.value;
    if (style === undefined || !location) return;
    for (const what of overlaysIn(tagName, style, this.#anchors.size > 0))
      this.#tokens.overlay(`${what} on <${tagName}>`, location);
    if (opened && isAnchor(tagName, style)) this.#anchors.add(opened);
  }

  #addText({ chars, location }: Token.CharacterToken): void {
    const place = placeOf({ location });
    if (this.#text === undefined) this.#text = { text: chars, place: { ...place } };
    else {
      this.#text.text += chars;
      this.#text.place.endOffset = place.endOffset;
    }
  }

  #endText(): void {
    if (this.#text !== undefined) this.#tokens.text(this.#text.text, this.#text.place);
    this.#text = undefined;
  }

  #before(token: { location: Token.Location | null }): TokenPlace {
    this.#endText();
    return placeOf(token);
  }

  /** A tag that only the suffix of the article has closed is reported as that alone. */
  #isWhole({ endOffset }: TokenPlace): boolean {
    return endOffset <= this.#tokens.length;
  }

  #after(): void {
    if (this.#tokens.isFull) this.tokenizer.pause();
  }
}

/** Names such as `xlink:href` come in two parts. */
function attributeOf({ prefix, name, value }: Token.Attribute): { name: string; value: string } {
  return { name: prefix ? `${prefix}:${name}` : name, value };
}

function placeOf({ location }: { location: Token.Location | null }): TokenPlace {
  if (!location) throw new Error('the parser does not report positions');
  return location;
}

/** The position of a token in the text: offsets count from 0, line and column from 1. */
interface TokenPlace {
  startOffset: number;
  endOffset: number;
  startLine: number;
  startCol: number;
}

/** Most errors reported; the inspection stops at the last of them. */
const MOST_FAULTS = 10;

/** Different start tags that are judged at once; bounds memory. */
const BATCH = 500;

/** Elements whose text is not shown to readers. */
const UNREAD = new Set(['desc', 'iframe', 'noscript', 'script', 'style', 'template', 'title']);

/** DOMPurify does not allow this in comments either: another parser may see more than a comment. */
const MARKUP = /<[/\w!]/;

/** Attributes that a data block may have in addition to its type. */
const DATA_BLOCK_ATTRIBUTE = /^(type|id|class|data-[\w-]+)$/;

/** Judges the tokens of one article as they arrive. */
class TokenInspector {
  /** Characters of the article itself. */
  readonly length: number;
  readonly #source: string;
  readonly #rules: InspectionRules;
  readonly #faults: HtmlFault[] = [];
  /** Faults of each start tag, by its source text. */
  readonly #judged = new Map<string, string[]>();
  #waiting = new Map<string, { tag: StartTag; places: TokenPlace[] }>();
  /** The open elements from the MathML or SVG root inwards; empty in HTML. */
  readonly #foreign: string[] = [];
  /** The position of the last MathML or SVG root. */
  #foreignPlace: TokenPlace | undefined;
  /** The open element whose text is raw, if any. */
  #raw: { name: string; place: TokenPlace; isData: boolean; text: string } | undefined;
  #unread = 0;
  #isStopped = false;
  readonly #text: string[] = [];

  /** @param html the article itself, without the suffix that closes its last tag */
  constructor(html: string, rules: InspectionRules) {
    this.#source = html;
    this.length = html.length;
    this.#rules = rules;
  }

  /** True once nothing more need be read. */
  get isFull(): boolean {
    return this.#isStopped || this.#faults.length >= MOST_FAULTS;
  }

  /** Reports a fault. */
  fault(
    what: string,
    { startLine: line, startCol: column }: Pick<TokenPlace, 'startLine' | 'startCol'>,
  ): void {
    if (this.#rules.html === 'checked') this.#faults.push({ what, line, column });
  }

  /** Reports a style that could lay an element over the page. */
  overlay(what: string, place: TokenPlace): void {
    if (!this.#rules.overlays) this.fault(what, place);
  }

  /** Reports a fault after which the rest is not worth reading. */
  stop(what: string, place: TokenPlace): void {
    this.#isStopped = this.#rules.html === 'checked';
    this.fault(what, place);
  }

  startTag(name: string, attributes: StartTag['attributes'], selfClosing: boolean, place: TokenPlace): void {
    if (UNREAD.has(name) && !(selfClosing && this.#foreign.length > 0)) this.#unread += 1;
    if (this.#rules.html === 'trusted') return;
    if (place.endOffset > this.length) {
      this.fault(`<${name}> whose tag is not closed`, place);
    } else if (this.#foreign.length > 0 || name === 'math' || name === 'svg') {
      this.#foreignTag({ name, attributes }, selfClosing, place);
    } else if (name === 'script' && this.#isDataBlock(attributes)) {
      this.#raw = { name, place, isData: true, text: '' };
    } else {
      if (name === 'iframe') this.#raw = { name, place, isData: false, text: '' };
      this.#judge({ name, attributes }, place);
    }
  }

  endTag(name: string, place: TokenPlace): void {
    if (UNREAD.has(name) && this.#unread > 0) this.#unread -= 1;
    if (this.#rules.html === 'trusted') return;
    if (place.endOffset > this.length) {
      this.fault(`</${name}> whose tag is not closed`, place);
      return;
    }
    if (this.#raw?.name === name) {
      this.#endRaw(this.#raw);
      return;
    }
    if (this.#foreign.length === 0) return;
    if (this.#foreign.at(-1) === name.toLowerCase()) this.#foreign.pop();
    else this.fault(`</${name}> where </${this.#foreign.at(-1)}> should be`, place);
  }

  comment(text: string, place: TokenPlace): void {
    if (this.#rules.html === 'trusted') return;
    if (place.endOffset > this.length) this.fault('a comment that is not closed', place);
    else if (MARKUP.test(text) || text.startsWith('[CDATA['))
      this.fault('a comment that contains markup', place);
  }

  /** An element that it names may be open at the end of the article, and take in the rest of the page. */
  documentType(place: TokenPlace): void {
    if (this.#rules.html === 'checked') this.fault('a document type', place);
  }

  text(text: string, place: TokenPlace): void {
    if (this.#raw !== undefined) this.#raw.text += text;
    if (this.#unread === 0) this.#text.push(place.endOffset > this.length ? this.#cut(text, place) : text);
    if (this.#foreign.length === 0 || this.#rules.html === 'trusted') return;
    const written = this.#source.slice(place.startOffset, place.endOffset);
    if (written.includes('<![CDATA[')) this.fault('a CDATA section', place);
  }

  /** The result so far; `whole` says that there are no more tokens. */
  end(whole: boolean): Inspection {
    if (whole && this.#raw !== undefined)
      this.fault(`<${this.#raw.name}> that is not closed`, this.#raw.place);
    // The page's own scripts and styles would be read as markup in it.
    if (whole && this.#foreign[0] !== undefined && this.#foreignPlace !== undefined)
      this.fault(`<${this.#foreign[0]}> that is not closed`, this.#foreignPlace);
    this.#judgeWaiting();
    const faults = this.#faults.toSorted((a, b) => a.line - b.line || a.column - b.column);
    const characters = whole ? readableCharacters(this.#text.join('')) : undefined;
    return { characters, faults: faults.slice(0, MOST_FAULTS) };
  }

  /** The text without the suffix that was appended to the article. */
  #cut(text: string, { endOffset }: TokenPlace): string {
    return text.slice(0, Math.max(0, text.length - (endOffset - this.length)));
  }

  /** Another parser may read what stands in raw text as markup. */
  #endRaw({
    name,
    place,
    isData,
    text,
  }: {
    name: string;
    place: TokenPlace;
    isData: boolean;
    text: string;
  }): void {
    if (text.includes('<')) this.fault(`markup in <${name}>`, place);
    else if (isData && !isJson(text)) this.fault(`<${name}> whose text is not JSON`, place);
    this.#raw = undefined;
  }

  #isDataBlock(attributes: StartTag['attributes']): boolean {
    if (!this.#rules.jsonLd || this.#foreign.length > 0) return false;
    const type = attributes.find(({ name }) => name === 'type')?.value;
    return type === 'application/ld+json' && attributes.every(({ name }) => DATA_BLOCK_ATTRIBUTE.test(name));
  }

  /**
   * Within MathML and SVG every element must be closed in order and none may be HTML, so that a browser and
   * this inspector agree on what is MathML or SVG.
   */
  #foreignTag(tag: Pick<StartTag, 'name' | 'attributes'>, selfClosing: boolean, place: TokenPlace): void {
    const name = tag.name.toLowerCase();
    const [root = name as 'math' | 'svg'] = this.#foreign as ('math' | 'svg')[];
    const parent = this.#foreign.at(-1);
    const isRootAgain = parent !== undefined && (name === 'math' || name === 'svg');
    if (
      isRootAgain ||
      (parent !== undefined && TEXT_ONLY.has(parent)) ||
      !FOREIGN_ELEMENTS[root]?.has(name)
    ) {
      this.fault(`<${tag.name}> in <${parent ?? root}>`, place);
    }
    if (this.#foreign.length === 0) this.#foreignPlace = place;
    if (!selfClosing) this.#foreign.push(name);
    this.#judge({ ...tag, foreignRoot: root }, place);
  }

  #judge(tag: StartTag, place: TokenPlace): void {
    const key = `${tag.foreignRoot ?? ''} ${this.#source.slice(place.startOffset, place.endOffset)}`;
    const known = this.#judged.get(key);
    if (known !== undefined) {
      for (const what of known) this.fault(what, place);
      return;
    }
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, { tag, places: [place] });
    else if (waiting.places.length < MOST_FAULTS) waiting.places.push(place);
    if (this.#waiting.size >= BATCH) this.#judgeWaiting();
  }

  #judgeWaiting(): void {
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting = new Map();
    const judgements = sharedPurifier().faults(waiting.map(([, { tag }]) => tag));
    waiting.forEach(([key, { places }], index) => {
      const faults = judgements[index] ?? [];
      this.#judged.set(key, faults);
      for (const place of places) for (const what of faults) this.fault(what, place);
    });
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
