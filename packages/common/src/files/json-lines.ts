import { isUtf8 } from 'node:buffer';
import { createReadStream, readFileSync } from 'node:fs';
import { Failure } from '../failures/failure.ts';

/** The failure for a file, by Node's error code. */
const REASONS: Record<string, (path: string) => Failure> = {
  ENOENT: (path) => new Failure('missing', `the file ${path} does not exist`),
  ENOTDIR: (path) => new Failure('missing', `the file ${path} does not exist`),
  EISDIR: (path) => new Failure('refused', `${path} is a directory; give the path of a file`),
  EACCES: (path) => new Failure('refused', `this user is not allowed to read the file ${path}`),
  EPERM: (path) => new Failure('refused', `this user is not allowed to read the file ${path}`),
};

/** The failure that says why the file at `path` cannot be read; other errors are returned unchanged. */
export function fileFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error && 'code' in error)) return error;
  // Sockets use the same codes.
  if (!['open', 'read', 'stat'].includes(String(error.syscall))) return error;
  return REASONS[String(error.code)]?.(path) ?? error;
}

/** The text of a file, or of standard input for `-`. Throws a {@link Failure} if it cannot be read. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8');
  } catch (error) {
    throw fileFailure(error, file);
  }
}

/** A line of a file in the format JSON Lines (https://jsonlines.org). */
export interface JsonLine {
  /** Counted from 1; empty lines count. */
  number: number;
  /** Without its line ending. */
  text: LineText;
}

/** Why a line cannot be read, by its name. */
export class LineFault extends Failure {
  readonly fault: 'line_too_long' | 'not_json' | 'not_utf8';

  constructor(fault: LineFault['fault'], message: string) {
    super('invalid', message);
    this.fault = fault;
  }
}

/** The text of a line, or why there is none: what is not UTF-8 would be altered. */
export type LineText = string | LineFault;

const NEWLINE = 0x0a;

/** The most bytes that a line may have: it is held in memory. */
const MOST_BYTES = 2 ** 26;

const TOO_LONG = new LineFault('line_too_long', `the line is longer than ${MOST_BYTES / 2 ** 20} MiB`);
const NOT_UTF8 = new LineFault('not_utf8', 'the line is not UTF-8');

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
    const text = bytes === undefined ? TOO_LONG : decode(bytes);
    const content = number === 1 && typeof text === 'string' ? text.replace(MARK, '') : text;
    if (typeof content !== 'string' || content.trim() !== '') yield { number, text: content };
  }
}

/** The value of a line. Throws a {@link LineFault} if the line as a whole is invalid. */
export function parseJsonLine(text: LineText): unknown {
  if (typeof text !== 'string') throw text;
  try {
    return JSON.parse(text);
  } catch {
    throw new LineFault('not_json', 'the line is not JSON');
  }
}

/** The lines without their ends; undefined for one that is too long. */
async function* byteLinesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer | undefined> {
  let line = new LineBytes();
  for await (const chunk of stream) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, begin)) {
      line.add(chunk.subarray(begin, end));
      yield line.whole();
      line = new LineBytes();
      begin = end + 1;
    }
    line.add(chunk.subarray(begin));
  }
  if (line.size > 0) yield line.whole();
}

/** The bytes of a line, as far as they are kept. */
class LineBytes {
  size = 0;
  #parts: Uint8Array[] = [];

  add(part: Uint8Array): void {
    this.size += part.length;
    if (this.size > MOST_BYTES) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  whole(): Buffer | undefined {
    return this.size > MOST_BYTES ? undefined : Buffer.concat(this.#parts);
  }
}

function decode(bytes: Buffer): LineText {
  return isUtf8(bytes) ? bytes.toString('utf8').replace(/\r$/, '') : NOT_UTF8;
}
