import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wxrEntries } from './entries.ts';

const NAMESPACE = 'xmlns:wp="http://wordpress.org/export/1.1/"';
const ITEM = '<item><title>One &nbsp; two\u0008</title><wp:post_id>7</wp:post_id></item>';
const wxr = (item = ITEM, head = '') => `${head}<rss ${NAMESPACE}><channel>${item}</channel></rss>`;

async function read(text: string | Uint8Array) {
  const file = join(await mkdtemp(join(tmpdir(), 'pressroom-wxr-')), 'export.xml');
  await writeFile(file, text);
  return Array.fromAsync(wxrEntries(file));
}

test.each([
  ['not UTF-8', new Uint8Array([...Buffer.from('<rss>'), 0xff]), 'is not UTF-8; convert it'],
  ['UTF-16', Buffer.from(`\uFEFF${wxr()}`, 'utf16le'), 'is not UTF-8; convert it'],
  ['in another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><rss/>', 'the encoding is ISO-8859-1'],
  ['cut off', wxr().slice(0, -30), 'not well-formed: 1:'],
  ['with a lone &', wxr('<item><title>a&b=c</title></item>'), '1:73: a lone &'],
  [
    'with a lone & far away',
    wxr(`<item>\n<title>R&amp;D &nbsp; a & b</title>\n<x><![CDATA[&]]>&amp;</x></item>`),
    ' 2:25: a lone &',
  ],
  [
    'damaged after a warning',
    `PHP Warning\n\n${wxr('<item>\n</x>', '<?xml version="1.0"?>')}`,
    'not well-formed: 4:',
  ],
  ['another format', '<feed/>', 'not an export of WordPress'],
  ['empty', '', 'not well-formed'],
])('an export that is %s is refused', async (_, text, message) => {
  await expect(read(text)).rejects.toThrow(message);
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
