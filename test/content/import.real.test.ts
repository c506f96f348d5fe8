import { afterAll, beforeAll, expect, test } from 'vitest';
import { articleLines } from '../fixtures/articles.ts';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { expectImported, importText, importTrusted } from '../support/content-import.ts';
import { realArticles } from '../support/real-data.ts';

/** Further members of the real articles. */
const IGNORE = ['--ignore', 'lang,siteName,publishedTime'];

let trusting: ContentFixture;
let checking: ContentFixture;

beforeAll(async () => {
  trusting = await contentFixture({ CONTENT_HTML: 'trusted' });
  checking = await contentFixture();
});

afterAll(async () => {
  await trusting?.close();
  await checking?.close();
});

test('a service that trusts its writers accepts all real articles, once', async () => {
  const lines = articleLines(realArticles());
  const first = await importTrusted(trusting, lines, '--truncate', ...IGNORE);
  expect(first.stdout).toMatch(/(?:^|\n)92 created, 0 already there, 0 refused\n$/);
  expect(first.code).toBe(0);
  await expectImported(trusting.url, realArticles());
  const again = await importTrusted(trusting, lines, '--truncate', ...IGNORE);
  expect(again.stdout).toBe('0 created, 92 already there, 0 refused\n');
});

test('a service that checks HTML refuses the real articles that contain code or too long an excerpt, and names line, source and reason', async () => {
  const result = await importText(checking, articleLines(realArticles()), ...IGNORE);
  expect(result.code).toBe(1);
  const lines = result.stdout.trim().split('\n');
  expect(lines.pop()).toBe('82 created, 0 already there, 10 refused');
  // The others say what a created article was given, such as another slug.
  const refused = lines.filter((line) => line.includes(' (source '));
  expect(refused.map((line) => line.slice(0, line.indexOf(')') + 1))).toEqual([
    'line 13 (source bug-1255978)',
    'line 17 (source cnet-svg-classes)',
    'line 20 (source data-url-image)',
    'line 26 (source firefox-nightly-blog)',
    'line 32 (source hidden-nodes)',
    'line 35 (source invalid-attributes)',
    'line 58 (source qq)',
    'line 74 (source table-style-attributes)',
    'line 85 (source webmd-1)',
    'line 86 (source webmd-2)',
  ]);
  expect(refused[2]).toContain('excerpt: must be at most 500 characters long');
  expect(refused[6]).toContain('content: onmouseover on <span> is not allowed (line 13, column 17)');
});
