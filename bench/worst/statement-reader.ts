/** The messages of a client that run a statement: Execute, and Query with its text. */
const RUNS = new Set(['E', 'Q']);

/** The bytes of a message's type and of its length. */
const TYPE = 1;
const LENGTH = 4;

/**
 * Reads what a client sends to PostgreSQL on one connection, and counts what it has run (Frontend/Backend
 * Protocol 3, "Message Formats"). PostgreSQL's own counters are late by seconds while a connection is busy.
 */
export class StatementReader {
  #pending: Buffer = Buffer.alloc(0);
  /** The first message has no type. */
  #started = false;

  /** Takes the next bytes, and returns how many statements begin to run with them. */
  count(chunk: Uint8Array): number {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    let statements = 0;
    for (;;) {
      const type = this.#started ? TYPE : 0;
      if (this.#pending.length < type + LENGTH) return statements;
      const end = type + this.#pending.readUInt32BE(type);
      if (this.#pending.length < end) return statements;
      if (type > 0 && RUNS.has(String.fromCharCode(this.#pending[0] ?? 0))) statements += 1;
      this.#pending = this.#pending.subarray(end);
      this.#started = true;
    }
  }
}
