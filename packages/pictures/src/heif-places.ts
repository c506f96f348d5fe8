import { type Bytes, slice, u16, u32 } from './bytes.ts';
import type { Box } from './heif-boxes.ts';
import { understand } from './not-understood.ts';

interface Place {
  id: number;
  /** True if its bytes are in the list itself. */
  isInside: boolean;
  extents: (readonly [at: number, length: number])[];
}

/** The places of items' bytes, by item number (`iloc`). */
export function placesIn(bytes: Bytes, { content, end }: Box): Place[] {
  const [version = 0, , , , sizes = 0, more = 0] = slice(bytes, content, 6);
  const [ofOffset, ofLength, ofBase, ofIndex] = [sizes >> 4, sizes & 15, more >> 4, more & 15];
  // Extents without a length would cost no byte of the box, however many it counts.
  understand(version <= 2 && ofLength > 0, 'the places of its items are unknown');
  let at = content + 6;
  const next = (size: number) => {
    understand(size === 0 || size === 2 || size === 4 || size === 8, 'the places of its items are unknown');
    understand(at + size <= end, 'the places of its items reach beyond their end');
    at += size;
    if (size === 0) return 0;
    if (size === 2) return u16(bytes, at - 2);
    return u32(bytes, at - 4) + (size === 8 ? u32(bytes, at - 8) * 2 ** 32 : 0);
  };
  const counted = (sizeOfCount: number, sizeOfEach: number) => {
    const count = next(sizeOfCount);
    understand(at + count * sizeOfEach <= end, 'the places of its items reach beyond their end');
    return { length: count };
  };
  const wide = version < 2 ? 2 : 4;
  return Array.from(counted(wide, wide + 4 + ofBase), () => {
    const id = next(wide);
    const method = version === 0 ? 0 : next(2);
    understand(method <= 1 && next(2) === 0, 'one of its items is elsewhere');
    const base = next(ofBase);
    const extents = Array.from(counted(2, ofOffset + ofLength), () => {
      if (version > 0) next(ofIndex);
      return [base + next(ofOffset), next(ofLength)] as const;
    });
    return { id, isInside: method === 1, extents };
  });
}
