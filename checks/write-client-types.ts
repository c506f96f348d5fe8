/** `pnpm client:types`: generates the client's types; quick if no description has changed. */
import { join } from 'node:path';
import { TYPES_FOLDER, writeClientTypes } from './client-types.ts';

for (const name of await writeClientTypes(join(import.meta.dirname, '..'))) {
  console.log(`${TYPES_FOLDER}/${name}`);
}
