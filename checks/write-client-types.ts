/** `pnpm client:types`: generates the types of the client and of the desk where a description has changed. */
import { join } from 'node:path';
import { writeClientTypes } from './client-types.ts';

for (const file of await writeClientTypes(join(import.meta.dirname, '..'))) console.log(file);
