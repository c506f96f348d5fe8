import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ghostRows } from './ghost.ts';

async function read(text: string | Uint8Array) {
  const file = join(await mkdtemp(join(tmpdir(), 'pressroom-ghost-')), 'export.json');
  await writeFile(file, text);
  return Array.fromAsync(ghostRows(file, ['posts', 'tags']));
}

const DATA = {
  users: [{ posts: [{ id: 0 }] }],
  posts: [{ id: 1, a: { b: [2] } }, { id: 2 }],
  tags: [{ id: 3 }],
};
const ROWS = [
  { table: 'posts', row: { id: 1, a: { b: [2] } } },
  { table: 'posts', row: { id: 2 } },
  { table: 'tags', row: { id: 3 } },
];

test('the rows of the tables are read, wherever the version of Ghost keeps them', async () => {
  const meta = { version: '1', data: { posts: [{ id: 9 }] } };
  expect(await read(JSON.stringify({ db: [{ meta, data: DATA }] }))).toEqual(ROWS);
  expect(await read(JSON.stringify({ meta, data: DATA }, null, 2))).toEqual(ROWS);
});

test.each([
  ['cut off', JSON.stringify({ data: DATA }).slice(0, -9), 'ends too early'],
  ['no JSON', '{"data": {"posts": [}', 'is not JSON'],
  ['something else', '{"a": [1]}', 'not a whole export of Ghost'],
  ['not UTF-8', new Uint8Array([...Buffer.from('{"data": "'), 0xff]), 'is not UTF-8'],
])('an export that is %s is refused', async (_, text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});
