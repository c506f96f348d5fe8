import { type Bytes, slice, u16, u32 } from './bytes.ts';
import { type Box, boxesIn } from './heif-boxes.ts';
import { understand } from './not-understood.ts';

export interface Thumbnails {
  /** Their items, with those that only they are made of, by number. */
  items: Set<number>;
  /** The lists that say whose thumbnails they are. */
  references: Box[];
}

/** The thumbnails that a list refers to (`iref`), of which `primary` is none. */
export function thumbnailsIn(bytes: Bytes, box: Box | undefined, primary: number): Thumbnails {
  const references = box === undefined ? [] : referencesIn(bytes, box);
  const of = (type: string) => references.filter((one) => one.box.type === type);
  const items = new Set(of('thmb').map(({ from }) => from));
  // Their transparency.
  for (const { from, to } of of('auxl')) if (to.every((id) => items.has(id))) items.add(from);
  const [theirs, others] = [true, false].map((is) => of('dimg').filter(({ from }) => items.has(from) === is));
  const needed = new Set(others?.flatMap(({ to }) => to));
  for (const id of theirs?.flatMap(({ to }) => to) ?? []) if (!needed.has(id)) items.add(id);
  understand(!items.has(primary), 'its picture is a thumbnail');
  return { items, references: of('thmb').map((one) => one.box) };
}

interface Reference {
  box: Box;
  from: number;
  to: number[];
}

function referencesIn(bytes: Bytes, { content, end }: Box): Reference[] {
  const [version = 0] = slice(bytes, content, 1);
  understand(version <= 1, 'the references of its items are unknown');
  const [size, number] = version === 0 ? [2, u16] : [4, u32];
  return boxesIn(bytes, content + 4, end).map((box) => {
    const first = box.content + size + 2;
    const length = u16(bytes, first - 2);
    understand(first + length * size <= box.end, 'the references of its items reach beyond their end');
    const to = Array.from({ length }, (_, index) => number(bytes, first + index * size));
    return { box, from: number(bytes, box.content), to };
  });
}
