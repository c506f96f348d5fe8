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
  /** The attachments that were uploaded to the article. */
  own: () => readonly Attachment[];
  /** Whether shortcodes that are not known are removed, rather than left as text. */
  removeOthers: boolean;
  /** Told of a shortcode that is not known. */
  onOther: (name: string) => void;
}

/** What is left as it is: code that shows shortcodes. */
const CODE = /(<(pre|code|script|style)\b[\s\S]*?<\/\2\s*>)/i;

const ATTRIBUTE = /(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s\]]+))/g;

/** With an end and content, or alone. `[[name]]` is how an article writes about one. */
const SHORTCODE =
  /(?<!\[)\[([a-z][\w-]*)(?=[\s\]/])((?:\s+[^\]]*?)?)\/?\](?!\])(?:((?:(?!\[\1[\s\]])[\s\S])*?)\[\/\1\])?/gi;

/** Makes HTML of the shortcodes of WordPress itself, as far as they are known. */
export function expandShortcodes(html: string, context: ShortcodeContext): string {
  const parts = html.split(CODE);
  return parts
    .map((part, index) => {
      if (index % 3 !== 0) return index % 3 === 1 ? part : '';
      return part.replaceAll(SHORTCODE, (whole, name: string, given: string, content?: string) =>
        expand(whole, name.toLowerCase(), given.trim(), content, context),
      );
    })
    .join('');
}

function attributesOf(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(ATTRIBUTE)].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      double ?? single ?? bare ?? '',
    ]),
  );
}

function expand(
  whole: string,
  name: string,
  given: string,
  content: string | undefined,
  context: ShortcodeContext,
): string {
  const attributes = attributesOf(given);
  switch (name) {
    case 'caption':
    case 'wp_caption':
      return content === undefined ? whole : figureOf(attributes, expandShortcodes(content, context));
    case 'gallery':
      return galleryOf(attributes, context);
    case 'audio':
    case 'video':
      return playerOf(name, attributes, content || given) ?? other(whole, name, content, context);
    case 'embed':
      return content === undefined ? whole : `\n\n${content.trim()}\n\n`;
    default:
      // Brackets alone are no shortcode: [sic].
      if (attributes.size === 0 && content === undefined) return whole;
      return other(whole, name, content, context);
  }
}

function other(whole: string, name: string, content: string | undefined, context: ShortcodeContext): string {
  context.onOther(name);
  const inner = content === undefined ? '' : expandShortcodes(content, context);
  if (context.removeOthers) return inner;
  return content ? whole.replace(content, () => inner) : whole;
}

function figureOf(attributes: Map<string, string>, content: string): string {
  const [, picture = '', rest = ''] =
    /^\s*((?:<a\b[^>]*>\s*)?<img\b[^>]*>(?:\s*<\/a>)?)([\s\S]*)$/i.exec(content) ?? [];
  if (picture === '') return content;
  const caption = rest.trim() || attributes.get('caption') || '';
  const align = /^align(?:left|right|center|none)$/.exec(attributes.get('align') ?? '')?.[0];
  return `\n\n<figure${align ? ` class="${align}"` : ''}>${picture}${captionOf(caption)}</figure>\n\n`;
}

function galleryOf(attributes: Map<string, string>, { attachment, own }: ShortcodeContext): string {
  const ids = attributes.get('ids') ?? attributes.get('include');
  const pictures = ids === undefined ? own() : ids.split(',').flatMap((id) => attachment(id.trim()) ?? []);
  const figures = pictures.map(
    ({ url, alt, caption }) =>
      `<figure><img src="${escaped(url)}" alt="${escaped(alt)}">${captionOf(caption)}</figure>`,
  );
  return figures.length === 0 ? '' : `\n\n<div class="gallery">${figures.join('')}</div>\n\n`;
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
