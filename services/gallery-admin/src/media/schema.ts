import { integerParameter } from '@pressroom/common/fields/parameters';
import { z } from 'zod';
import { FITS, FORMATS } from './ladder.ts';

/** A number from 0 to 1 with at most 4 decimals. */
const SHARE = String.raw`(?:0(?:\.[0-9]{1,4})?|1(?:\.0{1,4})?)`;

const FOCUS = new RegExp(`^(?:auto|${SHARE},${SHARE})$`);

/** The path below `/media/`. */
export const mediaPath = z.object({ '*': z.string().meta({ minLength: 1, maxLength: 4096 }) });

/** What is asked of a picture. Without any of it, the file itself is answered. */
export const renditionQuery = z.strictObject({
  w: integerParameter(1, 10_000)
    .optional()
    .describe('The width in pixels: raised to the next one of the ladder. A picture is never enlarged.'),
  h: integerParameter(1, 10_000)
    .optional()
    .describe(
      'The height of a box, as wide as `w`, else as high. Its proportions are the nearest usual ones.',
    ),
  fit: z
    .enum(FITS, `must be one of ${FITS.join(', ')}`)
    .optional()
    .describe('How the picture is put into the box: as large as fits, cropped to it, or with margins.'),
  focus: z
    .string('must be given once')
    .regex(FOCUS, 'must be auto, or two numbers from 0 to 1 such as 0.5,0.2')
    .optional()
    .describe('What a crop keeps: from the left and the top, or what draws the eye.'),
  format: z
    .enum(['auto', ...FORMATS], `must be one of auto, ${FORMATS.join(', ')}`)
    .optional()
    .describe('auto, the default: the smallest that Accept names, else JPEG.'),
  q: integerParameter(1, 100).optional().describe('The quality: 50, 75 or 90, whichever is nearest.'),
});

/** A picture in words and numbers. */
const pictureDescription = z
  .object({
    width: z.int().positive().describe('In pixels, as it is seen.'),
    height: z.int().positive(),
    url: z.string().describe('The path of this version for good.'),
    srcset: z.string().describe('The widths of the ladder that the picture has, as `srcset` takes them.'),
    thumbhash: z.string().describe('A ThumbHash in base64: what to show until it is there.'),
    color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/)
      .describe('The dominant colour.'),
    alt: z.string().nullable().describe('What its metadata say that it shows.'),
    credit: z.string().nullable().describe('Whom its metadata name: the credit line, else the creator.'),
    rights: z.string().nullable().describe('The notice of its rights, from its metadata.'),
  })
  .meta({ id: 'PictureDescription' });

/** A picture in words and numbers. */
export type PictureDescription = z.infer<typeof pictureDescription>;

const bytes = { schema: z.string().meta({ format: 'binary' }) };

/** The response with media, or with the description of a picture. */
export const mediaAnswer = {
  description: 'The file, a rendition of it, or with `.json` its description.',
  content: { '*/*': bytes, 'application/json': { schema: pictureDescription } },
};

/** The response to a `Range`. */
export const mediaPartAnswer = {
  description: 'The part of the file requested by `Range`.',
  content: { '*/*': bytes },
};
