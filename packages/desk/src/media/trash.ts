/** The folder of what was deleted, as the service names it. */
export const TRASH = '.pressroom-trash/';

/** True for the trash itself and everything in it. */
export function isInTrash(path: string): boolean {
  return path.startsWith(TRASH);
}

/** The path of a thing in the trash before its deletion. */
export function originalOf(path: string): string {
  return path.slice(path.indexOf('/', TRASH.length) + 1);
}
