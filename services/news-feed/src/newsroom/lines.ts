import { isUtf8 } from 'node:buffer';

const NEWLINE = 0x0a;

/** The byte order mark that some editors write in front of a file. */
const MARK = /^\uFEFF/;

/** The lines of a stream of bytes; undefined for one that is no UTF-8, because its text would not come back as it was. */
export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let first = true;
  const finish = () => {
    const text = decode(Buffer.concat(parts));
    parts = [];
    const line = first ? text?.replace(MARK, '') : text;
    first = false;
    return line;
  };
  for await (const chunk of stream) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, begin)) {
      parts.push(chunk.subarray(begin, end));
      yield finish();
      begin = end + 1;
    }
    if (begin < chunk.length) parts.push(chunk.subarray(begin));
  }
  if (parts.length > 0) yield finish();
}

function decode(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8').replace(/\r$/, '') : undefined;
}
