/** True for files that a command writes: they keep the generator's style. */
export function isGenerated(file: string): boolean {
  return /^(packages\/(client|desk)\/src\/(news\/)?openapi|services\/[\w-]+\/src\/database)\//.test(file);
}
