import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { contentCli } from '../support/content-import.ts';
import { realFile } from '../support/real-data.ts';

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture();
});
afterAll(() => content?.close());

const imported = async (file: string) => {
  const reader = /\.xml$/.test(file)
    ? ['wordpress']
    : /ghost/.test(file)
      ? ['ghost', '--site', 'https://ghost.example']
      : [];
  const path = realFile('cases', 'content', file);
  const { stdout, stderr } = await contentCli(content, [
    'import',
    ...reader,
    path,
    '--truncate',
    '--author',
    'A',
  ]);
  return `${stdout}${stderr}`;
};

test.each([
  ['01-wxr-without-post-id.xml', '3 created, 0'],
  ['02-wxr-same-post-id-twice.xml', '2 created, 0'],
  ['03-jsonl-same-title-and-html.jsonl', '3 created, 0'],
  ['04-ghost-numeric-id-site-a.json', '1 created, 0'],
  ['04b-ghost-numeric-id-site-b.json', '1 created, 0'],
  ['05-merge-hello-world-one.xml', '1 created, 0'],
  ['05b-merge-hello-world-two.xml', 'the slug hello-world is taken: it becomes hello-world-2'],
  ['09-synced-pattern.xml', '1 created, 0'],
  ['10-gallery-not-in-file.xml', 'the attachments 99999, 99998 are not in the export'],
  ['12-youtube-shortcode.xml', '1 created, 0'],
  ['13-blank-line-before-xml.xml', '1 created, 0'],
  ['13b-php-warning-before-xml.xml', '0 created, 1'],
  ['14-ampersand-far-line.xml', 'not well-formed: 4:19: a lone &'],
  ['15-published-without-date.xml', 'has no date: imported as a draft'],
  ['15b-impossible-date.xml', 'the date 2020-02-30 00:00:00 does not exist'],
  ['16-ghost-limits.json', '7 created, 0'],
  ['17-ghost-relative-image.json', '2 created, 0'],
  ['18-iframe-http.xml', '1 created, 0'],
  ['21-cut-slug.xml', '1 created, 0'],
  ['22-60-tags.jsonl', '1 created, 0'],
  ['23-draft-twice-http.xml', '1 created, 0'],
  ['23b-draft-twice-https.xml', '0 created, 1'],
  ['24-escaped-shortcode.xml', '1 created, 0'],
  ['25-yoast-long-description.xml', 'meta_description: shortened to 320 characters'],
  ['26-canonical-same-address.json', '1 created, 0'],
])('%s', async (file, said) => {
  expect(await imported(file)).toContain(said);
});
