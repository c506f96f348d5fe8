import { type Token, Tokenizer, TokenizerMode } from 'parse5';

const URLS = ['href', 'src', 'poster', 'cite', 'longdesc', 'background', 'xlink:href'];

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

/** Returns the replacement of a URL that an attribute has, named as in `img src`. */
export type UrlChange = (url: string, attribute: string) => string;

/** HTML with the URLs of its attributes changed, all else as it is. */
export function withChangedUrls(html: string, change: UrlChange): string {
  const parts: string[] = [];
  let end = 0;
  const onStartTag = ({ tagName, attrs, location }: Token.TagToken) => {
    tokenizer.state = WITHOUT_TAGS.get(tagName) ?? tokenizer.state;
    for (const { name, value } of attrs) {
      const place = location?.attrs?.[name];
      const changed = changedValue(name, value, (url) => change(url, `${tagName} ${name}`));
      if (place === undefined || changed === value) continue;
      parts.push(html.slice(end, place.startOffset), `${name}="${quoted(changed)}"`);
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

function changedValue(name: string, value: string, change: (url: string) => string): string {
  if (URLS.includes(name)) return change(value);
  if (name !== 'srcset') return value;
  return value.replace(CANDIDATE, (_, url: string, rest = '') => change(url) + rest);
}
