import { Failure } from '@pressroom/common/failures/failure';

/** The image is too large to be decoded. */
export function tooManyPixels(maxPixels: number): Failure {
  const limit = `${maxPixels / 1e6} megapixels`;
  return new Failure('refused', `the image has more than ${limit}, the limit for thumbnails`, {
    code: 'too_many_pixels',
  });
}
