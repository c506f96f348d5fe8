import { Failure } from '@pressroom/common/failures/failure';

/** The longest address of a source, in bytes. */
export const MAX_SOURCE_URL_BYTES = 2048;

/**
 * The address of a source as it is stored: http or https, without a fragment. Throws a {@link Failure} for
 * anything else.
 */
export function sourceUrl(text: string): string {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Failure('invalid', `${JSON.stringify(text)} is not an http or https URL`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Failure('invalid', 'the address of a source must not contain a user name or password');
  }
  url.hash = '';
  if (Buffer.byteLength(url.href) > MAX_SOURCE_URL_BYTES) {
    throw new Failure(
      'invalid',
      `the address of a source must be at most ${MAX_SOURCE_URL_BYTES} bytes long`,
    );
  }
  return url.href;
}
