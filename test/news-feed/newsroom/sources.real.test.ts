import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeDocument } from '@pressroom/news-feed/newsroom/feeds/decode';
import { parseFeed } from '@pressroom/news-feed/newsroom/feeds/parse-feed';
import { expect, test } from 'vitest';
import { realFile } from '../../support/real-data.ts';

/** A feed whose HTML is escaped twice, so that its tags are words. */
const TWICE = 'reddit-atom.rss';

/** A page that is not a feed. */
const REASONS: Record<string, RegExp> = { 'unrecognized.rss': /not a feed/ };

test('every real feed parses, or fails with its reason', () => {
  const folder = realFile('feeds');
  const files = readdirSync(folder);
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const read = () =>
      parseFeed(decodeDocument(readFileSync(join(folder, file)), undefined), 'https://feed.example/');
    const reason = REASONS[file];
    if (reason !== undefined) {
      expect(read, file).toThrow(reason);
      continue;
    }
    const { entries, unusable } = read();
    expect(entries.length + unusable > 0, file).toBe(true);
    if (file === TWICE) continue;
    for (const { title, summary, url } of entries) {
      expect(`${title}${summary ?? ''}`, file).not.toMatch(
        /<\/?(p|a|div|br|img|b|i)\b|&(amp|lt|nbsp|#\d+);|\ufffd/i,
      );
      expect(url, file).toMatch(/^https?:\/\//);
    }
  }
});
