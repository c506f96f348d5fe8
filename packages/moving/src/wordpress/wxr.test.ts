import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wordpressEntries, wxrEntries } from './entries.ts';

const NAMESPACE = 'xmlns:wp="http://wordpress.org/export/1.1/"';
const ITEM = '<item><title>One &nbsp; two\u0008</title><wp:post_id>7</wp:post_id></item>';
const wxr = (item = ITEM, head = '') => `${head}<rss ${NAMESPACE}><channel>${item}</channel></rss>`;

async function fileOf(text: string | Uint8Array) {
  const file = join(await mkdtemp(join(tmpdir(), 'pressroom-wxr-')), 'export.xml');
  await writeFile(file, text);
  return file;
}

async function read(text: string | Uint8Array) {
  return Array.fromAsync(wxrEntries(await fileOf(text)));
}

test.each([
  ['not UTF-8', new Uint8Array([...Buffer.from('<rss>'), 0xff]), 'is not UTF-8; convert it', 'not_utf8'],
  ['UTF-16', Buffer.from(`\uFEFF${wxr()}`, 'utf16le'), 'is not UTF-8; convert it', 'not_utf8'],
  [
    'in another encoding',
    '<?xml version="1.0" encoding="ISO-8859-1"?><rss/>',
    'the encoding is ISO-8859-1',
    'encoding ISO-8859-1',
  ],
  ['cut off', wxr().slice(0, -30), 'not well-formed: 1:', 'malformed 1'],
  ['with a lone &', wxr('<item><title>a&b=c</title></item>'), '1:73: a lone &', 'malformed 1'],
  [
    'with a lone & far away',
    wxr(`<item>\n<title>R&amp;D &nbsp; a & b</title>\n<x><![CDATA[&]]>&amp;</x></item>`),
    ' 2:25: a lone &',
    'malformed 2',
  ],
  [
    'damaged after a warning',
    `PHP Warning\n\n${wxr('<item>\n</x>', '<?xml version="1.0"?>')}`,
    'not well-formed: 4:',
    'malformed 4',
  ],
  ['another format', '<feed/>', 'not an export of WordPress', 'not_wordpress'],
  ['empty', '', 'not well-formed', 'malformed 1'],
])('an export that is %s is refused', async (_, text, message, reason) => {
  const [code, about = null] = reason.split(' ');
  await expect(read(text)).rejects.toMatchObject({
    message: expect.stringContaining(message),
    why: { code, about },
  });
});

test('no entity is expanded, and what XML does not know is left out', async () => {
  const doctype = '<!DOCTYPE rss [<!ENTITY a "aa"><!ENTITY b SYSTEM "file:///etc/passwd">]>';
  const item = ITEM.replace('One', 'One &a;&b;');
  const [entry] = await read(wxr(item, doctype));
  expect(entry?.texts.get('title')).toBe('One &a;&b; &nbsp; two');
  expect(entry?.texts.get('wp:post_id')).toBe('7');
});

test.each([
  ['a blank line', '\n', ''],
  ['a warning of PHP', '<br />\n<b>Warning</b>: a & b in <b>/x.php</b> on line <b>9</b><br />\n', ''],
  ['a warning at the end', '', '\n<br />\n<b>Warning</b>: a & b'],
])('%s is skipped, and lines are counted as in the file', async (_, before, after) => {
  for (const declaration of ['<?xml version="1.0"?>', '']) {
    const [entry, ...others] = await read(`${before}${wxr(ITEM, declaration)}${after}`);
    expect([entry?.texts.get('wp:post_id'), others]).toEqual(['7', []]);
    expect(entry?.line).toBe(before.split('\n').length);
  }
});

/** The article of an export of this site, with the guid that it was given at another. */
async function articleOf(site: string, guid: string, link = `${site}/a/`) {
  const item = `<item><title>A</title><guid>${guid}</guid><link>${link}</link><wp:post_id>7</wp:post_id>
    <wp:post_type>post</wp:post_type><wp:status>publish</wp:status><wp:post_name>a</wp:post_name></item>`;
  const file = await fileOf(wxr(`<wp:base_blog_url>${site}</wp:base_blog_url>${item}`));
  const [entry] = await Array.fromAsync(
    wordpressEntries(file, { clean: false, slugOf: (given) => ({ given }) }),
  );
  if (entry === undefined || !('line' in entry)) throw new Error('no article');
  const { parts = [], others = [] } = entry.identity ?? {};
  return { parts, keys: [parts, ...others].map((one) => one.join(' ')) };
}

test('an article is known by what an import keeps for good', async () => {
  const { parts } = await articleOf('https://www.a.example', 'http://a.example/?p=7');
  expect(parts).toEqual(['wordpress', 'www.a.example', '7', 'a.example/?p=7', 'www.a.example/a']);
});

const GUIDS = ['http://a.example/?p=7', 'https://www.a.example/?p=7'] as const;
const SITES = ['http://a.example', 'https://a.example', 'http://www.a.example', 'https://www.a.example'];
test.each(SITES.flatMap((from) => SITES.map((to) => [from, to])))(
  'a site that moves from %s to %s keeps its articles',
  async (from, to) => {
    for (const guid of GUIDS) {
      const { keys } = await articleOf(to, guid);
      for (const former of GUIDS) expect(keys).toContain((await articleOf(from, former)).keys[0]);
    }
  },
);

test.each([
  ['another host', 'https://blog.a.example', GUIDS[0]],
  ['another domain', 'https://wwwa.example', GUIDS[0]],
  ['another folder', 'https://a.example/b', GUIDS[0]],
  ['another guid', 'https://a.example', 'http://a.example/?p=8'],
])('%s is another site or article', async (_, site, guid) => {
  const [key] = (await articleOf('https://www.a.example', GUIDS[0])).keys;
  expect((await articleOf(site, guid)).keys).not.toContain(key);
});
