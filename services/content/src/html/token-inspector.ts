import { readableCharacters } from '@pressroom/common/fields/text';
import { FOREIGN_ELEMENTS, TEXT_ONLY } from './allowed-html.ts';
import type { HtmlFault, Inspection, InspectionRules } from './inspection.ts';
import { type StartTag, sharedPurifier } from './purifier.ts';

/** The position of a token in the text: offsets count from 0, line and column from 1. */
export interface TokenPlace {
  startOffset: number;
  endOffset: number;
  startLine: number;
  startCol: number;
}

/** How many errors are reported; the inspection stops at the last of them. */
const MOST_FAULTS = 10;

/** How many different start tags are judged at once, which bounds memory. */
const BATCH = 500;

/** Elements whose text is not shown to readers. */
const UNREAD = new Set(['desc', 'iframe', 'noscript', 'script', 'style', 'template', 'title']);

/** DOMPurify does not allow this in comments either: another parser may see more than a comment. */
const MARKUP = /<[/\w!]/;

/** Attributes that a data block may have in addition to its type. */
const DATA_BLOCK_ATTRIBUTE = /^(type|id|class|data-[\w-]+)$/;

/** Judges the tokens of one article as they arrive. */
export class TokenInspector {
  /** Characters of the article itself. */
  readonly length: number;
  readonly #source: string;
  readonly #rules: InspectionRules;
  readonly #faults: HtmlFault[] = [];
  /** Judged start tags by their source text, with what is not allowed in each. */
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

  /** Whether nothing more need be read. */
  get isFull(): boolean {
    return this.#isStopped || this.#faults.length >= MOST_FAULTS;
  }

  /** Reports what is not allowed. */
  fault(
    what: string,
    { startLine: line, startCol: column }: Pick<TokenPlace, 'startLine' | 'startCol'>,
  ): void {
    if (this.#rules.html === 'checked') this.#faults.push({ what, line, column });
  }

  /** Reports what could lay an element over the page. */
  overlay(what: string, place: TokenPlace): void {
    if (!this.#rules.overlays) this.fault(what, place);
  }

  /** Reports what is not allowed, and that the rest is not worth reading. */
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

  /** What it names may be open at the end of the article, and takes what the page has next. */
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
