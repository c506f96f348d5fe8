/**
 * Loads every module of the services, so that `NODE_COMPILE_CACHE` also has what their programs load only
 * when it is needed.
 */
import { glob } from 'node:fs/promises';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');

const FOLDERS = ['services/*/src/**/*.ts', 'packages/{common,mcp}/src/**/*.ts'];

/** Programs and tests would begin to work when loaded. */
const PROGRAMS = /(\.test|\.d|[/-]cli|\/main|\/stdio|\/check-config)\.ts$/;

for await (const file of glob(FOLDERS, { cwd: root })) {
  if (!PROGRAMS.test(file)) await import(path.join(root, file));
}
