import { ThumbHashes } from '@pressroom/gallery-admin/objects/thumb-hashes';
import type { GalleryTables } from '@pressroom/gallery-admin/tables';
import { Kysely, PostgresDialect } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { memoryLog } from '../support/log.ts';
import { put } from '../support/s3/objects.ts';
import { until } from '../support/until.ts';

let gallery: GalleryFixture;

beforeAll(async () => {
  gallery = await galleryFixture();
});
afterAll(() => gallery?.close());

const plain = (background: string) =>
  sharp({ create: { width: 600, height: 300, channels: 3, background } })
    .png()
    .toBuffer();

async function lookOf(key: string): Promise<string | undefined> {
  const folder = key.slice(0, key.lastIndexOf('/') + 1);
  const { body } = await gallery.ask(`/api/gallery?json=1&thumbhash=1&path=${folder}`);
  return body.data.files.find(({ path }: { path: string }) => path === key)?.thumbhash;
}

const thumbnail = (key: string) => gallery.ask(`/api/gallery/media?key=${key}&thumbnail=true`);

test('a listing has the look of each picture that a thumbnail was made of, until another file is there', async () => {
  const { s3, bucket } = gallery;
  await put(s3, bucket, 'looks/red.png', await plain('#ff0000'));
  await put(s3, bucket, 'looks/unseen.png', await plain('#00ff00'));
  await put(s3, bucket, 'looks/notes.txt', 'text');
  expect(await lookOf('looks/red.png')).toBeUndefined();
  expect((await thumbnail('looks/red.png')).status).toBe(200);
  const look = await until('the look is kept', () => lookOf('looks/red.png'));
  expect(look).toMatch(/^[\w+/]{7,32}={0,2}$/);
  expect([await lookOf('looks/unseen.png'), await lookOf('looks/notes.txt')]).toEqual([undefined, undefined]);
  await put(s3, bucket, 'looks/red.png', await plain('#0000ff'));
  expect(await lookOf('looks/red.png')).toBeUndefined();
  await thumbnail('looks/red.png');
  expect(await until('that of the other file is kept', () => lookOf('looks/red.png'))).not.toBe(look);
});

test('it is in no listing that does not ask for it', async () => {
  const { text } = await gallery.ask('/api/gallery?json=1&path=looks/');
  expect(text).not.toContain('thumbhash');
  const refused = await gallery.ask('/api/gallery?thumbhash=1');
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('thumbhash')]);
});

test('looks without a new thumbnail are kept for 180 days', async () => {
  const { s3, bucket, database } = gallery;
  for (const name of ['old', 'older']) {
    await put(s3, bucket, `aged/${name}.png`, await plain('#123456'));
    await thumbnail(`aged/${name}.png`);
    await until('the look is kept', () => lookOf(`aged/${name}.png`));
    const days = name === 'old' ? 179 : 181;
    await database.pool.query(
      `update gallery.look set seen_at = now() - make_interval(days => $1) where seen_at > now() - interval '1 day'`,
      [days],
    );
  }
  const db = new Kysely<GalleryTables>({ dialect: new PostgresDialect({ pool: database.pool }) });
  const looks = new ThumbHashes(db, memoryLog('gallery-admin').log);
  expect(await looks.prune()).toBe(1);
  expect(await lookOf('aged/old.png')).toBeDefined();
  expect(await lookOf('aged/older.png')).toBeUndefined();
});
