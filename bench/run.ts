/**
 * `pnpm bench [NAME [SIZE …]]`: runs one bench, or all of them one after the other, each in its own process,
 * on the Node of the image.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { imageNode } from './image-node.ts';

/** The benches; the file of each one describes its sizes. */
const BENCHES = [
  'content',
  'reading',
  'selected',
  'gallery',
  'large-writes',
  'login-flood',
  'stories',
  'scaling',
  'fast',
  'idle',
];

const [name, ...sizes] = process.argv.slice(2);
if (name !== undefined && !BENCHES.includes(name)) {
  console.error(`unknown bench ${name}; choose one of ${BENCHES.join(', ')}`);
  process.exit(2);
}
const node = imageNode();
for (const bench of name === undefined ? BENCHES : [name]) {
  console.log(`\n${bench}`);
  const program = fileURLToPath(new URL(`${bench}-run.ts`, import.meta.url));
  const { status } = spawnSync(node, [program, ...sizes], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
