import { PutObjectCommand } from '@aws-sdk/client-s3';
import { addSample as addArticles } from '@pressroom/content/cli/sample';
import { readVocabulary } from '@pressroom/news-feed/config';
import { addSample as addNews } from '@pressroom/news-feed/editing/sample';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { contentFixture, queriesOf } from '../support/content.ts';
import { galleryFixture } from '../support/gallery.ts';
import { type JsonValue, send } from '../support/http.ts';
import { newsFeedFixture } from '../support/news-feed.ts';

/** The answers, and where in one an example stands: `PATH member.0`. */
type Places = Readonly<Record<string, string>>;

const OF_CONTENT: Places = {
  Article: '/api/articles/by-slug/corrections-belong-above-the-fold data',
  ArticleListItem: '/api/articles data.0',
  Author: '/api/authors data.0',
  AuthorPage: '/api/authors/1?per_page=1 data',
  Category: '/api/categories data.0',
  CategoryPage: '/api/categories/1?per_page=1 data',
  PageMeta: '/api/articles?per_page=2&page=2 meta',
  Problem: '/api/articles?page=0 ',
  Suggestions: '/api/articles/suggest?q=wi data',
  Tag: '/api/tags data.0',
  TagPage: '/api/tags/1?per_page=1 data',
};

const OF_PICTURES: Places = {
  ArticlePicture: '/api/articles/by-slug/mapodoufu-without-fear?include=picture data.picture',
};

const OF_WRITERS: Places = {
  PlannedArticle: '/api/schedule data.0',
  Revision: '/api/articles/2/revisions/1 data',
  RevisionListItem: '/api/articles/2/revisions data.0',
};

const OF_NEWS: Places = {
  DailyListItem: '/api/v1/dailies items.0',
  DailyReport: '/api/v1/dailies/latest report',
  HotTopic: '/api/v1/hot-topics items.0',
  ItemDetail: '/api/v1/items/sample-item-1 item',
  ListedItem: '/api/v1/items items.0',
  ListPage: '/api/v1/items?limit=2 page',
  Problem: '/api/v1/items?limit=0 ',
  Story: '/api/v1/stories/lantern-2-release story',
  StoryListItem: '/api/v1/stories items.0',
};

const OF_GALLERY: Places = {
  GalleryFile: '/api/gallery?json=1&path=public/ data.files.0',
  GalleryFolder: '/api/gallery?json=1 data.folders.0',
  GalleryProblem: '/api/gallery?maxKeys=0 ',
  Me: '/api/me data',
  Picture: '/media/public/hills.jpg.json ',
  Problem: '/media/public/nothing.jpg ',
};

test("content's examples are what it answers", async () => {
  const { url, key, database, client, close } = await contentFixture();
  await addArticles(queriesOf(database), 'https://media.example/media/v0123456789ab/public/');
  const picture = {
    path: '/media/v0123456789ab/public/tiles.png',
    ...{ width: 1600, height: 1000, thumbhash: '1QcSHQRnh493V4dIh4eXh1h4kJUI', color: '#c89878' },
    ...{ alt: null, credit: 'Alma Reyes', rights: null },
  };
  const looks = [{ url: `https://media.example${picture.path}`, picture }];
  await client.post('/api/imports/pictures', { folder: null, results: [], looks });
  const examples = {
    ...(await answersOf(url, OF_CONTENT)),
    ...(await answersOf(url, OF_PICTURES)),
    ...(await answersOf(url, OF_WRITERS, { 'X-API-Key': key })),
  };
  await close();
  await matches(examples, 'services/content/src/examples.json');
});

test("the news feed's examples are what it answers", async () => {
  const now = new Date('2026-11-21T09:30:00Z');
  const { url, db, close } = await newsFeedFixture({}, () => now);
  await addNews(db, readVocabulary({}), now);
  const examples = await answersOf(url, OF_NEWS);
  await close();
  await matches(examples, 'services/news-feed/src/api/examples.json');
});

test("the gallery's examples are what it answers", async () => {
  const { url, cookie, ask, post, s3, bucket, close } = await galleryFixture({ MEDIA_PUBLIC: 'public/' });
  const background = '#8aa4b8';
  const Body = await sharp({ create: { width: 1200, height: 800, channels: 3, background } })
    .jpeg()
    .toBuffer();
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'hills.jpg', Body, ContentType: 'image/jpeg' }));
  await post('/api/gallery/batch', { action: 'move', paths: ['hills.jpg'], dest: 'public/' });
  const examples = await answersOf(url, OF_GALLERY, { cookie });
  const { body } = await post('/api/gallery/batch', {
    action: 'delete',
    paths: ['public/'],
    background: true,
  });
  const batch = async () => (await ask(`/api/gallery/batches/${body.batch.id}`)).body.batch;
  await expect.poll(async () => (await batch()).state).toBe('done');
  examples.Batch = await batch();
  await close();
  await matches(examples, 'services/gallery-admin/src/examples.json');
});

async function answersOf(url: string, places: Places, headers = {}): Promise<Record<string, JsonValue>> {
  const found: Record<string, JsonValue> = {};
  for (const [name, place] of Object.entries(places)) {
    const [path, members = ''] = place.split(' ');
    const { body } = await send(`${url}${path}`, { headers });
    found[name] = members
      .split('.')
      .filter(Boolean)
      .reduce((value: JsonValue, member) => value?.[member], body as JsonValue);
    expect(found[name], `${name} of ${place}: ${JSON.stringify(body).slice(0, 400)}`).toBeDefined();
  }
  return found;
}

/** `pnpm test test/http/examples -u` writes the file anew. */
async function matches(examples: Record<string, JsonValue>, file: string): Promise<void> {
  const text = JSON.stringify(examples, settled, 2);
  await expect(`${text}\n`).toMatchFileSnapshot(`../../${file}`);
}

const DRAWN: Readonly<Record<string, string>> = {
  requestId: '5f0c8f3e-6a0b-4a51-9d0c-0f6ce1a7a1b2',
  thumbhash: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
  color: '#8aa4b8',
};

/** The same in every run: the times of writes, and ids that are drawn. */
function settled(member: string, value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  if (Object.hasOwn(DRAWN, member)) return DRAWN[member];
  return value
    .replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, '2026-11-21T09:30:00.000Z')
    .replace(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, '5f0c8f3e-6a0b-4a51-9d0c-0f6ce1a7a1b2')
    .replaceAll(/\/media\/v[\da-f]{12}\//g, '/media/v090349dba876/')
    .replace(/^http:.*X-Amz-.*/, 'https://store.example.com/gallery/public/hills.jpg?X-Amz-Signature=…');
}
