/** The text of a request to 127.0.0.1, without a body. */
export function requestText(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nHost: bench\r\n${lines.join('')}`;
}

/**
 * Reads the answers on one connection. It only looks for the status line and the length of each: a client
 * that parsed them would cost more than the servers that are measured, and be what is measured.
 */
export class AnswerReader {
  /** The status of the answer that is being read, and of the last one. */
  status = 0;
  /** Bytes of the answer that are still to come. */
  #missing = 0;

  /** Takes a piece of an answer; whether the answer is whole now. */
  takes(chunk: Buffer): boolean {
    if (this.#missing === 0) {
      const end = chunk.indexOf('\r\n\r\n');
      const head = chunk.toString('latin1', 0, end);
      this.status = Number(head.slice(9, 12));
      const length = this.status === 304 ? 0 : Number(/content-length: (\d+)/i.exec(head)?.[1]);
      this.#missing = end + 4 + length;
    }
    this.#missing -= chunk.length;
    return this.#missing <= 0;
  }
}
