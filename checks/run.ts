import { join } from 'node:path';
import { reportFaults } from '../bench/report/pages.ts';
import { circleFaults } from './circles.ts';
import { citationFaults } from './citations.ts';
import { writeClientTypes } from './client-types.ts';
import { runCommand } from './command.ts';
import { commentWidthFaults } from './comment-width.ts';
import { composeFaults } from './compose.ts';
import { configurationFaults } from './configuration.ts';
import { docCommentFaults } from './doc-comments.ts';
import { kubernetesFaults } from './kubernetes.ts';
import { kubernetesSchemaFaults } from './kubernetes-schemas.ts';
import { layeringFaults } from './layering.ts';
import { migrationFaults } from './migrations.ts';
import { readSources } from './sources.ts';
import { runSteps, type Step } from './step.ts';
import { writeTableTypes } from './table-types.ts';
import { writesFaults } from './writes.ts';

const root = join(import.meta.dirname, '..');

const steps: readonly Step[] = [
  // The types of everything that uses the client are checked against them.
  { name: 'client types', run: () => writeClientTypes(root).then(() => []) },
  { name: 'types of tables', run: () => writeTableTypes(root).then(() => []) },
  { name: 'types', run: () => runCommand(root, 'tsc', ['-p', 'tsconfig.json']) },
  { name: 'types of the page', run: () => runCommand(root, 'tsc', ['-p', 'packages/desk']) },
  { name: 'lint and format', run: () => runCommand(root, 'biome', ['check', '--error-on-warnings', '.']) },
  { name: 'layering rules', run: async () => layeringFaults(await readSources(root)) },
  { name: 'import circles', run: async () => circleFaults(await readSources(root)) },
  {
    name: 'unused exports',
    run: () => runCommand(root, 'knip', ['--include', 'exports,types', '--no-progress', '--no-config-hints']),
  },
  { name: 'doc comments', run: async () => docCommentFaults(await readSources(root)) },
  { name: 'applied migrations', run: () => migrationFaults(root) },
  { name: 'comment width', run: () => commentWidthFaults(root) },
  { name: 'citations', run: () => citationFaults(root) },
  { name: 'measured figures', run: () => reportFaults(root) },
  { name: 'configuration page', run: () => configurationFaults(root) },
  { name: 'page of writes', run: () => writesFaults(root) },
  {
    // dclint carries the current schema of the Compose Specification.
    name: 'compose schema',
    run: () =>
      runCommand(root, 'dclint', [
        '--config',
        'deploy/dclint.yml',
        '--max-warnings',
        '0',
        'docker-compose.yml',
      ]),
  },
  { name: 'compose references', run: () => composeFaults(root) },
  { name: 'kubernetes schemas', run: () => kubernetesSchemaFaults(root) },
  { name: 'kubernetes and compose', run: () => kubernetesFaults(root) },
];

const { passed, failed } = await runSteps(steps, console.log);
console.log(`check: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
