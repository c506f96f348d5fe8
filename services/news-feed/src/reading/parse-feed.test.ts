import { describe, expect, test } from 'vitest';
import { parseFeed } from './parse-feed.ts';

const ADDRESS = 'https://feed.example/news/feed.xml';
const LINK = 'https://source.example/1';

const rss = (members: string, attributes = '') =>
  `<rss version="2.0" ${attributes}><channel><item><link>${LINK}</link>${members}</item></channel></rss>`;
const atom = (members: string, version = 'xmlns="http://www.w3.org/2005/Atom"') =>
  `<feed ${version}><entry><link href="${LINK}"/>${members}</entry></feed>`;
const atom03 = (members: string) => atom(members, 'version="0.3" xmlns="http://purl.org/atom/ns#"');
const json = (members: object) =>
  JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    items: [{ id: 'a', url: LINK, ...members }],
  });
const base64 = (text: string) => Buffer.from(text).toString('base64');

function entryOf(feed: string) {
  const [entry] = parseFeed(feed, ADDRESS).entries;
  if (entry === undefined) throw new Error('it has no entry');
  return entry;
}

describe('who wrote an entry, what it is filed under and its recordings', () => {
  const file = 'https://pod.example/1.mp3';
  const itunes =
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:dc="http://purl.org/dc/elements/1.1/"';
  const enclosure = (attributes = 'type="audio/mpeg" length="123"') =>
    `<enclosure url="${file}" ${attributes}/>`;
  const hour = [{ url: file, type: 'audio/mpeg', length: 123, duration: 3723 }];

  const read: [name: string, feed: string, credits: object][] = [
    [
      'RSS',
      rss(
        `<title>A</title><author>ada@source.example (Ada  Lovelace)</author><dc:creator>&lt;b&gt;Ada&lt;/b&gt; L.</dc:creator>
          <dc:creator>林徽因</dc:creator><category domain="x">Space &amp;amp; time</category><category>space &amp; Time</category>
          <itunes:keywords>moon, , sun</itunes:keywords><itunes:duration>1:02:03</itunes:duration>${enclosure()}`,
        itunes,
      ),
      { authors: ['Ada L.', '林徽因'], tags: ['Space & time', 'moon', 'sun'], enclosures: hour },
    ],
    [
      'Media RSS',
      rss(
        `<title>A</title><media:group><media:content url="${file}" type="audio/mpeg" fileSize="123" duration="3723"/>
          <media:content url="https://pod.example/1.jpg" medium="image"/></media:group>${enclosure('type="Audio/MPEG; x=y" length="0"')}
          <media:credit role="author">Ada</media:credit><media:category label="Space">x/y</media:category>`,
        'xmlns:media="http://search.yahoo.com/mrss/"',
      ),
      { authors: ['Ada'], tags: ['Space'], enclosures: hour },
    ],
    [
      'Atom',
      atom(
        `<title>A</title><author><name>Ada &amp; Co</name><email>ada@source.example</email></author><author><uri>https://x.example</uri></author>
          <category term="space" label="Space"/><category term="http://schemas.example#post"/>
          <link rel="enclosure" href="${file}" type="audio/mpeg" length="123"/>`,
      ),
      {
        authors: ['Ada & Co'],
        tags: ['Space'],
        enclosures: [{ url: file, type: 'audio/mpeg', length: 123 }],
      },
    ],
    [
      "Atom, the feed's author",
      `<feed xmlns="http://www.w3.org/2005/Atom"><author><name>Ada</name></author>
        <entry><title>A</title><link href="${LINK}"/></entry></feed>`,
      { authors: ['Ada'] },
    ],
    [
      'JSON Feed',
      json({
        ...{ title: 'A', authors: [{ name: 'Ada' }, { url: 'https://x.example' }], tags: ['Space'] },
        attachments: [
          { url: file, mime_type: 'audio/mpeg', size_in_bytes: 123, duration_in_seconds: 3722.6 },
        ],
      }),
      { authors: ['Ada'], tags: ['Space'], enclosures: hour },
    ],
    [
      'a mail address, a script, a picture, a page',
      rss(
        `<title>A</title><author>ada@source.example</author><category>&lt;script&gt;alert(1)&lt;/script&gt;</category>
          <category>\u202eecaps\u0007</category><category>--</category><enclosure url="javascript:alert(1)" type="audio/mpeg"/>
          <enclosure url="data:audio/mpeg,x" type="audio/mpeg"/><enclosure url="https://u:p@pod.example/1.MP3" length="-4"/>
          <enclosure url="/p.png" type="image/png"/><enclosure url="/p" type="text/html"/><enclosure url="/a" type="no"/>
          <itunes:duration>99:99:99:99</itunes:duration>`,
        itunes,
      ),
      { tags: ['ecaps'], enclosures: [{ url: 'https://pod.example/1.MP3', type: 'audio/mpeg' }] },
    ],
  ];
  test.each(read)('are read and cleaned: %s', (_name, feed, credits) => {
    const { authors, tags, enclosures } = entryOf(feed);
    expect({ authors, tags, enclosures }).toEqual({
      ...{ authors: undefined, tags: undefined, enclosures: undefined },
      ...credits,
    });
  });

  test('are few and short, whatever a feed repeats', () => {
    const many = Array.from({ length: 3000 }, (_, index) => index);
    const entry = entryOf(
      rss(
        `<title>A</title>${many.map((n) => `<dc:creator>${n} ${'x'.repeat(500)}</dc:creator>`).join('')}
          ${many.map((n) => `<category>${n}</category><enclosure url="/${n}.mp3"/>`).join('')}`,
        itunes,
      ),
    );
    expect([entry.authors?.length, entry.tags?.length, entry.enclosures?.length]).toEqual([10, 20, 10]);
    expect(entry.authors?.every((name) => name.length <= 100)).toBe(true);
  });
});

describe('a text that mentions a tag', () => {
  const kept: [name: string, feed: string, title: string][] = [
    ['Atom', atom('<title>the &lt;dialog&gt; element</title>'), 'the <dialog> element'],
    ['Atom, said to be text', atom('<title type="text">a &lt;b&gt;b&lt;/b&gt; c</title>'), 'a <b>b</b> c'],
    ['Atom, with a reference', atom('<title>how to write &amp;amp;</title>'), 'how to write &amp;'],
    ['Atom, generics', atom('<title><![CDATA[Vec<T> & Map<K, V>]]></title>'), 'Vec<T> & Map<K, V>'],
    [
      'Atom, a script',
      atom('<title>why &lt;script&gt; blocks the page</title>'),
      'why <script> blocks the page',
    ],
    [
      'Atom, in HTML',
      atom('<title type="html">the &amp;lt;dialog&amp;gt; element</title>'),
      'the <dialog> element',
    ],
    [
      'Atom, in XHTML',
      atom('<title type="xhtml"><div>the <i>&lt;dialog&gt;</i> element</div></title>'),
      'the <dialog> element',
    ],
    ['JSON Feed', json({ title: 'the <dialog> element' }), 'the <dialog> element'],
    ['JSON Feed, with a reference', json({ title: 'how to write &amp;' }), 'how to write &amp;'],
    ['RSS, escaped twice', rss('<title>the &amp;lt;dialog&amp;gt; element</title>'), 'the <dialog> element'],
    ['RSS, escaped once', rss('<title>the &lt;dialog&gt; element</title>'), 'the <dialog> element'],
    ['RSS, generics', rss('<title>Vec&lt;T&gt; &amp; Map&lt;K, V&gt;</title>'), 'Vec<T> & Map<K, V>'],
    ['RSS, generics in CDATA', rss('<title><![CDATA[Vec<T> & Map<K, V>]]></title>'), 'Vec<T> & Map<K, V>'],
    [
      'RSS, a script',
      rss('<title>why &lt;script&gt; blocks the page</title>'),
      'why <script> blocks the page',
    ],
    ['RSS, comparing', rss('<title>1 &lt; 2 &amp;&amp; b &gt; c</title>'), '1 < 2 && b > c'],
    ['RSS, elements', rss('<title>the <i>&lt;dialog&gt;</i> element</title>'), 'the <dialog> element'],
  ];
  test.each(kept)('keeps it as a title: %s', (_name, feed, title) => {
    expect(entryOf(feed).title).toBe(title);
  });

  test('keeps it in a summary and in the text, which is HTML only where the format says so', () => {
    const text = 'Use <img src=x onerror=alert(1)>, then </p>.';
    const escaped = text.replaceAll('<', '&lt;');
    expect(entryOf(atom(`<title>A</title><summary>${escaped}</summary>`)).summary).toBe(text);
    expect(entryOf(atom(`<title>A</title><content type="text">${escaped}</content>`)).summary).toBe(text);
    expect(entryOf(atom(`<title>A</title><content type="text/plain">${escaped}</content>`)).summary).toBe(
      text,
    );
    expect(entryOf(json({ title: 'A', summary: text })).summary).toBe(text);
    expect(entryOf(json({ title: 'A', content_text: text })).summary).toBe(text);
    expect(entryOf(json({ title: 'A', content_html: text })).summary).toBe('Use , then .');
  });

  test('names a feed as well', () => {
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom"><title>News of &lt;video&gt;</title></feed>`;
    expect(parseFeed(feed, ADDRESS).title).toBe('News of <video>');
  });
});

describe('a text that is HTML', () => {
  const stripped: [name: string, feed: string, title: string][] = [
    ['Atom', atom('<title type="html">&lt;b&gt;Bold&lt;/b&gt; &amp;amp; brave</title>'), 'Bold & brave'],
    [
      'Atom, in CDATA',
      atom('<title type="html"><![CDATA[<b>Bold</b> &amp; brave]]></title>'),
      'Bold & brave',
    ],
    ['Atom, by its media type', atom('<title type="text/html">&lt;b&gt;Bold&lt;/b&gt;</title>'), 'Bold'],
    ['RSS, an element', rss('<title>&lt;b&gt;Bold&lt;/b&gt; and brave</title>'), 'Bold and brave'],
    ['RSS, in CDATA', rss('<title><![CDATA[<b>Bold</b> and brave]]></title>'), 'Bold and brave'],
    ['RSS, a reference', rss('<title>Bold &amp;amp; brave</title>'), 'Bold & brave'],
    ['RSS, a number', rss('<title>It&amp;#8217;s</title>'), 'It’s'],
    ['RSS, an attribute', rss('<title>See &lt;a href="/x"&gt;this</title>'), 'See this'],
    ['RSS, breaks', rss('<title>One&lt;br&gt;Two</title>'), 'One Two'],
    ['RSS, without its escapes', rss('<title><b>Bold</b> and brave</title>'), 'Bold and brave'],
    ['RSS, references of HTML in XML', rss('<title>caf&eacute; &copy;</title>'), 'café ©'],
    ['RSS, quotes of windows-1252', rss('<title>It\u0092s</title>'), 'It’s'],
  ];
  test.each(stripped)('loses its tags, once: %s', (_name, feed, title) => {
    expect(entryOf(feed).title).toBe(title);
  });

  test('has no marks that its lists and quotes would have in plain text', () => {
    const html = '<blockquote>Quoted.</blockquote><ul><li>One</li></ul><ol><li>Two</li></ol><hr>';
    expect(entryOf(json({ title: 'A', content_html: html })).summary).toBe('Quoted. One Two');
  });
});

describe('Atom 0.3', () => {
  test('has texts in base64', () => {
    const feed = atom03(
      `<title mode="base64">${base64('Vec<T>')}</title>
       <summary mode="base64" type="text/html">\n${base64('<p>Its <b>text</b></p>')}\n</summary>`,
    );
    expect(entryOf(feed)).toMatchObject({ title: 'Vec<T>', summary: 'Its text' });
  });

  test('has HTML that is escaped, and its own dates', () => {
    const feed = atom03(
      '<title mode="escaped" type="text/html">&lt;i&gt;A&lt;/i&gt;</title><issued>2004-01-02T03:04:05Z</issued>',
    );
    expect(entryOf(feed)).toMatchObject({ title: 'A', publishedAt: new Date('2004-01-02T03:04:05Z') });
  });
});

test('bytes in base64 that are no text are no words', () => {
  const image = Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString('base64');
  const feed = atom(`<title>A</title><content type="image/png">${image}</content>`);
  expect(entryOf(feed).summary).toBe(null);
});

test('media:title is the title where there is no other', () => {
  const media = 'xmlns:media="http://search.yahoo.com/mrss/"';
  expect(entryOf(rss('<media:title>Of media</media:title>', media)).title).toBe('Of media');
  const grouped =
    '<media:group><media:content><media:title>Of a group</media:title></media:content></media:group>';
  expect(entryOf(rss(grouped, media)).title).toBe('Of a group');
  expect(entryOf(rss(`${grouped}<title>Its own</title>`, media)).title).toBe('Its own');
});

test('of repeated dates the last counts', () => {
  const dates = '<updated>2010-12-01T10:14:55Z</updated><updated>2003-12-31T10:14:55Z</updated>';
  expect(entryOf(atom(`<title>A</title>${dates}`)).publishedAt).toEqual(new Date('2003-12-31T10:14:55Z'));
});

test('what comes before a cut is read, and nothing is made of a half', () => {
  const whole = `<item><title>One</title><link>${LINK}</link></item>`;
  const next = '<item><title>Two</title><link>https://source.example/second</link>';
  const titles = (end: string) =>
    parseFeed(`<rss><channel>${whole}${next}${end}`, ADDRESS).entries.map(({ title, url }) => [title, url]);
  const both = [
    ['One', LINK],
    ['Two', 'https://source.example/second'],
  ];
  for (const end of [
    '</item></channel></rs',
    '</item></channel',
    '</item',
    '',
    '<description>Hal',
    '<pubDa',
  ]) {
    expect(titles(end), end).toEqual(both);
  }
  const half = parseFeed(`<rss><channel>${whole}<item><title>Two</title><link>https://source.exam`, ADDRESS);
  expect(half.entries).toHaveLength(1);
});

test('prefixes are what their namespaces say', () => {
  const feed = `<a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns:svg="http://www.w3.org/2000/svg">
    <a:entry><svg:title>No</svg:title><a:title>Yes</a:title><a:link href="${LINK}"/></a:entry></a:feed>`;
  expect(entryOf(feed).title).toBe('Yes');
  const other = rss(
    '<a10:updated>2024-05-06T07:08:09Z</a10:updated><t:title>T</t:title>',
    'xmlns:a10="http://www.w3.org/2005/Atom" xmlns:t="http://purl.org/dc/elements/1.1/"',
  );
  expect(entryOf(other)).toMatchObject({ title: 'T', publishedAt: new Date('2024-05-06T07:08:09Z') });
});

test('a link is relative to its xml:base, else to the page of the feed', () => {
  const based = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/x/"><link href="https://b.example/"/>
    <entry xml:base="y/"><title>A</title><link href="1"/></entry></feed>`;
  expect(entryOf(based).url).toBe('https://a.example/x/y/1');
  expect(entryOf(based.replaceAll(/xml:base="[^"]*"/g, '')).url).toBe('https://b.example/1');
});

test('what is not well-formed is read as far as it can be', () => {
  expect(entryOf(rss('<title>AT&T & Vec <unclosed</title>')).title).toMatch(/^AT&T & Vec/);
  expect(entryOf(rss('<title>A &#X26; B</title>')).title).toBe('A & B');
  expect(entryOf(`\n<!-- a comment --> ${rss('<foo:bar>x</foo:bar><title>A</title>')}`).title).toBe('A');
});

test('what is not a feed is refused, and so is what is nested too deeply', () => {
  for (const text of ['', 'Hello', '<html><body><item/></body></html>', '{}', '[1]', '{"a":', '<opml/>']) {
    expect(() => parseFeed(text, ADDRESS), text).toThrow('it is not a feed');
  }
  expect(() => parseFeed(rss('<a>'.repeat(100_000)), ADDRESS)).toThrow('nested deeper than 200 elements');
});

test('an entry without a page leads to its recording', () => {
  const sound = 'https://cast.example/1.mp3';
  const item = (members: string) => `<rss><channel><item><title>One</title>${members}</item></channel></rss>`;
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>a</id><title>One</title><link rel="enclosure" href="${sound}" type="audio/mpeg"/></entry></feed>`;
  const attachments = [{ url: sound, mime_type: 'audio/mpeg' }];
  const json = {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'T',
    items: [{ id: 'a', title: 'One', attachments }],
  };
  for (const feed of [
    item(`<guid isPermaLink="false">a</guid><enclosure url="${sound}" type="audio/mpeg" length="1"/>`),
    item(`<enclosure url="${sound}"/>`),
    atom,
    JSON.stringify(json),
  ]) {
    expect(parseFeed(feed, ADDRESS).entries, feed).toMatchObject([{ title: 'One', url: sound }]);
  }
  const pages = item(`<link>https://cast.example/1</link><enclosure url="${sound}" type="audio/mpeg"/>`);
  expect(parseFeed(pages, ADDRESS).entries).toMatchObject([{ url: 'https://cast.example/1' }]);
  const picture = item('<enclosure url="https://cast.example/1.jpg" type="image/jpeg"/>');
  expect(parseFeed(picture, ADDRESS).entries).toEqual([]);
});

test('an id of JSON Feed that is an address is the best there is where no link is', () => {
  expect(entryOf(json({ id: LINK, url: undefined, title: 'A' })).url).toBe(LINK);
});
