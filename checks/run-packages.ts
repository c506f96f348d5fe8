/** `pnpm check:packages`: looks the packages of the lockfile up among known vulnerabilities. */
import { join } from 'node:path';
import { runSteps } from './step.ts';
import { vulnerablePackages } from './vulnerable-packages.ts';

const root = join(import.meta.dirname, '..');
const steps = [{ name: 'known vulnerabilities of packages', run: () => vulnerablePackages(root) }];
const { passed, failed } = await runSteps(steps, console.log);
console.log(`check:packages: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
