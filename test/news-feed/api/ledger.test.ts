import { startLedgerEpoch } from '@pressroom/common/ledger/commands';
import { ITEM_COLUMNS } from '@pressroom/news-feed/api/item';
import type { NewsTables } from '@pressroom/news-feed/tables';
import type { Updateable } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type JsonBody, send } from '../../support/http.ts';
import { itemRow, type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';

let feed: NewsFeedFixture;

beforeAll(async () => {
  feed = await newsFeedFixture({ CACHE_BYTES: '0' });
});
afterAll(() => feed.close());
beforeEach(() => feed.database.pool.query('delete from news.item'));

type ItemChange = Updateable<NewsTables['news.item']>;

function insert(id: string, values: Partial<ReturnType<typeof itemRow>> = {}) {
  return feed.db
    .insertInto('news.item')
    .values(itemRow(id, { id, selected: true, ...values }))
    .execute();
}

function update(id: string, values: ItemChange) {
  return feed.db.updateTable('news.item').set(values).where('id', '=', id).execute();
}

/** Returns the entries that `change` adds to the ledger, as a follower reads them. */
async function changesOf(change: () => Promise<unknown>): Promise<JsonBody[]> {
  const { body } = await send(`${feed.url}/api/v1/selected/snapshot`);
  let cursor = body.cursor;
  for (let hasMore = true; hasMore; ) {
    const before = await send(`${feed.url}/api/v1/selected/changes?cursor=${cursor}`);
    ({ cursor, hasMore } = before.body);
  }
  await change();
  const after = await send(`${feed.url}/api/v1/selected/changes?cursor=${cursor}`);
  return after.body.changes;
}

describe('a selected item', () => {
  it('appears when it is inserted', async () => {
    const changes = await changesOf(() => insert('a', { title: 'New' }));
    expect(changes).toMatchObject([{ op: 'upsert', item: { id: 'a', title: 'New', selected: true } }]);
  });

  const edits: [string, ItemChange, object][] = [
    ['title', { title: 'Other' }, { title: 'Other' }],
    ['original title', { original_title: '原題' }, { originalTitle: '原題' }],
    ['summary', { summary: 'Short.' }, { summary: 'Short.' }],
    ['source', { source_name: 'Other' }, { source: { name: 'Other' } }],
    ['link', { original_url: 'https://other.example/' }, { links: { original: 'https://other.example/' } }],
    ['publication', { published_at: new Date(5e11) }, { publishedAt: '1985-11-05T00:53:20.000Z' }],
    ['discovery', { discovered_at: new Date(6e11) }, { discoveredAt: '1989-01-05T10:40:00.000Z' }],
    ['category', { category: 'patent' }, { category: 'patent' }],
    ['score', { score: 62.5 }, { score: 62.5 }],
    ['directions', { directions: ['overseas'] }, { directions: ['overseas'] }],
    [
      'image',
      { image: JSON.stringify({ url: 'https://img.example/' }) },
      { image: { url: 'https://img.example/' } },
    ],
    ['language', { language: 'pt-BR' }, { language: 'pt-BR' }],
    [
      'correction',
      { correction: 'It is two.' },
      { correction: { note: 'It is two.', correctedAt: expect.any(String) } },
    ],
    ['authors', { authors: ['Ada'] }, { authors: ['Ada'] }],
    ['tags', { tags: ['Space'] }, { tags: ['Space'] }],
    [
      'enclosures',
      { enclosures: JSON.stringify([{ url: 'https://pod.example/1.mp3', type: 'audio/mpeg' }]) },
      { enclosures: [{ url: 'https://pod.example/1.mp3', type: 'audio/mpeg' }] },
    ],
  ];
  it.each(edits)('appears with its %s when that is edited', async (_member, edit, shown) => {
    await insert('a');
    expect(await changesOf(() => update('a', edit))).toMatchObject([
      { op: 'upsert', item: { id: 'a', ...shown } },
    ]);
  });

  it('appears for every column of its representation', async () => {
    const { rows } = await feed.database.pool.query(
      `select pg_get_triggerdef(oid) as definition from pg_trigger
       where tgname = 'record_update' and tgrelid = 'news.item'::regclass`,
    );
    // The id never changes, and whether it is selected is part of in_selected_set.
    const compared = ITEM_COLUMNS.filter((column) => column !== 'id' && column !== 'selected');
    for (const column of compared) expect(rows[0].definition).toContain(`new.${column}`);
  });

  const unseen: [string, ItemChange][] = [
    ['reason', { reason: 'Matters.' }],
    ['first party', { source_first_party: true }],
    ['canonical URL', { canonical_url: 'https://source.example/b' }],
    ['time of the update', { updated_at: new Date() }],
    ['same title', { title: 'Title of a' }],
  ];
  it.each(unseen)('does not appear for its %s, which no mirror shows', async (_member, edit) => {
    await insert('a');
    expect(await changesOf(() => update('a', edit))).toEqual([]);
  });

  const removals: [string, () => Promise<unknown>][] = [
    ['deselected', () => update('a', { selected: false })],
    ['withdrawn', () => update('a', { withdrawn_at: new Date() })],
    ['deleted', () => feed.db.deleteFrom('news.item').where('id', '=', 'a').execute()],
    ['truncated away', () => feed.database.pool.query('truncate news.item cascade')],
  ];
  it.each(removals)('is removed when it is %s', async (_how, remove) => {
    await insert('a');
    const began = Date.now();
    const [change, ...more] = await changesOf(remove);
    expect(more).toEqual([]);
    expect(change).toEqual({ op: 'remove', changedAt: expect.any(String), id: 'a' });
    expect(Date.parse(change?.changedAt)).toBeGreaterThanOrEqual(began - 1);
  });

  it('comes back when its withdrawal is undone', async () => {
    await insert('a', { withdrawn_at: new Date() });
    const changes = await changesOf(() => update('a', { withdrawn_at: null }));
    expect(changes).toMatchObject([{ op: 'upsert', item: { id: 'a' } }]);
  });

  it('never changes its id', async () => {
    await insert('a');
    await expect(update('a', { id: 'b' })).rejects.toMatchObject({ constraint: 'item_id_is_fixed' });
  });
});

describe('an item that is not selected', () => {
  it('does not appear, whatever changes in it', async () => {
    const changes = await changesOf(async () => {
      await insert('a', { selected: false });
      await update('a', { title: 'Other' });
      await update('a', { withdrawn_at: new Date() });
      await feed.db.deleteFrom('news.item').execute();
    });
    expect(changes).toEqual([]);
  });

  it('appears when it is selected', async () => {
    await insert('a', { selected: false });
    const changes = await changesOf(() => update('a', { selected: true }));
    expect(changes).toMatchObject([{ op: 'upsert', item: { id: 'a', selected: true } }]);
  });
});

describe('a change that is rolled back', () => {
  it('leaves nothing behind', async () => {
    await insert('a');
    const changes = await changesOf(() =>
      feed.db
        .transaction()
        .execute(async (tx) => {
          await tx.updateTable('news.item').set({ title: 'Never' }).execute();
          throw new Error('no');
        })
        .catch(() => undefined),
    );
    expect(changes).toEqual([]);
  });
});

describe('a new epoch', () => {
  it('refuses every cursor and page of the old one, and begins with the whole set', async () => {
    await insert('a');
    await insert('b');
    const { body: old } = await send(`${feed.url}/api/v1/selected/snapshot?limit=1`);
    await startLedgerEpoch(feed.db, 'news');
    for (const query of [`changes?cursor=${old.cursor}`, `snapshot?page=${old.nextPage}`]) {
      const { status, body } = await send(`${feed.url}/api/v1/selected/${query}`);
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'snapshot_required' });
    }
    const { body } = await send(`${feed.url}/api/v1/selected/snapshot`);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['a', 'b']);
    const changes = await changesOf(() => update('b', { title: 'Later' }));
    expect(changes).toMatchObject([{ op: 'upsert', item: { id: 'b', title: 'Later' } }]);
  });
});

describe('a ledger that was restored to an earlier state', () => {
  it('refuses cursors that are ahead of it', async () => {
    await insert('a');
    await changesOf(() => update('a', { title: 'Seen' }));
    const { body } = await send(`${feed.url}/api/v1/selected/snapshot`);
    await feed.database.pool.query('update news.ledger set head = head - 1');
    const answer = await send(`${feed.url}/api/v1/selected/changes?cursor=${body.cursor}`);
    await feed.database.pool.query('update news.ledger set head = head + 1');
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({
      code: 'snapshot_required',
      detail: expect.stringContaining('ahead'),
    });
  });
});
