import { type Bytes, slice, u32 } from './bytes.ts';
import { understand } from './not-understood.ts';

/** A box of a file, by places in it (ISO/IEC 14496-12). */
export interface Box {
  type: string;
  at: number;
  content: number;
  end: number;
}

/** The box that begins at `at` of what is known of a file, and ends before `end`. */
export function boxAt(bytes: Bytes, at: number, end: number): Box {
  const short = u32(bytes, at);
  const type = String.fromCharCode(...slice(bytes, at + 4, 4));
  const content = at + (short === 1 ? 16 : 8);
  const length = short === 1 ? u32(bytes, at + 8) * 2 ** 32 + u32(bytes, at + 12) : short || end - at;
  understand(at + length >= content && at + length <= end, 'a box reaches beyond its end');
  return { type, at, content, end: at + length };
}

/** The boxes between two places. */
export function boxesIn(bytes: Bytes, from: number, end: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < end; at = boxes.at(-1)?.end ?? end) boxes.push(boxAt(bytes, at, end));
  return boxes;
}
