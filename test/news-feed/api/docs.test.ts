import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startLedgerEpoch } from '@pressroom/common/ledger/commands';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT, run } from '../../support/command.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { importLines, itemLine, tryLines } from '../../support/newsroom.ts';
import { temporaryHome } from '../../support/temporary-home.ts';

let feed: NewsFeedFixture;
let folder: string;

beforeAll(async () => {
  // Answers are as fresh as the database: the mirror is compared right after a change.
  feed = await newsFeedFixture({ CACHE_BYTES: '0' });
  folder = await temporaryHome();
});

afterAll(async () => {
  await rm(folder, { recursive: true });
  await feed.close();
});

/** The only block of a language in a page that begins like this. */
async function block(page: string, language: string, beginning = ''): Promise<string> {
  const text = await readFile(join(ROOT, 'docs', page), 'utf8');
  const [[, code = ''] = [], ...others] = [
    ...text.matchAll(new RegExp(`^\`\`\`${language}\n(${beginning}.*?)^\`\`\``, 'gms')),
  ];
  expect(others).toEqual([]);
  return code;
}

test('the program of the page for readers keeps a copy that equals the set', async () => {
  const code = await block('news-feed.md', 'js');
  expect(code.trim().split('\n')).toHaveLength(20);
  const [program, copy] = [join(folder, 'mirror.mjs'), join(folder, 'mirror.json')];
  await writeFile(program, code);
  const mirrored = async () => {
    expect(await run([program, feed.url, copy])).toEqual({ code: 0, stdout: '', stderr: '' });
    const { items } = JSON.parse(await readFile(copy, 'utf8'));
    return items.map(([id, item]: [string, { title: string }]) => `${id}: ${item.title}`).sort();
  };
  const selected = async () => {
    const rows = await feed.db
      .selectFrom('news.item')
      .select(['id', 'title'])
      .where('in_selected_set', '=', true)
      .execute();
    return rows.map(({ id, title }) => `${id}: ${title}`).sort();
  };

  const names = Array.from({ length: 1203 }, (_, index) => `i${index}`);
  await importLines(
    feed.db,
    names.map((name) => itemLine(name, { selected: true })),
  );
  expect(await mirrored()).toEqual(await selected());

  await importLines(feed.db, [
    ...names.slice(0, 150).map((name) => itemLine(name, { title: `Edited ${name}` })),
    ...names.slice(150, 300).map((name) => itemLine(name, { selected: false })),
    itemLine('__proto__', { selected: true }),
  ]);
  expect(await mirrored()).toEqual(await selected());

  await startLedgerEpoch(feed.db, 'news');
  await feed.db.deleteFrom('news.item').where('id', 'like', 'i1%').execute();
  expect(await mirrored()).toEqual(await selected());
});

test('the lines of the page for editors can be imported', async () => {
  const lines = (await block('newsroom.md', 'json', '{"type"')).trim().split('\n');
  expect((await tryLines(feed.db, lines)).refused).toEqual([]);
});
