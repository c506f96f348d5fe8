/** `pnpm configuration`: writes the tables of `docs/configuration.md`. */
import { join } from 'node:path';
import { writeConfiguration } from './configuration.ts';

await writeConfiguration(join(import.meta.dirname, '..'));
