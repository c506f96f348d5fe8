import { type Token, Tokenizer, TokenizerMode } from 'parse5';

/** The attributes with one URL. */
const URLS = ['href', 'src', 'poster', 'cite', 'longdesc', 'background', 'xlink:href'];

/** A URL that has a scheme, after the white space that parsers leave out. */
const ABSOLUTE = /^\s*[a-z][a-z0-9+.-]*:/i;

/** A candidate of a `srcset`: its URL and what follows it. */
const CANDIDATE = /([^\s,](?:\S*[^\s,])?)(\s[^,]*)?/g;

/** The elements whose text has no tags, by how it is read. */
const WITHOUT_TAGS = new Map([
  ['script', TokenizerMode.SCRIPT_DATA],
  ['style', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['textarea', TokenizerMode.RCDATA],
]);

const ignore = () => undefined;

/** HTML of a page at `base` for readers elsewhere: its relative URLs made absolute, all else as it is. */
export function withAbsoluteUrls(html: string, base: string): string {
  const parts: string[] = [];
  let end = 0;
  const onStartTag = ({ tagName, attrs, location }: Token.TagToken) => {
    tokenizer.state = WITHOUT_TAGS.get(tagName) ?? tokenizer.state;
    for (const { name, value } of attrs) {
      const place = location?.attrs?.[name];
      const absolute = absoluteValue(name, value, base);
      if (place === undefined || absolute === value) continue;
      parts.push(html.slice(end, place.startOffset), `${name}="${quoted(absolute)}"`);
      end = place.endOffset;
    }
  };
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag,
      onEndTag: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
      onCharacter: ignore,
      onNullCharacter: ignore,
      onWhitespaceCharacter: ignore,
    },
  );
  tokenizer.write(html, true);
  return parts.join('') + html.slice(end);
}

/** A value as it stands between double quotes. */
function quoted(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

function absoluteValue(name: string, value: string, base: string): string {
  if (URLS.includes(name)) return absoluteUrl(value, base);
  if (name !== 'srcset') return value;
  return value.replace(CANDIDATE, (_, url: string, rest = '') => absoluteUrl(url, base) + rest);
}

function absoluteUrl(url: string, base: string): string {
  return ABSOLUTE.test(url) ? url : (URL.parse(url, base)?.href ?? url);
}
