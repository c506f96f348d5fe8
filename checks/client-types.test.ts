import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeClientTypes } from './client-types.ts';

const ROOT = join(import.meta.dirname, '..');

test('writes the types that are missing or of another description, and leaves the others alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-types-'));
  const names = ['content.ts', 'gallery-admin.ts', 'news-feed.ts'];
  expect(await writeClientTypes(ROOT, folder)).toEqual(names);
  expect((await readdir(folder)).sort()).toEqual(names);
  const content = await readFile(join(folder, 'content.ts'), 'utf8');
  expect(content).toContain('"/api/articles"');

  await writeFile(
    join(folder, 'content.ts'),
    content.replace(/hash of its inputs: .*/, 'hash of its inputs: 0'),
  );
  await rm(join(folder, 'news-feed.ts'));
  const { mtimeMs } = await stat(join(folder, 'gallery-admin.ts'));
  expect(await writeClientTypes(ROOT, folder)).toEqual(['content.ts', 'news-feed.ts']);
  expect(await readFile(join(folder, 'content.ts'), 'utf8')).toBe(content);
  expect((await stat(join(folder, 'gallery-admin.ts'))).mtimeMs).toBe(mtimeMs);
  expect(await writeClientTypes(ROOT, folder)).toEqual([]);
  await rm(folder, { recursive: true });
});
