import { readVocabulary } from '@pressroom/news-feed/config';
import { addSample } from '@pressroom/news-feed/editing/sample';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { ADMIN, type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../support/news-feed.ts';
import { GENERATORS, openWorkshop, type Workshop } from './workshop.ts';

let workshop: Workshop;
let content: ContentFixture;
let feed: NewsFeedFixture;
let gallery: GalleryFixture;

beforeAll(async () => {
  workshop = await openWorkshop();
  [content, feed, gallery] = await Promise.all([contentFixture(), newsFeedFixture(), galleryFixture()]);
  const vocabulary = readVocabulary({ NEWS_CATEGORIES: 'technology' });
  await addSample(feed.db, vocabulary, new Date());
  const services = { content, 'news-feed': feed, gallery };
  for (const [service, { url }] of Object.entries(services)) {
    await workshop.generate(service, (await send(`${url}/openapi.json`)).body);
  }
});
afterAll(async () => {
  await Promise.all([content?.close(), feed?.close(), gallery?.close()]);
  await workshop?.remove();
});

test('generated clients and the programs that use them compile under tsc --strict', async () => {
  expect(await workshop.compile()).toBe('');
});

describe.each(GENERATORS)('a client of %s', (generator) => {
  test('creates, reads, changes and deletes an article', async () => {
    const roundTrip = await workshop.load('content', generator);
    expect(await roundTrip(content.url, content.key)).toEqual({
      repeated: true,
      title: 'A round trip',
      listed: [true],
      pages: 1,
      kept: 304,
      excerpt: 'Changed',
      late: 'precondition_failed',
      faults: ['title required'],
      deleted: 'success',
    });
  });

  test('reads the news, and follows the selected set', async () => {
    const roundTrip = await workshop.load('news-feed', generator);
    expect(await roundTrip(feed.url)).toEqual({
      pages: [2, 2],
      kept: 304,
      stories: true,
      dated: true,
      whole: true,
      changed: [],
      wrong: 'snapshot_required',
    });
  });

  test('logs in, and uploads, finds and deletes a file', async () => {
    const roundTrip = await workshop.load('gallery', generator);
    expect(await roundTrip(gallery.url, ADMIN)).toEqual({
      refused: true,
      active: 'default',
      put: 200,
      sizes: ['A round trip'.length],
      text: 'A round trip',
      aborted: true,
      deleted: 1,
      out: true,
    });
  });
});
