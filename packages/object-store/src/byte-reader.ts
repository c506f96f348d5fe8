import { S3Error } from './errors.ts';

/** Reads lines and byte ranges from a stream of chunks, buffering at most a chunk and a line. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /**
   * The bytes up to the next CRLF, as Latin-1 text; undefined when the stream ends before any.
   *
   * @throws S3Error IncompleteBody when the stream ends in the line, InvalidRequest when it has over
   *   `maximum` bytes
   */
  async lineOrEnd(maximum: number): Promise<string | undefined> {
    for (;;) {
      const end = this.#buffer.indexOf('\r\n');
      if (end > maximum || (end < 0 && this.#buffer.length > maximum + 1)) {
        throw new S3Error('InvalidRequest', 'A line of the chunked body is too long.');
      }
      if (end >= 0) {
        const line = this.#buffer.toString('latin1', 0, end);
        this.#buffer = this.#buffer.subarray(end + 2);
        return line;
      }
      if (await this.#fill()) continue;
      if (this.#buffer.length === 0) return undefined;
      throw new S3Error('IncompleteBody');
    }
  }

  /** The same where the stream must not end. */
  async line(maximum: number): Promise<string> {
    const line = await this.lineOrEnd(maximum);
    if (line === undefined) throw new S3Error('IncompleteBody');
    return line;
  }

  /**
   * The next `count` bytes.
   *
   * @throws S3Error IncompleteBody when the stream ends before
   */
  async *take(count: number): AsyncGenerator<Uint8Array> {
    let remaining = count;
    while (remaining > 0) {
      if (this.#buffer.length === 0 && !(await this.#fill())) throw new S3Error('IncompleteBody');
      const bytes = this.#buffer.subarray(0, remaining);
      this.#buffer = this.#buffer.subarray(bytes.length);
      remaining -= bytes.length;
      yield bytes;
    }
  }

  async #fill(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    this.#buffer =
      this.#buffer.length > 0
        ? Buffer.concat([this.#buffer, value])
        : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return true;
  }
}
