/**
 * A text that is to be kept, without what it was cut out of: a part of a string holds all of the string in
 * memory, and that of a streamed file all of the file.
 */
export function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}
