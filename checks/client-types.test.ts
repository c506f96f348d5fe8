import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeClientTypes } from './client-types.ts';

const ROOT = join(import.meta.dirname, '..');

test('writes the types that are missing or of another description, and leaves the others alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-types-'));
  const [content = '', gallery = '', newsFeed = '', newsroom = ''] = await writeClientTypes(ROOT, folder);
  const file = (name: string) => join(folder, name);
  const written = await readFile(file(content), 'utf8');
  expect(written).toContain('"/api/articles"');
  expect(await readFile(file(newsroom), 'utf8')).toContain('"/api/withdrawn-items"');

  await writeFile(file(content), written.replace(/hash of its inputs: .*/, 'hash of its inputs: 0'));
  await rm(file(newsFeed));
  const { mtimeMs } = await stat(file(gallery));
  expect(await writeClientTypes(ROOT, folder)).toEqual([content, newsFeed]);
  expect(await readFile(file(content), 'utf8')).toBe(written);
  expect((await stat(file(gallery))).mtimeMs).toBe(mtimeMs);
  expect(await writeClientTypes(ROOT, folder)).toEqual([]);
  await rm(folder, { recursive: true });
});
