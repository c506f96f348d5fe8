/**
 * The lines of a text, ended by LF or CRLF and by nothing else (JSON Lines, "Line Terminator"): `node:readline` ends
 * one at U+2028 and U+2029, too, which stand as they are in JSON. A CR is left to the reader, for whom it is white space.
 */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
