import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates `DATA_DIR` and missing parent directories. Returns an error line that names the path, or undefined.
 * Works directory by directory: Node's recursive mkdir never returns if the system answers "no such file", as
 * below /proc.
 */
export function makeDataDirectory(directory: string): string | undefined {
  try {
    for (const step of stepsTo(directory)) makeStep(step);
    accessSync(directory, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `DATA_DIR is ${JSON.stringify(directory)}, expected a directory that can be created and written (${reason})`;
  }
}

/** `/a`, `/a/b` and `/a/b/c` for `/a/b/c`. */
function stepsTo(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [...stepsTo(parent), directory];
}

function makeStep(directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found === undefined) mkdirSync(directory);
  else if (!found.isDirectory()) throw new Error(`${directory} is not a directory`);
}
