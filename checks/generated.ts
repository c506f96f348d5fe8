/** True for files that a command writes: they keep the generator's style. */
export function isGenerated(file: string): boolean {
  return file.startsWith('packages/client/src/openapi/');
}
