import { describe, expect, test } from 'vitest';
import { ascii, type Bytes, joined, number } from './bytes.ts';
import { findPlaces } from './find-places.ts';
import { stripped } from './strip.ts';

interface TestItem {
  type: string;
  /** The rest of its entry in the list: its name, and the media type of text. */
  names?: string;
  extents: [from: number, length: number][];
}

const PIXELS: TestItem = { type: 'hvc1', extents: [[0, 16]] };

function box(type: string, ...content: Bytes[]): Bytes {
  const whole = joined(content);
  return joined([number(8 + whole.length, 4), ascii(type), whole]);
}

/** A file of these items, with more boxes in its list; `placed` is said of where items are. */
function heic(
  items: TestItem[],
  data: string,
  { more = [], placed }: { more?: Bytes[]; placed?: Bytes } = {},
) {
  const kinds = items.map(({ type, names = '' }, index) =>
    box('infe', ascii('\x02\0\0\0'), number(index + 1, 2), number(0, 2), ascii(`${type}${names}\0`)),
  );
  const list = (from: number) => {
    const places = items.flatMap(({ extents }, index) => [
      ...[index + 1, 0, extents.length].map((value) => number(value, 2)),
      ...extents.flatMap(([at, length]) => [number(from + at, 4), number(length, 4)]),
    ]);
    const iloc = placed ?? joined([ascii('\0\0\0\0\x44\0'), number(items.length, 2), ...places]);
    const iinf = box('iinf', ascii('\0\0\0\0'), number(items.length, 2), ...kinds);
    const pitm = box('pitm', ascii('\0\0\0\0\0\x01'));
    return box('meta', ascii('\0\0\0\0'), pitm, iinf, box('iloc', iloc), ...more);
  };
  const head = box('ftyp', ascii('heic\0\0\0\0mif1'));
  return joined([head, list(head.length + list(0).length + 8), box('mdat', ascii(data))]);
}

const textOf = (bytes: Bytes) => new TextDecoder('latin1').decode(bytes);

const places = (bytes: Bytes) =>
  findPlaces(async (from, length) => bytes.slice(from, from + length), bytes.length);

const strip = (bytes: Bytes) =>
  stripped(bytes, () => ({ getElementsByTagName: () => [], getElementsByTagNameNS: () => [] }));

/** Neither is it published nor is it said to name no place. */
async function expectRefused(bytes: Bytes, why: string): Promise<void> {
  await expect(strip(bytes)).rejects.toThrow(why);
  await expect(places(bytes)).rejects.toThrow(why);
}

const DATA = 'p'.repeat(16);

test('a list of items that are only pixels is understood', async () => {
  expect(await places(heic([PIXELS], DATA))).toEqual([]);
  expect(await strip(heic([PIXELS], DATA))).toBeUndefined();
});

describe('a small file', () => {
  test('that counts four billion parts is refused before they are read', async () => {
    const item = joined([number(1, 2), number(0, 2), number(65_535, 2)]);
    const items = Array.from({ length: 65_535 }, () => item);
    const placed = joined([ascii('\0\0\0\0\0\0'), number(65_535, 2), ...items]);
    await expectRefused(heic([PIXELS], DATA, { placed }), 'the places of its items are unknown');
  });

  test('that counts more items than it lists is refused', async () => {
    const placed = joined([ascii('\x02\0\0\0\x44\0'), number(0xff_ff_ff_ff, 4)]);
    await expectRefused(heic([PIXELS], DATA, { placed }), 'the places of its items reach beyond their end');
  });

  test('whose items have more bytes than itself is refused', async () => {
    const extents = Array.from({ length: 1000 }, (): [number, number] => [0, 16]);
    await expectRefused(heic([{ type: 'hvc1', extents }], DATA), 'its items are longer than itself');
  });

  test('may say the same pixels twice', async () => {
    expect(await strip(heic([PIXELS, PIXELS], DATA))).toBeUndefined();
  });
});

test('pixels that are also metadata are refused, because they would bring it back', async () => {
  const exif: TestItem = { type: 'Exif', extents: [[12, 40]] };
  const data = `${DATA}${'e'.repeat(36)}`;
  await expectRefused(heic([PIXELS, exif], data), 'two of its items share bytes');
  const within: TestItem = { type: 'hvc1', extents: [[20, 1]] };
  await expectRefused(heic([within, exif], data), 'two of its items share bytes');
});

describe('a thumbnail', () => {
  /** `type` from an item to others. */
  const reference = (type: string, from: number, ...to: number[]) =>
    box(type, ...[from, to.length, ...to].map((value) => number(value, 2)));
  const refer = (...references: Bytes[]) => ({ more: [box('iref', ascii('\0\0\0\0'), ...references)] });
  const thumbnail: TestItem = { type: 'grid', extents: [[16, 4]] };
  const part: TestItem = { type: 'hvc1', extents: [[20, 6]] };
  const data = `${DATA}gridTHUMBS`;

  test('is taken out with its parts and its transparency, and is no picture of its own then', async () => {
    const alpha: TestItem = { type: 'hvc1', extents: [[26, 5]] };
    const references = [reference('auxl', 4, 2), reference('dimg', 2, 3), reference('thmb', 2, 1)];
    const file = heic([PIXELS, thumbnail, part, alpha], `${data}ALPHA`, refer(...references));
    const clean = (await strip(file)) ?? file;
    const text = textOf(clean);
    expect(text.slice(text.indexOf('mdat') + 4)).toBe(DATA.padEnd(31, '\0'));
    expect(text.split('infe\x02\0\0\x01').length - 1).toBe(3);
    expect([text.includes('thmb'), await places(clean), await strip(clean)]).toEqual([false, [], undefined]);
  });

  test('leaves the parts that the picture is made of as well', async () => {
    const references = [reference('thmb', 2, 1), reference('dimg', 2, 3), reference('dimg', 1, 3)];
    const clean = await strip(heic([PIXELS, thumbnail, part], data, refer(...references)));
    expect(textOf(clean ?? new Uint8Array())).toContain(`${DATA}\0\0\0\0THUMBS`);
  });

  test('that is the picture itself is refused', async () => {
    await expectRefused(
      heic([PIXELS, part], data, refer(reference('thmb', 1, 2))),
      'its picture is a thumbnail',
    );
  });

  test('of more pictures than are listed is refused', async () => {
    const short = box('thmb', number(1, 2), number(65_535, 2));
    await expectRefused(
      heic([PIXELS], DATA, refer(short)),
      'the references of its items reach beyond their end',
    );
  });
});

test('a long name of an item is read', async () => {
  const named = { ...PIXELS, names: 'n'.repeat(500_000) };
  expect(await places(heic([named], DATA))).toEqual([]);
});

test.each(['\0text/xml\0', '\0application/rdf+xml; charset=utf-8\0', '\0application/rdf+xml\0deflate\0'])(
  'text of the kind %j may say a place, until it is taken out',
  async (names) => {
    const file = heic([PIXELS, { type: 'mime', names, extents: [[16, 6]] }], `${DATA}Lisbon`);
    await expect(places(file)).rejects.toThrow('one of its items is neither a picture nor EXIF nor XMP');
    const clean = (await strip(file)) ?? file;
    expect(await places(clean)).toEqual([]);
    expect(textOf(clean)).not.toContain('Lisbon');
  },
);

test.each([
  ['its list', box('uuid', ascii('Lisbon'))],
  ['its properties', box('iprp', box('ipco', box('uuid', ascii('Lisbon'))))],
])('an unknown box in %s may say a place, until it is taken out', async (_, more) => {
  const file = heic([PIXELS], DATA, { more: [more] });
  await expect(places(file)).rejects.toThrow('there is more in the list of its pictures');
  const clean = (await strip(file)) ?? file;
  expect(await places(clean)).toEqual([]);
  expect(textOf(clean)).not.toContain('Lisbon');
});
