import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  FilterType,
  initializeImageMagick,
  MagickFormat,
  MagickImage,
  MagickReadSettings,
  type Orientation,
  ResourceLimits,
} from '@imagemagick/magick-wasm';
import { cicpOf, profileOf } from '../proxy/image.ts';
import { exifOrientation, MAX_STILL_PIXELS, type StillFormat, type StillResult } from './formats.ts';

/**
 * Draws a file with ImageMagick: the first picture of it, upright, as an uncompressed TIFF with the colour
 * profile and metadata. The shorter side has at least `side` pixels if the file's has.
 */
export async function drawWithMagick(
  file: Uint8Array,
  format: Exclude<StillFormat, 'RAW' | 'PDF'>,
  side: number,
): Promise<StillResult> {
  await load();
  const picture = MagickImage.create();
  // Named, because ImageMagick would otherwise look for one itself, among formats that read other files.
  const settings = new MagickReadSettings({ format, frameIndex: 0, frameCount: 1 });
  try {
    picture.ping(file, settings);
    if (picture.width * picture.height > MAX_STILL_PIXELS) return { unseen: 'too_many_pixels' };
    picture.read(file, settings);
    const exif = picture.getProfile('exif')?.data.slice();
    if (format === 'HEIC' && exif !== undefined && !turnsItself(file)) {
      picture.orientation = (await exifOrientation(exif.subarray(EXIF_HEAD))) as Orientation;
    }
    picture.autoOrient();
    const icc = format === 'HEIC' && picture.getProfile('icc') === null ? profileOf(cicpOf(file)) : undefined;
    if (icc !== undefined) picture.setProfile('icc', icc);
    const scale = side / Math.min(picture.width, picture.height);
    if (scale < 1) {
      picture.filterType = FilterType.Box;
      picture.resize(Math.ceil(picture.width * scale), Math.ceil(picture.height * scale));
    }
    // Cameras have 10 bits, which sharp refuses in a TIFF.
    picture.depth = 8;
    // libvips reads XMP and IPTC of a TIFF, but no EXIF.
    return { image: picture.write(MagickFormat.Tiff, (written) => written.slice()), exif };
  } finally {
    picture.dispose();
  }
}

/** The length of the header before the TIFF of EXIF: `Exif`, and two zeros. */
const EXIF_HEAD = 6;

/** True if a HEIC has a property that turns or mirrors it (ISO/IEC 23008-12): then its EXIF has no say. */
function turnsItself(heic: Uint8Array): boolean {
  const file = Buffer.from(heic.buffer, heic.byteOffset, heic.length);
  const at = file.indexOf('ipco');
  if (at < 4) return false;
  const properties = file.subarray(at, at - 4 + file.readUInt32BE(at - 4));
  return properties.includes('irot') || properties.includes('imir');
}

let loading: Promise<void> | undefined;

function load(): Promise<void> {
  loading ??= readFile(fileURLToPath(import.meta.resolve('@imagemagick/magick-wasm/magick.wasm'))).then(
    async (bytes) => {
      await initializeImageMagick(bytes);
      // Beyond its memory it would keep pixels in files, which are memory as well.
      ResourceLimits.disk = 0n;
    },
  );
  return loading;
}
