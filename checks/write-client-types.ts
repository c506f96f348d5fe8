/** `pnpm client:types`: generates the types of tables, client and desk where they have changed. */
import { join } from 'node:path';
import { writeClientTypes } from './client-types.ts';
import { writeTableTypes } from './table-types.ts';

const root = join(import.meta.dirname, '..');
for (const file of [...(await writeTableTypes(root)), ...(await writeClientTypes(root))]) console.log(file);
