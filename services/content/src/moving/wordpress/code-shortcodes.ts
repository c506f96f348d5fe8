/** The names under which SyntaxHighlighter shows code, and those of its languages. */
export const CODE_NAMES =
  'sourcecode|source|code|actionscript3|as3|bash|shell|coldfusion|cf|clojure|clj|cpp|csharp|c-sharp|c|css|delphi|pascal|diff|patch|erlang|erl|fsharp|golang|go|groovy|haskell|html|java|javafx|jfx|javascript|js|latex|tex|matlab|objc|obj-c|perl|php|plain|text|powershell|ps|python|py|ruby|rails|ror|rb|r|scala|sql|swift|vbnet|vb|xhtml|xml|xslt|yaml|yml';

/** Where code begins: as an element, which stays as it is, or as a shortcode. */
const BEGINNING = new RegExp(
  `<(pre|code|script|style)\\b|(?<!\\[)\\[(${CODE_NAMES})([\\s=][^[\\]]*)?\\](?!\\])`,
  'gi',
);

/** HTML with the code in shortcodes as elements: no tag, comment or shortcode in it is one. */
export function withCodeElements(html: string): string {
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
