/**
 * `pnpm bench fast [TIMES]`: what each trick for speed saves per use, compared to the plain way. The table in
 * `packages/common/src/fast/README.md` has these figures.
 */
import { measureBodies } from './fast/bodies.ts';
import { measureLines } from './fast/lines.ts';
import { measureLists } from './fast/lists.ts';
import { measureStatements } from './fast/statements.ts';
import { keepFigures } from './figures/keep.ts';

keepFigures('fast', [
  ...(await measureLines()),
  ...(await measureBodies()),
  ...(await measureStatements()),
  ...(await measureLists()),
]);
// Does not wait for the batch's timer or the standard streams.
process.exit();
