import { crc32, deflateSync } from 'node:zlib';

/** How the numbers of a picture are colours, by the code points of ITU-T H.273. */
export interface Cicp {
  primaries: number;
  transfer: number;
}

/** Where such code points are looked for, in bytes. */
const HEAD = 65_536;

/** The code points in an AVIF, a HEIC or a PNG; undefined without any. */
export function cicpOf(image: Uint8Array): Cicp | undefined {
  const head = Buffer.from(image.buffer, image.byteOffset, Math.min(image.length, HEAD));
  const isPng = head.toString('latin1', 1, 4) === 'PNG';
  const at = head.indexOf(isPng ? 'cICP' : 'colrnclx');
  if (at === -1 || at + 12 > head.length) return undefined;
  if (!isPng) return { primaries: head.readUInt16BE(at + 8), transfer: head.readUInt16BE(at + 10) };
  return { primaries: head.readUInt8(at + 4), transfer: head.readUInt8(at + 5) };
}

/** Red, green and blue of full strength as XYZ, adapted to the white of ICC profiles (D50). */
const COLORANTS = new Map([
  [9, [0.67346, 0.27903, -0.00193, 0.16566, 0.67534, 0.02998, 0.1251, 0.04563, 0.79716]],
  [12, [0.5151, 0.24118, -0.00105, 0.29197, 0.69224, 0.04188, 0.15715, 0.06658, 0.78438]],
]);
const SRGB_COLORANTS = [0.43607, 0.22249, 0.01392, 0.38515, 0.71687, 0.09708, 0.14307, 0.06061, 0.7141];

/** Transfer functions by which a number from 0 to 1 is light from 0 to 1. */
const CURVES = new Map([
  [8, (value: number) => value],
  [16, (value: number) => onScreen(perceptual(value))],
  [18, (value: number) => onScreen(hybrid(value))],
]);

/** An ICC profile for colours that sharp would take for sRGB; undefined for those that are. */
export function profileOf(cicp: Cicp | undefined): Buffer | undefined {
  const colorants = COLORANTS.get(cicp?.primaries ?? 1);
  const curve = CURVES.get(cicp?.transfer ?? 1);
  if (colorants === undefined && curve === undefined) return undefined;
  return profile(colorants ?? SRGB_COLORANTS, curve ?? gamma);
}

/** A PNG with an ICC profile. */
export function withProfile(png: Buffer, icc: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('iCCPcicp\0\0', 'latin1'), deflateSync(icc)]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(body.length - 4, 0);
  numbers.writeUInt32BE(crc32(body), 4);
  // Behind the signature and the header.
  return Buffer.concat([
    png.subarray(0, 33),
    numbers.subarray(0, 4),
    body,
    numbers.subarray(4),
    png.subarray(33),
  ]);
}

/** The transfer function of sRGB (IEC 61966-2-1). */
function gamma(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** PQ (ITU-R BT.2100), in cd/m². */
function perceptual(value: number): number {
  const root = value ** (32 / 2523);
  return 10_000 * (Math.max(0, root - 0.8359375) / (18.8515625 - 18.6875 * root)) ** (8192 / 1305);
}

/** HLG (ITU-R BT.2100) on a screen of 1,000 cd/m². */
function hybrid(value: number): number {
  const scene =
    value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12;
  return 1000 * scene ** 1.2;
}

/** White paper (ITU-R BT.2408) and the brightest light that is told from it, in cd/m². */
const PAPER = 203;
const BRIGHTEST = 1000;

/** Light as a screen without such a range shows it (Reinhard's tone mapping, as browsers do). */
function onScreen(light: number): number {
  const [value, most] = [light / PAPER, BRIGHTEST / PAPER];
  return Math.min(1, (value * (1 + value / most ** 2)) / (1 + value));
}

const STEPS = 4096;

/** An ICC profile (ICC.1:2001-04) of three colorants and a curve. */
function profile(colorants: readonly number[], curve: (value: number) => number): Buffer {
  const points = Array.from({ length: STEPS }, (_, step) => Math.round(curve(step / (STEPS - 1)) * 65_535));
  const trc = Buffer.alloc(12 + 2 * STEPS);
  trc.write('curv');
  trc.writeUInt32BE(STEPS, 8);
  for (const [step, point] of points.entries()) trc.writeUInt16BE(point, 12 + 2 * step);
  const white = [0.9642, 1, 0.8249];
  const xyz = [white, ...[0, 3, 6].map((from) => colorants.slice(from, from + 3))].map(xyzOf);
  const texts = [description('CICP'), Buffer.from('text\0\0\0\0CC0\0', 'latin1')];
  const data = [...xyz, ...texts, trc];
  const names = ['wtpt', 'rXYZ', 'gXYZ', 'bXYZ', 'desc', 'cprt', 'rTRC', 'gTRC', 'bTRC'];
  const table = Buffer.alloc(4 + 12 * names.length);
  table.writeUInt32BE(names.length);
  const starts = data.map((_, index) =>
    data.slice(0, index).reduce((sum, one) => sum + one.length, 128 + table.length),
  );
  for (const [index, name] of names.entries()) {
    const which = Math.min(index, data.length - 1);
    table.write(name, 4 + 12 * index);
    table.writeUInt32BE(starts[which] ?? 0, 8 + 12 * index);
    table.writeUInt32BE(data[which]?.length ?? 0, 12 + 12 * index);
  }
  const head = Buffer.alloc(128);
  head.writeUInt32BE(128 + table.length + data.reduce((sum, one) => sum + one.length, 0));
  head.writeUInt32BE(0x02400000, 8);
  head.write('mntrRGB XYZ ', 12);
  head.write('acsp', 36);
  xyzOf(white).copy(head, 68, 8);
  return Buffer.concat([head, table, ...data]);
}

function xyzOf(numbers: readonly number[]): Buffer {
  const tag = Buffer.alloc(20);
  tag.write('XYZ ');
  for (const [index, number] of numbers.entries())
    tag.writeInt32BE(Math.round(number * 65_536), 8 + 4 * index);
  return tag;
}

function description(name: string): Buffer {
  const tag = Buffer.alloc(104);
  tag.write('desc');
  tag.writeUInt32BE(name.length + 1, 8);
  tag.write(name, 12);
  return tag;
}
