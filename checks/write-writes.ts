/** `pnpm writes`: writes `docs/writes.md`. */
import { join } from 'node:path';
import { writeWrites } from './writes.ts';

await writeWrites(join(import.meta.dirname, '..'));
