import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { ContentClient } from '../support/content-client.ts';
import { type GalleryFixture, galleryFixture, login, startGallery } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { NO_PGBOUNCER } from '../support/left-out-notes.ts';
import { Mirror } from '../support/mirror.ts';
import { skipUnless } from '../support/needed-programs.ts';
import { itemRow, type NewsFeedFixture, newsFeedFixture, startNewsFeed } from '../support/news-feed.ts';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { putAll } from '../support/s3/objects.ts';
import { selectedSet } from '../support/selected-set.ts';
import { until } from '../support/until.ts';

skipUnless(await hasPgBouncer(), NO_PGBOUNCER);

/** More clients than the pooler has connections to PostgreSQL. */
const CLIENTS = 40;

let content: ContentFixture;
let feed: NewsFeedFixture;
let gallery: GalleryFixture;

beforeAll(async () => {
  content = await contentFixture();
  feed = await newsFeedFixture();
  gallery = await galleryFixture();
});

afterAll(async () => {
  await content.close();
  await feed.close();
  await gallery.close();
});

describe('behind PgBouncer in transaction mode', () => {
  /** The settings of a service that reaches the database of `url` through a pooler, until the test ends. */
  async function pooled(url: string): Promise<Record<string, string>> {
    const bouncer = await startPgBouncer(url);
    onTestFinished(bouncer.stop);
    return { DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: url };
  }

  test('content answers many clients, and hears of the writes of others', async () => {
    const settings = await pooled(content.database.url);
    const service = await startContent(content.database.url, { ...settings, CACHE_BYTES: '0' });
    onTestFinished(() => service.close());
    const client = new ContentClient(service.url, content.key);
    const { body } = await client.publish({ title: 'Written through the pooler' });
    const path = `/api/articles/${body.data.id}`;
    const reads = Array.from({ length: CLIENTS }, (_, index) =>
      send(service.url + (index % 2 === 0 ? path : '/api/articles')),
    );
    expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(Array(CLIENTS).fill(200));

    const cached = await startContent(content.database.url, settings);
    onTestFinished(() => cached.close());
    expect((await send(cached.url + path)).status).toBe(200);
    await content.client.patch(path, { title: 'Changed beside it' });
    await until('the change is seen', async () => {
      const { body: seen } = await send(cached.url + path);
      return seen.data.title === 'Changed beside it';
    });
  });

  test('a mirror of the news feed holds the set', async () => {
    const service = await startNewsFeed(feed.database.url, await pooled(feed.database.url));
    onTestFinished(() => service.close());
    const limit = () => 7;
    const mirror = new Mirror({
      server: () => service.url,
      fields: 'default',
      snapshotLimit: limit,
      changesLimit: limit,
    });
    await mirror.catchUp();
    const rows = Array.from({ length: 30 }, (_, index) => itemRow(`Item ${index}`, { selected: true }));
    await Promise.all(rows.map((row) => feed.db.insertInto('news.item').values(row).execute()));
    const truth = await selectedSet(feed.database.pool, 'default');
    await until('the copy equals the set', async () => {
      await mirror.catchUp();
      return mirror.disk.copy.size === truth.size;
    });
    expect(new Map([...mirror.disk.copy].toSorted())).toEqual(new Map([...truth].toSorted()));
    expect(mirror.snapshots).toBe(1);
  });

  test('the gallery moves files, and leaves no lock behind', async () => {
    const settings = { ...gallery.settings, ...(await pooled(gallery.database.url)) };
    const service = await startGallery(settings);
    onTestFinished(() => service.close());
    const cookie = await login(service.url);
    for (const [from, to] of [
      ['from/', 'to'],
      ['other/', 'to'],
    ]) {
      await putAll(gallery.s3, gallery.bucket, [`${from}a`, `${from}b`]);
      const moved = await send(`${service.url}/api/gallery/batch`, {
        method: 'POST',
        headers: { cookie },
        json: { action: 'move', paths: [from], dest: to },
      });
      expect(moved.status).toBe(200);
    }
    const { rows } = await gallery.database.pool.query(
      `select mode from pg_locks where locktype = 'advisory'
         and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(rows).toEqual([]);
  });
});
