import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientTypeFaults, TYPES_FOLDER } from './client-types.ts';

const ROOT = join(import.meta.dirname, '..');

test('names the types that are not what a service describes, and those that are missing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-types-'));
  await cp(join(ROOT, TYPES_FOLDER), folder, { recursive: true });
  await writeFile(join(folder, 'content.ts'), 'export interface paths {}');
  await rm(join(folder, 'news-feed.ts'));
  const remedy = 'not what the service describes; run `pnpm client:types`';
  expect(await clientTypeFaults(ROOT, folder)).toEqual([
    `${TYPES_FOLDER}/content.ts: ${remedy}`,
    `${TYPES_FOLDER}/news-feed.ts: ${remedy}`,
  ]);
  await rm(folder, { recursive: true });
});
