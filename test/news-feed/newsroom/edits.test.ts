import { inEdit } from '@pressroom/news-feed/editing/edits';
import type { ItemChange } from '@pressroom/news-feed/editing/item-members';
import { editItem, renewStoriesOf, withdrawItem } from '@pressroom/news-feed/editing/items';
import { mergeStories, readStoryDetail, setDigest } from '@pressroom/news-feed/editing/stories';
import { readHistory, undoEdit, unmergeStory } from '@pressroom/news-feed/editing/undo';
import { withoutSplit } from '@pressroom/news-feed/grouping/story-assigner';
import { splitStory } from '@pressroom/news-feed/grouping/story-renewal';
import { readLexicon } from '@pressroom/stories';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { importLines, itemLine, newsroom } from '../../support/newsroom.ts';

const RENEWAL = { lexicon: readLexicon(), now: new Date('2026-11-20T12:00:00Z') };
const PARTS = { actor: 'ana', renewal: RENEWAL, zone: 'Asia/Shanghai' };

let feed: NewsFeedFixture;

beforeAll(async () => {
  feed = await newsFeedFixture({ CACHE_BYTES: '0' });
});
afterAll(() => feed.close());
beforeEach(async () => {
  await feed.database.pool.query('truncate news.item, news.story, news.edit cascade');
});

/** Edits an item as an editor's command does, and returns the edit. */
async function edit(id: string, change: ItemChange, actor = 'ana'): Promise<number> {
  const { edit: number } = await inEdit(feed.db, { actor, action: 'item edit' }, async (tx) =>
    renewStoriesOf(tx, await editItem(tx, id, change), RENEWAL),
  );
  return number ?? 0;
}

async function merge(from: string, into: string): Promise<number> {
  const { edit: number } = await inEdit(feed.db, { actor: 'ana', action: 'story merge' }, (tx) =>
    mergeStories(tx, from, into, RENEWAL),
  );
  return number ?? 0;
}

async function row(id: string) {
  return feed.db.selectFrom('news.item').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** The stories of all items, by id. */
async function stories() {
  const rows = await feed.db.selectFrom('news.item').select(['id', 'story']).orderBy('id').execute();
  return Object.fromEntries(rows.map(({ id, story }) => [id, story]));
}

function history(subject: string, kind: 'item' | 'story' = 'item') {
  return readHistory(feed.db, { kind, subject, limit: 10 });
}

/** Two stories of two reports each. */
async function twoStories(): Promise<void> {
  await importLines(feed.db, [
    ...['one', 'two'].map((publicId) => ({ type: 'story', publicId, title: `Story ${publicId}` })),
    ...['one', 'two'].flatMap((story) => [`${story}-a`, `${story}-b`].map((id) => itemLine(id, { story }))),
  ]);
}

test('an edit is kept with who, when and what, and undone by another one', async () => {
  await importLines(feed.db, [itemLine('a', { summary: 'Said.', score: 40 })]);
  expect(await history('a')).toEqual([]);
  const number = await edit('a', { title: 'Better', score: null, directions: ['domestic'] });
  expect(await history('a')).toEqual([
    {
      ...{ edit: number, at: expect.any(Date), actor: 'ana', program: expect.any(String) },
      ...{ action: 'item edit', undoes: null, undoneBy: null },
      changes: expect.arrayContaining([
        { member: 'title', before: 'Title of a', after: 'Better' },
        { member: 'score', before: 40, after: null },
        { member: 'directions', before: [], after: ['domestic'] },
      ]),
    },
  ]);
  const undone = await undoEdit(feed.db, number, { ...PARTS, actor: 'rui' });
  expect(await row('a')).toMatchObject({ title: 'Title of a', score: 40, directions: [], summary: 'Said.' });
  const [latest, first] = await history('a');
  expect(latest).toMatchObject({ edit: undone.edit, actor: 'rui', action: 'undo', undoes: number });
  expect(first).toMatchObject({ edit: number, undoneBy: undone.edit });
  await undoEdit(feed.db, undone.edit ?? 0, PARTS);
  expect(await row('a')).toMatchObject({ title: 'Better', score: null });
});

test('what has been changed again is not undone, and nothing of its edit', async () => {
  await importLines(feed.db, [itemLine('a'), itemLine('b')]);
  const first = await edit('a', { title: 'First' });
  const other = await edit('a', { score: 3 });
  const second = await edit('a', { title: 'Second' });
  await expect(undoEdit(feed.db, first, PARTS)).rejects.toThrow('item a has been changed again since');
  await undoEdit(feed.db, other, PARTS);
  await undoEdit(feed.db, second, PARTS);
  await undoEdit(feed.db, first, PARTS);
  expect(await row('a')).toMatchObject({ title: 'Title of a', score: null });
  await expect(undoEdit(feed.db, first, PARTS)).rejects.toThrow('item a has been changed again since');
  await expect(undoEdit(feed.db, 987_654, PARTS)).rejects.toThrow('edit 987654 does not exist');
  const last = await edit('b', { title: 'Gone' });
  await feed.database.pool.query("delete from news.item where id = 'b'");
  await expect(undoEdit(feed.db, last, PARTS)).rejects.toThrow('what it changed no longer exists');
  await expect(edit('a', { title: 'T' }, 'a\nb')).rejects.toThrow('visible characters');
  expect((await history('a')).filter(({ action }) => action === 'undo')).toHaveLength(3);
});

test('no edit gets by: neither an import nor SQL; what the worker writes is none', async () => {
  await importLines(feed.db, [itemLine('a'), itemLine('b')]);
  await importLines(feed.db, [itemLine('a', { title: 'By a line' }), itemLine('b', { title: 'Too' })]);
  await feed.database.pool.query("update news.item set withdrawn_at = now() where id = 'b'");
  const worker = await feed.database.pool.connect();
  await worker.query("set application_name = 'pressroom newsroom worker'");
  await worker.query("update news.item set title = 'By its source', updated_at = now() where id = 'a'");
  worker.release(true);
  expect(await history('a')).toMatchObject([{ changes: [{ member: 'title', after: 'By a line' }] }]);
  const [sql, line] = await history('b');
  expect(sql).toMatchObject({ action: 'sql', actor: null, changes: [{ member: 'withdrawnAt' }] });
  await undoEdit(feed.db, sql?.edit ?? 0, PARTS);
  // Each line is an edit of its own.
  await undoEdit(feed.db, line?.edit ?? 0, PARTS);
  expect(await row('b')).toMatchObject({ title: 'Title of b', withdrawn_at: null });
  expect(await row('a')).toMatchObject({ title: 'By its source' });
});

test('a withdrawal is undone for readers and mirrors, and the story tells it again', async () => {
  await importLines(feed.db, [
    { type: 'story', publicId: 's', title: 'Title of a' },
    ...['a', 'b'].map((id) => itemLine(id, { story: 's', selected: true, summary: `Said by ${id}.` })),
  ]);
  const shown = async () => (await send(`${feed.url}/api/v1/stories/s`)).body.story;
  const { edit: number } = await inEdit(feed.db, { actor: 'ana', action: 'item withdraw' }, (tx) =>
    withdrawItem(tx, 'a', RENEWAL),
  );
  expect(await shown()).toMatchObject({ title: 'Title of b', reportCount: 1 });
  await undoEdit(feed.db, number ?? 0, PARTS);
  expect(await shown()).toMatchObject({ reportCount: 2, digest: expect.stringContaining('Said by') });
  const { rows } = await feed.database.pool.query(
    "select count(*)::int from news.ledger_change where item_id = 'a'",
  );
  expect(rows[0].count).toBe(3);
});

test('a digest by a person is undone to what was there', async () => {
  await twoStories();
  const write = (text: string) =>
    inEdit(feed.db, { actor: 'ana', action: 'story digest' }, (tx) => setDigest(tx, 'one', text));
  await write('First.');
  const { edit: second } = await write('Second.');
  await undoEdit(feed.db, second ?? 0, PARTS);
  expect(await readStoryDetail(feed.db, 'one')).toMatchObject({ digest: 'First.', digestBy: 'person' });
  const [, , first] = await history('one', 'story');
  await undoEdit(feed.db, first?.edit ?? 0, PARTS);
  expect((await readStoryDetail(feed.db, 'one')).digestBy).not.toBe('person');
});

test('an unmerged story has its reports again; later ones stay, and the newsroom leaves the two apart', async () => {
  await twoStories();
  await merge('one', 'two');
  await importLines(feed.db, [itemLine('late', { story: 'two' })]);
  expect((await send(`${feed.url}/api/v1/stories/one`)).status).toBe(308);
  expect(await readStoryDetail(feed.db, 'two')).toMatchObject({ merged: [{ publicId: 'one' }] });
  const { edit: unmerged } = await unmergeStory(feed.db, 'one', PARTS);
  expect(await stories()).toEqual({
    ...{ late: 'two', 'one-a': 'one', 'one-b': 'one', 'two-a': 'two', 'two-b': 'two' },
  });
  expect((await send(`${feed.url}/api/v1/stories/one`)).body.story).toMatchObject({ reportCount: 2 });
  expect(await feed.db.transaction().execute((tx) => withoutSplit(tx, ['one', 'two']))).toEqual(['one']);
  expect(await readStoryDetail(feed.db, 'one')).toMatchObject({ mergedInto: null, keptApartFrom: ['two'] });
  await expect(unmergeStory(feed.db, 'one', PARTS)).rejects.toThrow('story one is not merged');
  await undoEdit(feed.db, unmerged ?? 0, PARTS);
  expect(new Set(Object.values(await stories()))).toEqual(new Set(['two']));
  expect(await readStoryDetail(feed.db, 'one')).toMatchObject({ mergedInto: 'two', keptApartFrom: [] });
});

test('a merge is not undone under another one, nor one of which nothing was kept', async () => {
  await twoStories();
  await importLines(feed.db, [
    { type: 'story', publicId: 'three', title: 'Three' },
    itemLine('c', { story: 'three' }),
  ]);
  const first = await merge('one', 'two');
  const second = await merge('two', 'three');
  await expect(undoEdit(feed.db, first, PARTS)).rejects.toThrow('item one-a has been changed again since');
  await undoEdit(feed.db, second, PARTS);
  await undoEdit(feed.db, first, PARTS);
  expect(await stories()).toMatchObject({ c: 'three', 'one-a': 'one', 'two-a': 'two' });
  await merge('one', 'two');
  await feed.database.pool.query('truncate news.edit');
  await expect(unmergeStory(feed.db, 'one', PARTS)).rejects.toThrow('nothing was kept of the merge');
});

test('a merge by the newsroom itself is kept, and can be undone', async () => {
  await twoStories();
  await feed.db.connection().execute(async (session) => {
    await sql`set application_name = 'pressroom newsroom worker'`.execute(session);
    await session.transaction().execute((tx) => mergeStories(tx, 'one', 'two', RENEWAL));
    await sql`reset application_name`.execute(session);
  });
  expect(await history('one', 'story')).toMatchObject([
    { actor: null, program: 'pressroom newsroom worker', action: 'story merge' },
  ]);
  await unmergeStory(feed.db, 'one', PARTS);
  expect(await stories()).toMatchObject({ 'one-a': 'one', 'two-a': 'two' });
});

test('a split is undone: the new address leads to the story again, and may be split again', async () => {
  await twoStories();
  const { result: made, edit: number } = await inEdit(
    feed.db,
    { actor: 'ana', action: 'story split' },
    (tx) => splitStory(tx, 'one', ['one-b'], RENEWAL),
  );
  const { edit: undone } = await undoEdit(feed.db, number ?? 0, PARTS);
  expect(await stories()).toMatchObject({ 'one-a': 'one', 'one-b': 'one' });
  expect((await send(`${feed.url}/api/v1/stories/${made}`)).status).toBe(308);
  expect(await readStoryDetail(feed.db, 'one')).toMatchObject({ keptApartFrom: [], references: [] });
  await undoEdit(feed.db, undone ?? 0, PARTS);
  expect(await stories()).toMatchObject({ 'one-a': 'one', 'one-b': made });
  expect(await readStoryDetail(feed.db, 'one')).toMatchObject({ keptApartFrom: [made] });
});

test('an item goes back to what its former story has become', async () => {
  await twoStories();
  await importLines(feed.db, [{ type: 'story', publicId: 'three', title: 'Three' }]);
  const moved = await edit('one-a', { story: 'three' });
  await merge('one', 'two');
  await undoEdit(feed.db, moved, PARTS);
  expect(await stories()).toMatchObject({ 'one-a': 'two', 'one-b': 'two' });
});

test('the commands list, search, show, edit and undo, as text and as JSON', async () => {
  await twoStories();
  await importLines(feed.db, [itemLine('gone', { title: 'A lighthouse in fog' })]);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await newsroom(feed.database.url, args);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  const json = async (...args: string[]) => JSON.parse(await run(...args, '--json'));
  expect(await json('item', 'search', 'lighthouse', 'fog')).toMatchObject({
    items: [
      { id: 'gone', title: 'A lighthouse in fog', sourceName: 'Source', publishedAt: expect.any(String) },
    ],
    nextCursor: null,
  });
  const { edit: number } = await json('item', 'withdraw', 'gone', '--by', 'ana');
  expect(await run('item', 'list', '--withdrawn')).toMatch(/^gone {2}.*A lighthouse in fog \[Source\]\n/);
  expect(await run('undo', String(number))).toMatch(/^undo \d+: done \(edit \d+\)\n$/);
  await merge('one', 'two');
  expect(await run('story', 'unmerge', 'one')).toMatch(/^one: done/);
});
