/** `pnpm bench report`: writes the tables and pictures of the pages from `docs/figures`. */
import { join } from 'node:path';
import { writeReport } from './report/pages.ts';

await writeReport(join(import.meta.dirname, '..'));
