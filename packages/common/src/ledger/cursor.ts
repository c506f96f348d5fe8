import { hash } from 'node:crypto';

/** A position in the ledger: everything up to `seq` is known. */
export interface SyncCursor<Fields extends string> {
  /** The history that `seq` belongs to, named by `historyOf`. */
  history: string;
  /** Which form of the items a mirror contains. */
  fields: Fields;
  seq: number;
}

/** A position in a snapshot: the items up to the place `after` are known. */
export interface PageCursor<Fields extends string> {
  /** Where the changes after this snapshot begin, fixed on its first page. */
  sync: SyncCursor<Fields>;
  /** `asOf` of the first page. */
  asOf: Date;
  after: string;
}

/** The first byte of every cursor; increase it when the layout of the rest changes. */
const VERSION = 1;

const SYNC = 0;
const PAGE = 1;

/** Bytes: version, kind, fields, history, seq; a page adds asOf and its place; all end with a checksum. */
const HISTORY_AT = 3;
const SEQ_AT = 11;
const AS_OF_AT = 17;
const AFTER_AT = 23;
const CHECKSUM_BYTES = 6;

/** Far longer than any cursor. */
const MAX_LENGTH = 512;

/** A name of 16 hexadecimal digits for `parts`: equal only for equal parts. */
export function historyOf(...parts: string[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 2 * (SEQ_AT - HISTORY_AT));
}

/** Writes and reads the cursors of a ledger. */
export class CursorCodec<Fields extends string> {
  readonly #fields: readonly Fields[];

  /** A cursor holds the index of its `fields` in this list. */
  constructor(fields: readonly Fields[]) {
    this.#fields = fields;
  }

  /** Writes a sync cursor. */
  writeSync(cursor: SyncCursor<Fields>): string {
    return seal(this.#head(SYNC, cursor));
  }

  /** Writes the cursor of a snapshot's next page. */
  writePage({ sync, asOf, after }: PageCursor<Fields>): string {
    const time = Buffer.alloc(AFTER_AT - AS_OF_AT);
    time.writeUIntBE(asOf.getTime(), 0, time.length);
    return seal(Buffer.concat([this.#head(PAGE, sync), time, Buffer.from(after)]));
  }

  /** Parses a sync cursor; undefined if `text` is not one, or was altered. */
  readSync(text: string): SyncCursor<Fields> | undefined {
    const bytes = unseal(text, SYNC);
    return bytes?.length === AS_OF_AT ? this.#syncOf(bytes) : undefined;
  }

  /** Parses the cursor of a snapshot's page; undefined if `text` is not one, or was altered. */
  readPage(text: string): PageCursor<Fields> | undefined {
    const bytes = unseal(text, PAGE);
    const sync = bytes && bytes.length > AFTER_AT ? this.#syncOf(bytes) : undefined;
    if (bytes === undefined || sync === undefined) return undefined;
    const asOf = new Date(bytes.readUIntBE(AS_OF_AT, AFTER_AT - AS_OF_AT));
    return { sync, asOf, after: bytes.toString('utf8', AFTER_AT) };
  }

  #head(kind: number, { history, fields, seq }: SyncCursor<Fields>): Buffer {
    const bytes = Buffer.alloc(AS_OF_AT);
    bytes.writeUInt8(VERSION, 0);
    bytes.writeUInt8(kind, 1);
    bytes.writeUInt8(this.#fields.indexOf(fields), 2);
    bytes.write(history, HISTORY_AT, 'hex');
    bytes.writeUIntBE(seq, SEQ_AT, AS_OF_AT - SEQ_AT);
    return bytes;
  }

  #syncOf(bytes: Buffer): SyncCursor<Fields> | undefined {
    const fields = this.#fields[bytes.readUInt8(2)];
    if (fields === undefined) return undefined;
    const history = bytes.toString('hex', HISTORY_AT, SEQ_AT);
    return { history, fields, seq: bytes.readUIntBE(SEQ_AT, AS_OF_AT - SEQ_AT) };
  }
}

/** Not a secret: it detects an altered or truncated cursor. */
function checksum(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer').subarray(0, CHECKSUM_BYTES);
}

function seal(bytes: Buffer): string {
  return Buffer.concat([bytes, checksum(bytes)]).toString('base64url');
}

/** The bytes before the checksum, if it matches and they have this version and `kind`. */
function unseal(text: string, kind: number): Buffer | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const sealed = Buffer.from(text, 'base64url');
  // Node ignores characters that are not base64url, but a cursor has only one spelling.
  if (sealed.length < AS_OF_AT + CHECKSUM_BYTES || sealed.toString('base64url') !== text) return undefined;
  const bytes = sealed.subarray(0, -CHECKSUM_BYTES);
  if (!checksum(bytes).equals(sealed.subarray(-CHECKSUM_BYTES))) return undefined;
  return bytes.readUInt8(0) === VERSION && bytes.readUInt8(1) === kind ? bytes : undefined;
}
