import { createReadStream } from 'node:fs';
import { Failure } from '@pressroom/common/failures/failure';
import { fileFailure } from '@pressroom/common/files/file-failure';

/** The most characters that one text of an export may have: parsers hold it in memory. */
export const MOST_CHARACTERS = 2 ** 26;

/**
 * The text of an export from elsewhere, piece by piece.
 *
 * @throws Failure if the file cannot be read, or is not UTF-8
 */
export async function* textOf(file: string): AsyncGenerator<string> {
  if (file === '-') throw new Failure('refused', 'the export is read twice: give it as a file');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(file)) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new Failure('refused', `${file} is not UTF-8; convert it, with iconv for example`);
    throw fileFailure(error, file);
  }
}
