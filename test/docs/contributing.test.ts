import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

test('the change that is walked through is like one that was made', async () => {
  const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');
  const blockOf = async (language: string, begin: string) => {
    const blocks = (await read('CONTRIBUTING.md')).matchAll(/^ {3}```(\w+)\n(.*?)^ {3}```$/gms);
    const [, , block = ''] =
      [...blocks].find(([, name, text]) => name === language && text?.includes(begin)) ?? [];
    return block.replaceAll(/^ {3}/gm, '').trimEnd();
  };
  // The page adds a filter that does not exist, in the way of one that does.
  const asAuthor = (text: string) =>
    text.replaceAll('canonical_url', 'author').replaceAll(/requiredText\(.*\),$/gm, 'requiredText(…),');
  const entry = (await blockOf('ts', 'canonical_url: {')).replaceAll(/^/gm, '  ');
  expect(entry).toContain('matches');
  expect(asAuthor(await read('services/content/src/articles/filters.ts'))).toContain(
    `\n${asAuthor(entry)}\n`,
  );
  const index = (await blockOf('sql', 'create index')).replace(/^--.*\n/, '');
  expect(index).toContain('canonical_url');
  expect(await read('migrations/0001_content.sql')).toContain(asAuthor(index));
});
