/** The folder of what was deleted, as the service names it. */
export const TRASH = '.pressroom-trash/';

/** Whether a folder or file is the trash or in it. */
export function isInTrash(path: string): boolean {
  return path.startsWith(TRASH);
}

/** Where something in the trash was before. */
export function originalOf(path: string): string {
  return path.slice(path.indexOf('/', TRASH.length) + 1);
}
