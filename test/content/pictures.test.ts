import { randomBytes } from 'node:crypto';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { prunePictures } from '@pressroom/content/articles/pictures';
import { HookStore } from '@pressroom/content/hooks/store';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { type ContentFixture, contentFixture, queriesOf, startContent } from '../support/content.ts';
import { galleryFixture, startGallery } from '../support/gallery.ts';
import { type JsonBody, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';
const TEXT = '<p>Words that make up an article, one after the other, for long enough.</p>';
const VERSION = 'v0123456789ab';

const FACTS = {
  path: `/media/${VERSION}/public/pier.jpg`,
  width: 800,
  height: 600,
  thumbhash: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
  color: '#8aa4b8',
  alt: '"><script>alert(1)</script> & \u202e',
  credit: 'R. Lee',
  rights: null,
};

const UNKNOWN = {
  width: null,
  height: null,
  srcset: null,
  thumbhash: null,
  color: null,
  credit: null,
  rights: null,
};

/** Says to content what a gallery has found, and returns what it is to look at. */
async function tell(
  content: ContentFixture,
  looks: object[] = [],
): Promise<{ undescribed: string[]; outdated: string[] }> {
  const told = { folder: 'public/', results: [], looks };
  const { status, body } = await content.client.post('/api/imports/pictures', told);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body.data;
}

const lookAgain = (content: ContentFixture) =>
  content.database.pool.query(
    `update content.picture set lease_until = null, looked_at = looked_at - interval '2 hours'`,
  );

test('a list and a detail show what is known of a picture, of the gallery alone', async () => {
  const content = await contentFixture({ DESK_KEY });
  const replica = await startContent(content.database.url, { DESK_KEY });
  onTestFinished(async () => {
    await replica.close();
    await content.close();
  });
  const { client } = content;
  const own = `https://media.example${FACTS.path}`;
  const current = 'https://media.example/media/public/pier.jpg';
  const foreign = 'https://elsewhere.example/media/public/pier.jpg';
  const publish = async (title: string, featured_image: string | null, more = {}) =>
    (await client.publish({ title, content: TEXT, featured_image, tags: [], ...more })).body.data
      .id as number;
  const { id: category_id } = await client.category({ name: 'Harbour' });
  const first = await publish('First', own, { category_id, alt_text: '' });
  await publish('Second', current, { category_id });
  await publish('Third', foreign);
  await publish('Fourth', null);
  await publish('Fifth', 'https://elsewhere.example/pier.jpg', { alt_text: 'A pier' });
  const list = '/api/articles?include=picture&sort=oldest&fields=title';
  const shown = async (path = list) => {
    const { body, headers } = await send(`${replica.url}${path}`);
    return { articles: body.data, tag: headers.get('etag') };
  };
  const hook = { url: 'https://site.example/', events: ['article.*'], categoryId: null, drafts: false };
  await new HookStore(queriesOf(content.database)).add(hook, new SecretBox(randomBytes(32)));
  const events = async () => {
    const { rows } = await content.database.pool.query('select type, subject from content.event order by id');
    return rows.map(({ type, subject }) => `${type} of ${subject}`);
  };
  const before = await shown();
  expect(before.articles).toEqual([
    { id: first, title: 'First', picture: { url: own, ...UNKNOWN, alt: '' } },
    { id: expect.any(Number), title: 'Second', picture: { url: current, ...UNKNOWN, alt: null } },
    { id: expect.any(Number), title: 'Third', picture: { url: foreign, ...UNKNOWN, alt: null } },
    { id: expect.any(Number), title: 'Fourth', picture: null },
    expect.objectContaining({ picture: expect.objectContaining({ alt: 'A pier', width: null }) }),
  ]);

  const { undescribed } = await tell(content);
  expect(undescribed.toSorted()).toEqual([foreign, current, own].toSorted());
  expect((await tell(content)).undescribed).toEqual([]);
  // Until a version shows whose the address is, it may be another site's with the same path.
  const looks = [current, foreign].map((url) => ({ url, picture: FACTS }));
  await tell(content, looks);
  expect((await shown()).articles).toEqual(before.articles);
  await tell(content, [{ url: own, picture: FACTS }]);
  const known = await until('the other replica has heard', async () => {
    const now = await shown();
    return now.tag === before.tag ? undefined : now;
  });
  const { path: _, alt, ...facts } = FACTS;
  const srcset = `${own}?w=64 64w, ${own}?w=128 128w, ${own}?w=256 256w, ${own}?w=384 384w, ${own}?w=640 640w, ${own}?w=828 800w`;
  const described = { url: own, srcset, ...facts };
  const pictures = known.articles.map(({ picture }: JsonBody) => picture);
  expect(pictures).toEqual([
    { ...described, alt: '' },
    { ...described, alt },
    ...before.articles.slice(2).map(({ picture }: JsonBody) => picture),
  ]);
  expect((await events()).at(-1)).toBe(`article.updated of article:${first}`);
  const { length } = await events();
  // The answer was lost: it is told again, and nothing is announced.
  await tell(content, [{ url: own, picture: FACTS }]);
  expect([(await shown()).tag, (await events()).length]).toEqual([known.tag, length]);

  const [searched, walked] = ['q=first', 'cursor=&ids=1&fields=content'].map(
    (query) => `/api/articles?${query}&include=picture`,
  );
  await until('it is searched', async () => (await shown(searched)).articles.length === 1);
  for (const path of [searched, walked]) expect((await shown(path)).articles[0].picture).toEqual(pictures[0]);
  const detail = (await shown(`/api/articles/by-slug/first?include=picture,related:5`)).articles;
  expect(detail.picture).toEqual(pictures[0]);
  expect(detail.related[0]).toMatchObject({ title: 'Second', picture: pictures[1] });
  const plain = await client.anonymously(`/api/articles/${first}?include=related:5`);
  expect([plain.body.data.picture, plain.body.data.related[0].picture]).toEqual([undefined, undefined]);

  // It is replaced, and later gone.
  await lookAgain(content);
  expect((await tell(content)).outdated.toSorted()).toEqual([foreign, current, own].toSorted());
  const replaced = { ...FACTS, path: `/media/vffffffffffff/public/pier.jpg`, width: 40 };
  const newest = `https://media.example${replaced.path}`;
  await tell(content, [{ url: own, picture: replaced }]);
  const one = async () => (await shown(`/api/articles/${first}?include=picture`)).articles.picture;
  await until('the new version', async () => (await one()).url === newest);
  expect((await one()).srcset).toBe(`${newest}?w=64 40w`);
  await tell(content, [{ url: own, picture: null }]);
  await until('nothing', async () => (await one()).url === own);
  expect(await one()).toEqual({ url: own, ...UNKNOWN, alt: '' });

  for (const [member, value] of Object.entries({
    path: '/media/public/a.png',
    color: 'red',
    alt: 'a\ud800',
    width: 0,
  })) {
    const look = { url: own, picture: { ...FACTS, [member]: value } };
    const answer = await client.post('/api/imports/pictures', { folder: null, results: [], looks: [look] });
    expect([member, answer.status]).toEqual([member, 422]);
  }
});

test('what no article shows is forgotten, but not what one is getting', async () => {
  const content = await contentFixture();
  onTestFinished(content.close);
  const { client, database } = content;
  const [kept, left, getting] = ['a', 'b', 'c'].map(
    (name) => `https://media.example/media/public/${name}.png`,
  );
  await client.article({ content: TEXT, featured_image: kept });
  const { id } = await client.article({ content: TEXT, featured_image: left });
  await client.patch(`/api/articles/${id}`, { featured_image: getting });
  await client.patch(`/api/articles/${id}`, { featured_image: null });
  const urls = async () =>
    (await database.pool.query('select url from content.picture order by url')).rows.map(({ url }) => url);
  expect(await urls()).toEqual([kept, left, getting]);
  const writer = await database.pool.connect();
  await writer.query('begin');
  await writer.query('update content.article set featured_image = $1 where id = $2', [getting, id]);
  await expect(prunePictures(queriesOf(database))).rejects.toThrow('lock');
  await writer.query('commit');
  writer.release();
  expect(await prunePictures(queriesOf(database))).toEqual({ pictures: 1 });
  expect(await urls()).toEqual([kept, getting]);
});

test('the gallery looks at pictures of articles, once among replicas, and again when they may have changed', async () => {
  const content = await contentFixture({ DESK_KEY });
  const gallery = await galleryFixture({
    ...{ CONTENT_URL: content.url, DESK_KEY },
    MEDIA_PUBLIC: 'public/',
  });
  const second = await startGallery(gallery.settings);
  onTestFinished(async () => {
    await second.close();
    await gallery.close();
    await content.close();
  });
  const { bucket: Bucket, s3 } = gallery;
  const Key = 'public/the pier.jpg';
  const put = async (width: number) => {
    const picture = sharp({ create: { width, height: 100, channels: 3, background: '#468' } });
    const Body = await picture
      .withExif({ IFD0: { ImageDescription: 'A "pier" <b>', Artist: 'R. Lee' } })
      .jpeg()
      .toBuffer();
    await s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'image/jpeg' }));
  };
  await put(200);
  const { headers } = await send(`${gallery.url}/media/${encodeURI(Key)}`);
  const url = `${gallery.url}${headers.get('content-location')}`;
  const desk = (path: string, method: string, json: JsonBody) =>
    send(`${gallery.url}/api/desk/content${path}`, { method, headers: { cookie: gallery.cookie }, json });
  const made = await desk('/articles', 'POST', {
    title: 'One',
    content: TEXT,
    featured_image: url,
    is_published: true,
  });
  const path = `/api/articles/${made.body.data.id}?include=picture`;
  const picture = async () => (await content.client.anonymously(path)).body.data.picture;
  const known = await until('it is known', async () => {
    const shown = await picture();
    return shown.width !== null && shown;
  });
  expect(known).toMatchObject({ url, width: 200, height: 100, alt: 'A "pier" <b>', credit: 'R. Lee' });
  expect(known.srcset).toBe(`${url}?w=64 64w, ${url}?w=128 128w, ${url}?w=256 200w`);
  const { body: described } = await send(`${url}.json`);
  expect([described.thumbhash, described.color]).toEqual([known.thumbhash, known.color]);

  /** Has the gallery look again, which tells what it has found the next time. */
  const looked = async (what: string, is: (picture: JsonBody) => boolean) => {
    await lookAgain(content);
    await until(what, async () => {
      await desk('/articles/suggestions', 'POST', {});
      return is(await picture());
    });
  };
  await put(300);
  await looked('it is replaced', ({ width }) => width === 300);
  expect((await picture()).url).not.toBe(url);
  const settings = (publicFolders: string[]) =>
    gallery.ask('/api/settings', { method: 'PATCH', json: { publicFolders } });
  expect((await settings(['other/'])).status).toBe(200);
  await looked('it is private', ({ width }) => width === null);
  expect((await settings(['public/'])).status).toBe(200);
  await looked('it is public', ({ width }) => width === 300);
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  await looked('it is gone', ({ width }) => width === null);
  expect(await picture()).toEqual({ url, ...UNKNOWN, alt: null });
});

test('where people use the desk is the gallery, also as the desk writes addresses, and nowhere else is', async () => {
  const content = await contentFixture({ DESK_KEY });
  const gallery = await galleryFixture({
    ...{ CONTENT_URL: content.url, DESK_KEY },
    MEDIA_PUBLIC: 'public/',
  });
  onTestFinished(async () => {
    await gallery.close();
    await content.close();
  });
  const picture = sharp({ create: { width: 200, height: 100, channels: 3, background: '#468' } });
  const object = { Bucket: gallery.bucket, Key: 'public/pier.png', ContentType: 'image/png' };
  await gallery.s3.send(new PutObjectCommand({ ...object, Body: await picture.png().toBuffer() }));
  const write = (origin: string, headers: Record<string, string>) =>
    send(`${gallery.url}/api/desk/content/articles`, {
      ...{ method: 'POST', headers },
      json: {
        ...{ title: origin, content: TEXT, is_published: true },
        featured_image: `${origin}/media/public/pier.png`,
      },
    });
  const cookie = { cookie: gallery.cookie };
  const elsewhere = 'https://elsewhere.example';
  const foreign = (await write(elsewhere, cookie)).body.data.id;
  // Who is not logged in says nothing of where the desk is.
  expect((await write(elsewhere, { host: 'elsewhere.example' })).status).toBe(401);
  const own = (await write(gallery.url, cookie)).body.data.id;
  const widthOf = async (id: number) =>
    (await content.client.anonymously(`/api/articles/${id}?include=picture`)).body.data.picture.width;
  await until('it is known', async () => (await widthOf(own)) === 200);
  await until('both were looked at', async () => {
    const { rows } = await content.database.pool.query('select from content.picture where facts is null');
    return rows.length === 0;
  });
  expect(await widthOf(foreign)).toBe(null);
});
