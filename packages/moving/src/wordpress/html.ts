import { parseFragment, serialize } from 'parse5';
import { z } from 'zod';
import { because, type Reason } from '../reasons.ts';

/** A comment, or all that follows one that does not end. */
const COMMENT = /<!--(?:([\s\S]*?)-->(\n?)|[\s\S]*)/g;

/** In a comment of the block editor: the beginning or end of a block, or one that has no HTML. */
const BLOCK = /^\s*\/?wp:([a-z][\w/-]*)(?:\s+\{.*\})?\s*(\/)?$/s;

const MARK = /^(?:more.*|nextpage|noteaser)$/;

/** An address alone on its line, which WordPress replaces by the page's content. */
const LONE_URL =
  /(^|\n|<p>|<div class="wp-block-embed__wrapper">)[ \t]*(https?:\/\/[^\s<>"']+)[ \t]*(?=\n|$|<\/p>|<\/div>)/g;

/** In a comment: a block that stands for a pattern, which articles share. */
const PATTERN = /^\s*wp:(?:core\/)?block\s+(\{.*\})\s*\/$/s;

const PATTERN_BLOCK = z.object({
  ref: z.int().transform(String),
  content: z.record(z.string(), z.unknown()).default({}),
});

/** The most patterns of an article: patterns contain others. */
const MOST_PATTERNS = 200;

/** The other parts of an article, and reports by {@link articleHtml}. */
interface HtmlContext extends ShortcodeContext {
  pattern: (id: string) => string | undefined;
  /** In their order. */
  footnotes: readonly { id: string; content: string }[];
  /** Called for a block that has no HTML. */
  onEmptyBlock: (name: string) => void;
}

/** Blocks with text as the classic editor keeps it, like that outside of all blocks. */
const CLASSIC = /^(?:core\/)?(?:freeform|shortcode)$/;

/** Marks the text behind it as that of the classic editor, or of blocks: noncharacters, which no text has. */
const BEHIND = { classic: '\ufdd0', block: '\ufdd1' };

/** The HTML of an article as WordPress would show it, from the stored text. */
export function articleHtml(kept: string, context: HtmlContext): string {
  const whole = withCodeElements(withPatterns(kept, context)).replaceAll(COVER, withPicture);
  let notes = footnotesOf(whole, context);
  const around: string[] = [];
  let place = BEHIND.classic;
  const html = whole.replaceAll(COMMENT, (comment, inside = '', lineEnd = '') => {
    const [block, name = '', isEmpty] = BLOCK.exec(inside) ?? [];
    if (isEmpty !== undefined && name === 'footnotes') {
      const placed = notes;
      notes = '';
      return placed;
    }
    if (isEmpty !== undefined) context.onEmptyBlock(name);
    if (isEmpty !== undefined) return '';
    if (block === undefined && inside === 'nextpage') return '\n\n';
    if (block === undefined) return MARK.test(inside) ? lineEnd : comment;
    if (/^\s*\//.test(block)) around.pop();
    else around.push(name);
    const next = CLASSIC.test(around.at(-1) ?? 'freeform') ? BEHIND.classic : BEHIND.block;
    if (next === place) return '';
    place = next;
    return place;
  });
  // Closes what writers left open, and nests what they crossed, as a browser does.
  return serialize(parseFragment(withParagraphs(expandShortcodes(html + notes, context)))).trim();
}

/** HTML with the paragraphs of the classic editor where blocks have none. */
function withParagraphs(html: string): string {
  const [beginning = '', ...rest] = html.split(/([\ufdd0\ufdd1])/);
  const parts = [paragraphs(withLinks(beginning))];
  for (let index = 0; index < rest.length; index += 2) {
    const text = withLinks(rest[index + 1] ?? '');
    const isClassic = rest[index] === BEHIND.classic && text.trim() !== '';
    parts.push(isClassic ? paragraphs(text) : text);
  }
  return parts.join('');
}

/** A block that shows a picture behind its text, as blocks did before they had it as an element. */
const COVER = /(<(?:div|section) class="wp-block-cover[^"]*") style="([^"]*)"([^>]*>)/g;

function withPicture(whole: string, before: string, style: string, after: string): string {
  const [, url] = /background-image:\s*url\((?:['"]|&quot;)?([^)'"]+?)(?:['"]|&quot;)?\)/.exec(style) ?? [];
  return url === undefined ? whole : `${before}${after}<img src="${escaped(url)}" alt="">`;
}

function withLinks(html: string): string {
  const parts = splitAtElements(html, CODE);
  let [index, end] = [0, parts[0]?.length ?? 0];
  return html.replaceAll(LONE_URL, (whole, before: string, url: string, offset: number) => {
    while (end <= offset && index < parts.length - 1) end += parts[++index]?.length ?? 0;
    return index % 2 === 1 ? whole : `${before}<a href="${escaped(url)}">${escaped(url)}</a>`;
  });
}

function withPatterns(kept: string, { pattern, onLost }: HtmlContext): string {
  let placed = 0;
  const place = (html: string, around: readonly string[]): string =>
    html.replaceAll(COMMENT, (comment, inside = '') => {
      const block = patternBlock(PATTERN.exec(inside)?.[1]);
      if (block === undefined) return comment;
      const { ref: id, content } = block;
      placed += 1;
      if (Object.keys(content).length > 0)
        onLost(because('pattern_lost', id, 'what the article changes in it is left out'));
      const found = around.includes(id) || placed > MOST_PATTERNS ? undefined : pattern(id);
      if (found === undefined) onLost(because('pattern_lost', id, 'is not in the export; left out'));
      return found === undefined ? '' : place(found, [...around, id]);
    });
  return place(kept, []);
}

function patternBlock(json = ''): z.infer<typeof PATTERN_BLOCK> | undefined {
  try {
    return PATTERN_BLOCK.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** Footnotes as WordPress shows them: the text has links to their ids. */
function footnotesOf(html: string, { footnotes, onLost }: HtmlContext): string {
  if (footnotes.length === 0) {
    if (/<!--\s*wp:footnotes\b|<sup\s[^>]{0,200}data-fn=/.test(html)) onLost(because('footnotes_lost'));
    return '';
  }
  const items = footnotes.map(({ id, content }) => {
    const anchor = escaped(id);
    return `<li id="${anchor}">${content} <a href="#${anchor}-link">↩︎</a></li>`;
  });
  return `\n\n<ol class="wp-block-footnotes">${items.join('')}</ol>\n\n`;
}

/** Elements that a paragraph neither contains nor is put around. */
const BLOCKS =
  'address|article|aside|audio|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hgroup|hr|html|iframe|legend|li|main|map|menu|nav|noscript|object|ol|optgroup|option|p|pre|script|section|select|style|summary|svg|table|tbody|td|textarea|tfoot|th|thead|tr|ul|video';

/** Elements that stay as they are, with all that they contain. */
const VERBATIM = 'pre|script|style|textarea|svg|math|iframe|audio|video|object';

const BLOCK_TAG = new RegExp(`(<(/?)(${BLOCKS})(?=[\\s/>])[^>]*>)`, 'i');

/** Elements in which paragraphs are written like at the top. */
const CONTAINERS =
  /^(?:article|aside|blockquote|body|center|dd|details|div|figure|footer|header|li|main|section|td|th)$/;

/** Elements that have no end. */
const EMPTY = /^(?:col|hr)$/;

/**
 * Makes paragraphs and line breaks of blank lines and line ends, as WordPress does when it shows an article
 * of its classic editor.
 */
export function paragraphs(text: string): string {
  const html = text.replaceAll(/\r\n?/g, '\n');
  const open = new OpenElements();
  const written: string[] = [];
  for (const [index, part] of splitAtElements(html, VERBATIM).entries()) {
    if (index % 2 === 1) {
      written.push(part);
      continue;
    }
    // No tag is looked for where none ends any more.
    const end = part.lastIndexOf('>') + 1;
    // A split by a pattern with groups alternates between text and the groups' matches.
    const runs = part.slice(0, end).split(BLOCK_TAG);
    runs.push(`${runs.pop()}${part.slice(end)}`);
    for (let run = 0; run < runs.length; run += 4) {
      written.push(paragraphsIn(runs[run] ?? '', open.innermost));
      const [tag, slash, name = ''] = runs.slice(run + 1, run + 4);
      if (tag === undefined) continue;
      written.push(tag);
      if (slash === '/') open.end(name.toLowerCase());
      else open.begin(name.toLowerCase());
    }
  }
  return written.join('');
}

/** The elements that are open at a place, counted by name: a hostile text ends many that it never began. */
class OpenElements {
  readonly #names: string[] = [];
  readonly #times = new Map<string, number>();

  get innermost(): string | undefined {
    return this.#names.at(-1);
  }

  begin(name: string): void {
    if (EMPTY.test(name)) return;
    this.#names.push(name);
    this.#times.set(name, (this.#times.get(name) ?? 0) + 1);
  }

  end(name: string): void {
    if (!this.#times.get(name)) return;
    let closed: string | undefined;
    do {
      closed = this.#names.pop() ?? name;
      this.#times.set(closed, (this.#times.get(closed) ?? 0) - 1);
    } while (closed !== name);
  }
}

/** Text between two tags of blocks, in the block called `container`. */
function paragraphsIn(text: string, container: string | undefined): string {
  if (text.trim() === '') return text === '' ? '' : '\n';
  const isContainer = container === undefined || CONTAINERS.test(container);
  if (!isContainer || (container !== undefined && !/\n\s*\n/.test(text))) return text;
  const found = text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  return found.map((paragraph) => `<p>${withBreaks(paragraph.trim())}</p>\n`).join('');
}

function withBreaks(paragraph: string): string {
  return paragraph.replaceAll(/(?:<br\s*\/?>|(?<![ \t]))[ \t]*\n/gi, '<br>\n');
}

/** The names under which SyntaxHighlighter shows code, and those of its languages. */
const CODE_NAMES =
  'sourcecode|source|code|actionscript3|as3|bash|shell|coldfusion|cf|clojure|clj|cpp|csharp|c-sharp|c|css|delphi|pascal|diff|patch|erlang|erl|fsharp|golang|go|groovy|haskell|html|java|javafx|jfx|javascript|js|latex|tex|matlab|objc|obj-c|perl|php|plain|text|powershell|ps|python|py|ruby|rails|ror|rb|r|scala|sql|swift|vbnet|vb|xhtml|xml|xslt|yaml|yml';

/** The start of code: an element, which stays as it is, or a shortcode. */
const BEGINNING = new RegExp(
  `<(pre|code|script|style)\\b|(?<!\\[)\\[(${CODE_NAMES})([\\s=][^[\\]]*)?\\](?!\\])`,
  'gi',
);

/** HTML with the code in shortcodes as elements: no tag, comment or shortcode in it is one. */
function withCodeElements(html: string): string {
  let [result, at] = ['', 0];
  // Code that is not closed after one place is not closed after a later one.
  const unclosed = new Set<string>();
  BEGINNING.lastIndex = 0;
  for (let found = BEGINNING.exec(html); found !== null; found = BEGINNING.exec(html)) {
    const [begin, element, shortcode = '', given = ''] = found;
    const end = element ? `</${element}\\s*>` : `\\[/${shortcode}\\]`;
    const ending = new RegExp(end, 'gi');
    const from = found.index + begin.length;
    ending.lastIndex = from;
    const closed = unclosed.has(end) ? null : ending.exec(html);
    if (closed === null) {
      unclosed.add(end);
      continue;
    }
    BEGINNING.lastIndex = ending.lastIndex;
    if (element !== undefined) continue;
    result += html.slice(at, found.index) + codeElement(shortcode, given, html.slice(from, closed.index));
    at = ending.lastIndex;
  }
  return result + html.slice(at);
}

function codeElement(name: string, given: string, code: string): string {
  const [, named] = /(?:^|\s)(?:lang|language)?=\s*["']?([\w+#-]+)/i.exec(given) ?? [];
  const language = (named ?? (/^(?:sourcecode|source|code)$/i.test(name) ? '' : name)).toLowerCase();
  // The plugin keeps code escaped or not; it takes what has no angle bracket for escaped.
  const escaped = /[<>]/.test(code)
    ? code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : code;
  const lines = escaped.replace(/^[^\S\n]*\r?\n/, '').trimEnd();
  return `\n\n<pre><code${language && ` class="language-${language}"`}>${lines}</code></pre>\n\n`;
}

/** Shortcodes that show what is elsewhere, and the address of what one names by an id. */
const EMBEDS: Readonly<Record<string, string>> = {
  archiveorg: 'https://archive.org/details/',
  bandcamp: '',
  dailymotion: 'https://www.dailymotion.com/video/',
  embedyt: 'https://www.youtube.com/watch?v=',
  facebook: '',
  flickr: '',
  gist: 'https://gist.github.com/',
  giphy: 'https://giphy.com/gifs/',
  googlemaps: '',
  googlevideo: '',
  iframe: '',
  imgur: 'https://imgur.com/',
  instagram: 'https://www.instagram.com/p/',
  issuu: '',
  mixcloud: '',
  pinterest: '',
  reddit: '',
  scribd: 'https://www.scribd.com/doc/',
  slideshare: 'https://www.slideshare.net/slideshow/embed_code/',
  soundcloud: '',
  spotify: 'https://open.spotify.com/track/',
  ted: 'https://www.ted.com/talks/view/id/',
  tiktok: '',
  tweet: 'https://twitter.com/i/status/',
  twitter: 'https://twitter.com/i/status/',
  videopress: 'https://videopress.com/v/',
  vimeo: 'https://vimeo.com/',
  vine: 'https://vine.co/v/',
  wpvideo: 'https://videopress.com/v/',
  youtube: 'https://www.youtube.com/watch?v=',
};

const EMBED_NAMES = Object.keys(EMBEDS).join('|');

/** The address that a shortcode embeds; undefined if it is no such shortcode, or has none. */
function embeddedAddress(
  name: string,
  given: string,
  attributes: ReadonlyMap<string, string>,
  content = '',
): string | undefined {
  const known = Object.hasOwn(EMBEDS, name) ? EMBEDS[name] : undefined;
  if (known === undefined) return undefined;
  const [address] = /(?:https?:)?\/\/[^\s"'<>|[\]]+/i.exec(`${given} ${content}`) ?? [];
  if (address !== undefined) return address.startsWith('//') ? `https:${address}` : address;
  const [, spotify] = /\bspotify:([a-z]+:\w+)/i.exec(given) ?? [];
  if (spotify !== undefined) return `https://open.spotify.com/${spotify.replace(':', '/')}`;
  const [, bare] = /^=?\s*["']?([\w-]+)["']?(?=\s|$)/.exec(given) ?? [];
  const named = attributes.get('id') ?? attributes.get('v') ?? attributes.get('tweet');
  const id = (named ?? bare ?? content.trim()).replace(/&.*$/s, '');
  return known !== '' && /^[\w-]+$/.test(id) ? `${known}${id}` : undefined;
}

/** A picture, sound or film of an export. */
export interface Attachment {
  url: string;
  alt: string;
  caption: string;
}

interface ShortcodeContext {
  attachment: (id: string) => Attachment | undefined;
  /** The attachments that were uploaded to the article, or to the one with this id. */
  own: (id?: string) => readonly Attachment[];
  /** True to remove unknown shortcodes rather than leave them as text. */
  removeOthers: boolean;
  onOther: (name: string) => void;
  onLost: (reason: Reason) => void;
}

/** Elements that show shortcodes as code, and stay as they are. */
const CODE = 'pre|code|script|style';

const ATTRIBUTE = /(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s\]]+))/g;

/** Quotation marks as editors and plugins make them of straight ones. */
const CURLY = /[“”„″]|&(?:quot|[lrb]dquo|Prime|#(?:34|822[012]|8243|x20(?:1[cde]|33)));/gi;

/**
 * The beginning or the end of a shortcode, or else a tag, in which there is none. `[[name]]` is how an
 * article writes about one.
 */
const TAG = /<[a-z/][^<>]*>|(?<!\[)\[([a-z][\w-]*)([\s=:][^[\]]*|\/?)\](?!\])|\[\/([a-z][\w-]*)\]/gi;

/** The names of shortcodes that are known. In two pairs of brackets, one is only written about. */
const KNOWN = `gallery|slideshow|playlist|caption|wp_caption|embed|audio|video|${CODE_NAMES}|${EMBED_NAMES}`;
const IS_KNOWN = /^(?:caption|wp_caption|embed|audio|video)$/;
const WRITTEN_ABOUT = new RegExp(`\\[(\\[/?(?:${KNOWN})(?:[\\s=][^[\\]]*|/?)\\])\\]?`, 'gi');
const WRITTEN_ABOUT_END = new RegExp(`(\\[/(?:${KNOWN})\\])\\]`, 'gi');

type Tag = RegExpExecArray;

/** Makes HTML of the shortcodes of WordPress itself, as far as they are known. */
export function expandShortcodes(html: string, context: ShortcodeContext): string {
  return splitAtElements(html, CODE)
    .map((part, index) => (index % 2 === 0 ? expandIn(part, context) : part))
    .join('');
}

function expandIn(text: string, context: ShortcodeContext): string {
  const tags = [...text.matchAll(TAG)].filter(([tag]) => tag.startsWith('['));
  const ends = endsOf(tags);
  /** The shortcodes around the place, and the text before each. */
  const around: { tag: Tag; end: Tag; before: string }[] = [];
  let [result, at] = ['', 0];
  for (const tag of tags) {
    result += text.slice(at, tag.index);
    at = tag.index + tag[0].length;
    const [outer, end] = [around.at(-1), ends.get(tag)];
    if (outer?.end === tag) {
      result = outer.before + expand(outer.tag, { content: result, end: tag[0] }, context);
      // A column or a tab after another is a paragraph of its own.
      if (context.removeOthers && text[at] === '[') result += '\n\n';
      around.pop();
    } else if (end !== undefined && end.index <= (outer?.end.index ?? end.index)) {
      around.push({ tag, end, before: result });
      result = '';
    } else result += tag[1] === undefined ? tag[0] : expand(tag, undefined, context);
  }
  return (result + text.slice(at)).replaceAll(WRITTEN_ABOUT, '$1').replaceAll(WRITTEN_ABOUT_END, '$1');
}

/** The end of each shortcode that has one before the next of its name begins. */
function endsOf(tags: readonly Tag[]): Map<Tag, Tag> {
  const [ends, open] = [new Map<Tag, Tag>(), new Map<string, Tag>()];
  for (const tag of tags) {
    const [, begun, , ended = ''] = tag;
    const beginning = open.get(ended.toLowerCase());
    open.delete(ended.toLowerCase());
    if (beginning !== undefined) ends.set(beginning, tag);
    if (begun !== undefined) open.set(begun.toLowerCase(), tag);
  }
  return ends;
}

function attributesOf(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(ATTRIBUTE)].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      double ?? single ?? bare ?? '',
    ]),
  );
}

/** Replaces a shortcode; `inside` is its content and its closing tag. */
function expand(
  [begin, called = '', rest = '']: Tag,
  inside: { content: string; end: string } | undefined,
  context: ShortcodeContext,
): string {
  const [name, given] = [called.toLowerCase(), rest.replace(/\/$/, '').trim()];
  const attributes = attributesOf(given.replaceAll(CURLY, '"'));
  const content = inside?.content;
  const whole = inside ? `${begin}${inside.content}${inside.end}` : begin;
  if (name === 'gallery' || name === 'slideshow') return galleryOf(attributes, context);
  if (name === 'playlist') return playlistOf(attributes, context);
  const isWhole = content !== undefined;
  if (isWhole && (name === 'caption' || name === 'wp_caption')) return figureOf(attributes, content);
  if (isWhole && name === 'embed') return `\n\n${content.trim()}\n\n`;
  const address = embeddedAddress(name, given, attributes, content);
  if (address !== undefined) return `<a href="${escaped(address)}">${escaped(address)}</a>`;
  const player =
    name === 'audio' || name === 'video'
      ? playerOf(name, attributes, (content || given).replace(/^:|\|.*/gs, ''))
      : undefined;
  if (player !== undefined) return player;
  // Brackets alone are no shortcode: [sic].
  if (!IS_KNOWN.test(name) && attributes.size === 0 && !given.startsWith('=') && !isWhole) return whole;
  context.onOther(name);
  return context.removeOthers ? shownOf(name, attributes, content) : whole;
}

/** Shortcodes of notes, which are within a sentence. */
const NOTE = /^(?:footnote|ref|efn_note|mfn)$/;

/** The text that a plugin shows of its shortcode: content, title, and where it leads. */
function shownOf(name: string, attributes: ReadonlyMap<string, string>, content: string | undefined): string {
  const [title, link] = [
    attributes.get('title') ?? '',
    attributes.get('link') ?? attributes.get('url') ?? attributes.get('href') ?? '',
  ];
  if (/^(?:https?:\/)?\/\S*$/.test(link)) {
    const text = content ?? attributes.get('text') ?? title;
    return text === '' || /<a\b/i.test(text) ? text : `<a href="${attribute(link)}">${text}</a>`;
  }
  if (content === undefined) return '';
  if (name === 'vc_raw_html') return rawHtml(content);
  if (NOTE.test(name)) return ` (${content.trim()})`;
  return title === '' ? content : `\n\n<strong>${title}</strong>\n\n${content}`;
}

/** HTML as a page builder keeps it: encoded twice. */
function rawHtml(content: string): string {
  try {
    return decodeURIComponent(atob(content.trim()));
  } catch {
    return content;
  }
}

/** The value of an attribute of a shortcode, which may be escaped already. */
function attribute(value: string): string {
  return value.replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function figureOf(attributes: Map<string, string>, content: string): string {
  const [, picture = '', rest = ''] =
    /^\s*((?:<a\b[^>]*>\s*)?<img\b[^>]*>(?:\s*<\/a>)?)([\s\S]*)$/i.exec(content) ?? [];
  if (picture === '') return content;
  const caption = rest.trim() || attributes.get('caption') || '';
  const align = /^align(?:left|right|center|none)$/.exec(attributes.get('align') ?? '')?.[0];
  return `\n\n<figure${align ? ` class="${align}"` : ''}>${picture}${captionOf(caption)}</figure>\n\n`;
}

function galleryOf(attributes: Map<string, string>, context: ShortcodeContext): string {
  const figures = attachmentsOf('gallery', attributes, context).map(
    ({ url, alt, caption }) =>
      `<figure><img src="${escaped(url)}" alt="${escaped(alt)}">${captionOf(caption)}</figure>`,
  );
  return figures.length === 0 ? '' : `\n\n<div class="gallery">${figures.join('')}</div>\n\n`;
}

function playlistOf(attributes: Map<string, string>, context: ShortcodeContext): string {
  const type = attributes.get('type') === 'video' ? 'video' : 'audio';
  const files = attachmentsOf('playlist', attributes, context);
  return files.map(({ url }) => playerOf(type, new Map(), url) ?? '').join('');
}

/** The attachments of a shortcode; reports those that are not in the file. */
function attachmentsOf(
  name: string,
  attributes: Map<string, string>,
  { attachment, own, onLost }: ShortcodeContext,
): readonly Attachment[] {
  const listed = (attribute: string) => attributes.get(attribute)?.match(/\d+/g);
  const ids = listed('ids') ?? listed('include');
  if (ids === undefined || ids === null) {
    const found = own(attributes.get('id'));
    if (found.length === 0) onLost(because('files_missing', name, 'its files are'));
    return found;
  }
  const missing = ids.filter((id) => attachment(id) === undefined);
  if (missing.length > 0) onLost(because('files_missing', name, `the attachments ${missing.join(', ')} are`));
  return ids.flatMap((id) => attachment(id) ?? []);
}

function captionOf(html: string): string {
  return html === '' ? '' : `<figcaption>${html.replaceAll(/\s+/g, ' ').trim()}</figcaption>`;
}

function playerOf(
  name: 'audio' | 'video',
  attributes: Map<string, string>,
  content: string | undefined,
): string | undefined {
  const named = ['src', 'mp3', 'mp4', 'm4a', 'm4v', 'ogg', 'ogv', 'wav', 'webm', 'wmv', 'flv'];
  const src = named.map((one) => attributes.get(one)).find((one) => one !== undefined) ?? content?.trim();
  if (!src || !/^https?:/.test(src)) return undefined;
  return `\n\n<${name} controls src="${escaped(src)}"></${name}>\n\n`;
}

/** Text as it stands in an attribute between double quotes, or in HTML. */
function escaped(text: string): string {
  return text
    .replaceAll('&amp;', '&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * Splits HTML into, by turns, text and elements of these names (`pre|code`) with all that they contain. One
 * that is not closed is text.
 */
function splitAtElements(html: string, names: string): string[] {
  const parts: string[] = [];
  const beginning = new RegExp(`<(${names})\\b`, 'gi');
  // An element that is not closed after one place is not closed after a later one.
  const unclosed = new Set<string>();
  let end = 0;
  for (let found = beginning.exec(html); found !== null; found = beginning.exec(html)) {
    const name = (found[1] ?? '').toLowerCase();
    if (unclosed.has(name)) continue;
    const ending = new RegExp(`</${name}\\s*>`, 'gi');
    ending.lastIndex = beginning.lastIndex;
    if (ending.test(html)) {
      parts.push(html.slice(end, found.index), html.slice(found.index, ending.lastIndex));
      end = beginning.lastIndex = ending.lastIndex;
    } else unclosed.add(name);
  }
  return [...parts, html.slice(end)];
}
