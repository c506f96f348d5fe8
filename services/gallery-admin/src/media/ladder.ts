/** The widths that renditions have, in pixels: a picture is made in no others. */
export const WIDTHS = [64, 128, 256, 384, 640, 828, 1080, 1280, 1600, 1920, 2560, 3840] as const;

/** The widest rendition, in pixels. */
export const WIDEST = 3840;

/** The proportions of a box, by their names: its width for each pixel of its height. */
export const RATIOS = {
  '1x1': 1,
  '5x4': 5 / 4,
  '4x3': 4 / 3,
  '3x2': 3 / 2,
  '16x9': 16 / 9,
  '2x1': 2,
  '4x5': 4 / 5,
  '3x4': 3 / 4,
  '2x3': 2 / 3,
  '9x16': 9 / 16,
} as const;

type Ratio = keyof typeof RATIOS;

const QUALITIES = [50, 75, 90] as const;

/** The thirds of a picture that a crop keeps, from the left or the top: together a point of the compass. */
const COLUMNS = ['west', '', 'east'] as const;
const ROWS = ['north', '', 'south'] as const;

/** How a picture is put into a box. */
export const FITS = ['inside', 'cover', 'contain'] as const;

/** The formats of renditions, the last one for clients that name none. */
export const FORMATS = ['avif', 'webp', 'jpeg'] as const;

/** What a request may ask of a picture; each absent or valid. */
export interface RenditionQuery {
  w?: number | undefined;
  h?: number | undefined;
  fit?: (typeof FITS)[number] | undefined;
  /** `auto`, or two numbers from 0 to 1 with a comma between them. */
  focus?: string | undefined;
  q?: number | undefined;
}

/** A rendition as it is made and kept; sets of parameters that mean the same are the same one. */
export interface Rendition {
  width: (typeof WIDTHS)[number];
  /** Its box, if a height is asked for as well. */
  box?: Box | undefined;
  quality: (typeof QUALITIES)[number];
  format: (typeof FORMATS)[number];
}

interface Box {
  ratio: Ratio;
  fit: (typeof FITS)[number];
  /** What a crop keeps: `auto` is what draws the eye, else a point of the compass or `centre`. */
  focus?: string | undefined;
}

/**
 * The rendition that serves a request: the next width of the ladder, the nearest proportions, the nearest
 * third for a focus, the nearest quality. However many sets of parameters are tried, a picture has a bounded
 * number of renditions.
 */
export function renditionOf(query: RenditionQuery, format: Rendition['format']): Rendition {
  const { w = query.h ?? WIDEST, q = 75 } = query;
  const width = WIDTHS.find((rung) => rung >= w) ?? WIDEST;
  return { width, box: boxOf(query), quality: nearest(QUALITIES, (quality) => quality - q), format };
}

function boxOf({ h, w = h, fit = 'inside', focus = '0.5,0.5' }: RenditionQuery): Box | undefined {
  if (w === undefined || h === undefined) return undefined;
  // As many times too wide counts as much as too high.
  const ratio = nearest(Object.keys(RATIOS) as [Ratio, ...Ratio[]], (one) => Math.log((RATIOS[one] * h) / w));
  return { ratio, fit, ...(fit === 'cover' && { focus: placeOf(focus) }) };
}

function placeOf(focus: string): string {
  if (focus === 'auto') return focus;
  const [column = 1, row = 1] = focus.split(',').map((part) => Math.min(2, Math.floor(Number(part) * 3)));
  return `${ROWS[row]}${COLUMNS[column]}` || 'centre';
}

function nearest<Value>(values: readonly [Value, ...Value[]], distance: (value: Value) => number): Value {
  return values.reduce((best, one) => (Math.abs(distance(one)) < Math.abs(distance(best)) ? one : best));
}

/** The name of a rendition, as a file: `w640-16x9-cover-north-q75.webp`. */
export function nameOf({ width, box, quality, format }: Rendition): string {
  const parts = [`w${width}`, box?.ratio, box?.fit, box?.focus, `q${quality}`];
  return `${parts.filter((part) => part !== undefined).join('-')}.${format}`;
}

/** Whether a rendition that is kept under `key` has a box. */
export function hasBox(key: string): boolean {
  return /\/w\d+-\d+x\d+-[^/]+$/.test(key);
}
