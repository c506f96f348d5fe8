import { readFileSync } from 'node:fs';
import { fileFailure } from '@pressroom/common/files/json-lines';

/** The text of a file, or of standard input for `-`. Throws a `Failure` if it cannot be read. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8');
  } catch (error) {
    throw fileFailure(error, file);
  }
}
