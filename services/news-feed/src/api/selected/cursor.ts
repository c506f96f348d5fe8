import { hash } from 'node:crypto';

/** Which form of the items a mirror contains. */
export type Fields = 'default' | 'minimal';

/** A position in the ledger: everything up to `seq` is known. */
export interface SyncCursor {
  /** The history that `seq` belongs to, named by `historyOf`. */
  history: string;
  fields: Fields;
  seq: number;
}

/** A position in a snapshot: the items up to the key `after` are known. */
export interface PageCursor {
  /** Where the changes after this snapshot begin, fixed on its first page. */
  sync: SyncCursor;
  /** `asOf` of the first page. */
  asOf: Date;
  after: string;
}

/** The first byte of every cursor; increase it when the layout of the rest changes. */
const VERSION = 1;

const SYNC = 0;
const PAGE = 1;
const FIELDS: readonly Fields[] = ['default', 'minimal'];

/** Bytes: version, kind, fields, history, seq; a page adds asOf and its key; all end with a checksum. */
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

/** Writes a sync cursor. */
export function writeSyncCursor(cursor: SyncCursor): string {
  return seal(head(SYNC, cursor));
}

/** Writes the cursor of a snapshot's next page. */
export function writePageCursor({ sync, asOf, after }: PageCursor): string {
  const time = Buffer.alloc(AFTER_AT - AS_OF_AT);
  time.writeUIntBE(asOf.getTime(), 0, time.length);
  return seal(Buffer.concat([head(PAGE, sync), time, Buffer.from(after)]));
}

/** Parses a sync cursor; undefined if `text` is not one, or was altered. */
export function readSyncCursor(text: string): SyncCursor | undefined {
  const bytes = unseal(text, SYNC);
  return bytes?.length === AS_OF_AT ? syncOf(bytes) : undefined;
}

/** Parses the cursor of a snapshot's page; undefined if `text` is not one, or was altered. */
export function readPageCursor(text: string): PageCursor | undefined {
  const bytes = unseal(text, PAGE);
  const sync = bytes && bytes.length > AFTER_AT ? syncOf(bytes) : undefined;
  if (bytes === undefined || sync === undefined) return undefined;
  const asOf = new Date(bytes.readUIntBE(AS_OF_AT, AFTER_AT - AS_OF_AT));
  return { sync, asOf, after: bytes.toString('utf8', AFTER_AT) };
}

function head(kind: number, { history, fields, seq }: SyncCursor): Buffer {
  const bytes = Buffer.alloc(AS_OF_AT);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt8(kind, 1);
  bytes.writeUInt8(FIELDS.indexOf(fields), 2);
  bytes.write(history, HISTORY_AT, 'hex');
  bytes.writeUIntBE(seq, SEQ_AT, AS_OF_AT - SEQ_AT);
  return bytes;
}

function syncOf(bytes: Buffer): SyncCursor | undefined {
  const fields = FIELDS[bytes.readUInt8(2)];
  if (fields === undefined) return undefined;
  const history = bytes.toString('hex', HISTORY_AT, SEQ_AT);
  return { history, fields, seq: bytes.readUIntBE(SEQ_AT, AS_OF_AT - SEQ_AT) };
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
