import { access, chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const STAND_IN = fileURLToPath(new URL('stand-in.mjs', import.meta.url));

/** A PATH on which `curl` is found: the machine's own, else a stand-in written to `directory`. */
export async function pathWithCurl(directory: string): Promise<string> {
  const path = process.env.PATH ?? '';
  for (const folder of path.split(delimiter)) {
    if (await isThere(join(folder, 'curl'))) return path;
  }
  await writeFile(join(directory, 'curl'), `#!/bin/sh\nexec "${process.execPath}" "${STAND_IN}" "$@"\n`);
  await chmod(join(directory, 'curl'), 0o755);
  return `${directory}${delimiter}${path}`;
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
