import { ascii, type Bytes, isAt, joined, number, slice, u16, u32 } from './bytes.ts';
import { understand } from './not-understood.ts';

/** Photoshop's resource that holds IPTC. */
const IPTC = 0x0404;

/** Encodings of texts: these are kept where a text is (IPTC IIM, record and number). */
const ENCODING = ['1:90', '2:0'];

/** Title, headline, caption and its writer; author, credit, source and copyright. */
const KEPT = ['2:5', '2:80', '2:85', '2:105', '2:110', '2:115', '2:116', '2:120', '2:122'];

/** Content location, city, sublocation, province and country. */
const PLACES = ['2:26', '2:27', '2:90', '2:92', '2:95', '2:100', '2:101'];

interface DataSet {
  name: string;
  whole: Bytes;
}

/** True if the resources of Photoshop name a place. */
export function hasPlace(resources: Bytes): boolean {
  return dataSets(resources).some(({ name }) => PLACES.includes(name));
}

/** Photoshop's resources, written anew with what a picture keeps of IPTC. Undefined if nothing is left. */
export function keptIptc(resources: Bytes): Bytes | undefined {
  const all = dataSets(resources);
  if (!all.some(({ name }) => KEPT.includes(name))) return undefined;
  const kept = all.filter(({ name }) => KEPT.includes(name) || ENCODING.includes(name));
  const iptc = joined(kept.map(({ whole }) => whole));
  const padding = new Uint8Array(iptc.length % 2);
  return joined([ascii('8BIM'), number(IPTC, 2), number(0, 2), number(iptc.length, 4), iptc, padding]);
}

function dataSets(resources: Bytes): DataSet[] {
  const sets: DataSet[] = [];
  for (let at = 0; at < resources.length; ) {
    understand(isAt(resources, at, '8BIM') || isAt(resources, at, 'MeSa'), 'a resource of Photoshop is none');
    const id = u16(resources, at + 4);
    const [name = 0] = slice(resources, at + 6, 1);
    const size = at + 6 + even(1 + name);
    const length = u32(resources, size);
    const data = slice(resources, size + 4, length);
    if (id === IPTC) sets.push(...dataSetsOf(data));
    // The last one may lack its padding.
    at = Math.min(size + 4 + even(length), resources.length);
  }
  return sets;
}

function dataSetsOf(data: Bytes): DataSet[] {
  const sets: DataSet[] = [];
  for (let at = 0; at < data.length; ) {
    const [marker, record, dataset] = data.subarray(at, at + 3);
    // Some programs pad with zeros.
    if (marker === 0 && data.subarray(at).every((byte) => byte === 0)) break;
    const length = u16(data, at + 3);
    understand(marker === 0x1c && length < 0x8000, 'IPTC is not as it is to be');
    sets.push({ name: `${record}:${dataset}`, whole: slice(data, at, 5 + length) });
    at += 5 + length;
  }
  return sets;
}

function even(length: number): number {
  return length + (length % 2);
}
