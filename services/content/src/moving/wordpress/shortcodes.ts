import { CODE_NAMES } from './code-shortcodes.ts';
import { splitAtElements } from './elements.ts';
import { EMBED_NAMES, embeddedAddress } from './embed-shortcodes.ts';

/** A picture, sound or film of an export. */
export interface Attachment {
  url: string;
  alt: string;
  caption: string;
}

/** What shortcodes refer to. */
export interface ShortcodeContext {
  /** An attachment by its id. */
  attachment: (id: string) => Attachment | undefined;
  /** The attachments that were uploaded to the article, or to the one with this id. */
  own: (id?: string) => readonly Attachment[];
  /** Whether shortcodes that are not known are removed, rather than left as text. */
  removeOthers: boolean;
  /** Called for an unknown shortcode. */
  onOther: (name: string) => void;
  /** Called with what is lost. */
  onLost: (what: string) => void;
}

/** What is left as it is: code that shows shortcodes. */
export const CODE = 'pre|code|script|style';

const ATTRIBUTE = /(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s\]]+))/g;

/** The beginning or the end of a shortcode. `[[name]]` is how an article writes about one. */
const TAG = /(?<!\[)\[([a-z][\w-]*)([\s=][^[\]]*|\/?)\](?!\])|\[\/([a-z][\w-]*)\]/gi;

/** The names of shortcodes that are known. In two pairs of brackets, one is only written about. */
const KNOWN = `gallery|playlist|caption|wp_caption|embed|audio|video|${CODE_NAMES}|${EMBED_NAMES}`;
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
  const tags = [...text.matchAll(TAG)];
  const ends = endsOf(tags);
  /** The shortcodes around the place, and what stands before each. */
  const around: { tag: Tag; end: Tag; before: string }[] = [];
  let [result, at] = ['', 0];
  for (const tag of tags) {
    result += text.slice(at, tag.index);
    at = tag.index + tag[0].length;
    const [outer, end] = [around.at(-1), ends.get(tag)];
    if (outer?.end === tag) {
      result = outer.before + expand(outer.tag, { content: result, end: tag[0] }, context);
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

/** What a shortcode becomes, `inside` what stands in it and how it ends. */
function expand(
  [begin, called = '', rest = '']: Tag,
  inside: { content: string; end: string } | undefined,
  context: ShortcodeContext,
): string {
  const [name, given] = [called.toLowerCase(), rest.replace(/\/$/, '').trim()];
  const attributes = attributesOf(given);
  const content = inside?.content;
  const whole = inside ? `${begin}${inside.content}${inside.end}` : begin;
  if (name === 'gallery') return galleryOf(attributes, context);
  if (name === 'playlist') return playlistOf(attributes, context);
  const isWhole = content !== undefined;
  if (isWhole && (name === 'caption' || name === 'wp_caption')) return figureOf(attributes, content);
  if (isWhole && name === 'embed') return `\n\n${content.trim()}\n\n`;
  const address = embeddedAddress(name, given, attributes, content);
  if (address !== undefined) return `<a href="${escaped(address)}">${escaped(address)}</a>`;
  const player =
    name === 'audio' || name === 'video'
      ? playerOf(name, attributes, (content || given).replace(/\|.*/s, ''))
      : undefined;
  if (player !== undefined) return player;
  // Brackets alone are no shortcode: [sic].
  if (!IS_KNOWN.test(name) && attributes.size === 0 && !given.startsWith('=') && !isWhole) return whole;
  context.onOther(name);
  return context.removeOthers ? (content ?? '') : whole;
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

/** What a shortcode shows; tells what of it is not in the file. */
function attachmentsOf(
  name: string,
  attributes: Map<string, string>,
  { attachment, own, onLost }: ShortcodeContext,
): readonly Attachment[] {
  const listed = (attribute: string) => attributes.get(attribute)?.match(/\d+/g);
  const ids = listed('ids') ?? listed('include');
  if (ids === undefined || ids === null) {
    const found = own(attributes.get('id'));
    if (found.length === 0) onLost(`[${name}]: its files are not in the export; left out`);
    return found;
  }
  const missing = ids.filter((id) => attachment(id) === undefined);
  if (missing.length > 0)
    onLost(`[${name}]: the attachments ${missing.join(', ')} are not in the export; left out`);
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
export function escaped(text: string): string {
  return text
    .replaceAll('&amp;', '&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
