/** The most pixels of a file that sharp does not read: all of them are in memory two or three times. */
export const MAX_STILL_PIXELS = 64_000_000;

/** The most memory of a library's, in bytes. */
export const MAX_LIBRARY_BYTES = 768 * 2 ** 20;
