import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html,
  Parser,
  type Token,
} from 'parse5';
import { isAnchor, overlaysIn } from './overlays.ts';
import type { TokenInspector, TokenPlace } from './token-inspector.ts';

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

/** What the inspector reports itself if it is not closed. */
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
export class ArticleParser extends Parser<DefaultTreeAdapterMap> {
  #tokens!: TokenInspector;
  #text: { text: string; place: TokenPlace } | undefined;
  /** The name of the end tag that is being processed. */
  #ending: string | undefined;
  /** Whether the tag that is being processed has begun or ended an element of its name. */
  #took = false;
  /** Open elements that stop the search for a list item to end. */
  readonly #boundaries = new Set<object>();
  /** Open elements in which others may be positioned. */
  readonly #anchors = new Set<object>();

  /** A parser of what is put into a `div`. */
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
