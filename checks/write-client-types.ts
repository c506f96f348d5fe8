import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateClientTypes, TYPES_FOLDER } from './client-types.ts';

const root = join(import.meta.dirname, '..');
await mkdir(join(root, TYPES_FOLDER), { recursive: true });
for (const [name, types] of await generateClientTypes(root)) {
  await writeFile(join(root, TYPES_FOLDER, name), types);
  console.log(`${TYPES_FOLDER}/${name}`);
}
