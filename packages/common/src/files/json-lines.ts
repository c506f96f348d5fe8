import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { Failure } from '../failures/failure.ts';
import { fileFailure } from './file-failure.ts';

/** A line of a file in the format JSON Lines (https://jsonlines.org). */
export interface JsonLine {
  /** Counted from 1; empty lines count. */
  number: number;
  /** Without its line ending; undefined if it is not UTF-8, because the text would be altered. */
  text: string | undefined;
}

const NEWLINE = 0x0a;

/** The byte order mark that some editors write at the beginning of a file. */
const MARK = /^\uFEFF/;

/**
 * Reads the lines of a file, or of standard input for `-`. Throws a {@link Failure} when the file cannot be
 * read.
 */
export async function* readJsonLines(file: string): AsyncGenerator<JsonLine> {
  try {
    yield* jsonLinesOf(file === '-' ? process.stdin : createReadStream(file));
  } catch (error) {
    throw fileFailure(error, file);
  }
}

/**
 * The lines of a stream of bytes, empty ones left out. Only LF or CRLF ends a line: `node:readline` also ends
 * one at U+2028 and U+2029, which JSON may contain unescaped.
 */
export async function* jsonLinesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<JsonLine> {
  let number = 0;
  for await (const bytes of byteLinesOf(stream)) {
    number += 1;
    const text = decode(bytes);
    const content = number === 1 ? text?.replace(MARK, '') : text;
    if (content?.trim() !== '') yield { number, text: content };
  }
}

/** The value of a line. Throws a {@link Failure} if the line as a whole is invalid. */
export function parseJsonLine(text: string | undefined): unknown {
  if (text === undefined) throw new Failure('invalid', 'the line is not UTF-8');
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('invalid', 'the line is not JSON');
  }
}

async function* byteLinesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  for await (const chunk of stream) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, begin)) {
      yield Buffer.concat([...parts, chunk.subarray(begin, end)]);
      parts = [];
      begin = end + 1;
    }
    if (begin < chunk.length) parts.push(chunk.subarray(begin));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

function decode(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8').replace(/\r$/, '') : undefined;
}
