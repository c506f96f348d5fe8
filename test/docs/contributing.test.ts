import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

test('the change that is walked through is the one that was made', async () => {
  const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');
  const blockOf = async (language: string, begin: string) => {
    const blocks = (await read('CONTRIBUTING.md')).matchAll(/^ {3}```(\w+)\n(.*?)^ {3}```$/gms);
    const [, , block = ''] =
      [...blocks].find(([, name, text]) => name === language && text?.includes(begin)) ?? [];
    return block.replaceAll(/^ {3}/gm, '').trimEnd();
  };
  const entry = (await blockOf('ts', 'author: {')).replaceAll(/^/gm, '  ');
  expect(entry).toContain('matches');
  expect(await read('services/content/src/articles/filters.ts')).toContain(`\n${entry}\n`);
  const index = await blockOf('sql', 'create index');
  expect(index).toContain('author');
  expect(await read('migrations/0013_content_lists.sql')).toContain(index);
});
