import type { Bytes, ReadPart } from '@pressroom/desk/metadata/bytes';
import { understand } from '@pressroom/desk/metadata/not-understood';

/** What one request reads at least and at most, in bytes, and the most requests for a file. */
const [READ, LONGEST, REQUESTS] = [2 ** 16, 2 ** 24, 16];

/** Reads parts of a file of `size` bytes, ahead, because metadata lies together. */
export function readAhead(read: (range: string) => Promise<Bytes>, size: number): ReadPart {
  let held = { from: 0, bytes: new Uint8Array() as Bytes };
  let requests = 0;
  return async (from, length) => {
    const end = Math.min(from + length, size);
    if (from >= end) return new Uint8Array();
    if (from < held.from || end > held.from + held.bytes.length) {
      requests += 1;
      understand(requests <= REQUESTS, 'its metadata is scattered over the file');
      understand(end - from <= LONGEST, 'its metadata is too long');
      const last = Math.min(Math.max(end, from + READ), size) - 1;
      held = { from, bytes: await read(`bytes=${from}-${last}`) };
    }
    return held.bytes.subarray(from - held.from, end - held.from);
  };
}
