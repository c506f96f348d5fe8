import { inspectHtml } from '@pressroom/content/html/article-parser';
import { JSDOM } from 'jsdom';
import { expect, test } from 'vitest';
import { canRepresent } from '../../packages/desk/src/articles/editor/can-represent.ts';
import { readHtml } from '../../packages/desk/src/articles/editor/html/read-html.ts';
import { writeHtml } from '../../packages/desk/src/articles/editor/html/write-html.ts';
import { realArticles } from '../support/real-data.ts';

const RULES = { html: 'checked', jsonLd: false, overlays: false } as const;

const { document } = new JSDOM('').window;

test('the editor represents most real articles, and content accepts what it writes of them', async () => {
  const articles = realArticles();
  const represented = articles.filter(({ html }) => canRepresent(html, document));
  console.log(`The editor represents ${represented.length} of ${articles.length} real articles`);
  expect(represented.length).toBeGreaterThan(articles.length / 2);
  for (const { html, title } of represented) {
    if ((await inspectHtml(html, RULES)).faults.length > 0) continue;
    const written = writeHtml(readHtml(html, document));
    expect((await inspectHtml(written, RULES)).faults, title).toEqual([]);
  }
});
