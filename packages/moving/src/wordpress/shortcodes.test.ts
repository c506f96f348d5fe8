import { expect, test } from 'vitest';
import { expandShortcodes } from './html.ts';

const PICTURES = new Map([
  ['1', { url: 'https://a.example/1.jpg?a&b', alt: 'One "1"', caption: '' }],
  ['2', { url: 'https://a.example/2.jpg', alt: '', caption: 'Two' }],
]);

function expanded(html: string, removeOthers = false) {
  const [others, lost]: [string[], string[]] = [[], []];
  const result = expandShortcodes(html, {
    attachment: (id) => PICTURES.get(id),
    own: (id) => (id === undefined ? [...PICTURES.values()] : []),
    removeOthers,
    onOther: (name) => others.push(name),
    onLost: ({ text }) => lost.push(text),
  });
  return { html: result.trim(), others, lost };
}

const FIRST = '<figure><img src="https://a.example/1.jpg?a&amp;b" alt="One &quot;1&quot;"></figure>';
const SECOND = '<figure><img src="https://a.example/2.jpg" alt=""><figcaption>Two</figcaption></figure>';

test.each([
  ['[caption]<img src="a"> Text[/caption]', '<figure><img src="a"><figcaption>Text</figcaption></figure>'],
  [
    '[caption align="alignleft" caption="Old"]<img src="a">[/caption]',
    '<figure class="alignleft"><img src="a"><figcaption>Old</figcaption></figure>',
  ],
  ['[caption align="x\' onload="]<img src="a">[/caption]', '<figure><img src="a"></figure>'],
  ['[gallery]', `<div class="gallery">${FIRST}${SECOND}</div>`],
  ['[gallery ids="2, 9" columns=3]', `<div class="gallery">${SECOND}</div>`],
  ['[audio https://a.example/a.mp3]', '<audio controls src="https://a.example/a.mp3"></audio>'],
  ['[video mp4="https://a.example/a.mp4"][/video]', '<video controls src="https://a.example/a.mp4"></video>'],
  ['[embed width="9"]https://a.example/[/embed]', 'https://a.example/'],
  ['[sic] [1] [[gallery]] [[Wiki page]] a[0]', '[sic] [1] [gallery] [[Wiki page]] a[0]'],
  [
    '[[caption id="a"]x[/caption]] [[youtube=a b]] [[code]]',
    '[caption id="a"]x[/caption] [youtube=a b] [code]',
  ],
  ['[audio https://a.example/a.mp3|loop=yes]', '<audio controls src="https://a.example/a.mp3"></audio>'],
  ['[audio:https://a.example/a.mp3|titles=A]', '<audio controls src="https://a.example/a.mp3"></audio>'],
  ['[note: see below] [b:c]', '[note: see below] [b:c]'],
  ['[playlist ids="2"]', '<audio controls src="https://a.example/2.jpg"></audio>'],
  [
    '<pre>[gallery]</pre><code>[caption]x[/caption]</code>',
    '<pre>[gallery]</pre><code>[caption]x[/caption]</code>',
  ],
  // Quotation marks as editors and plugins have made them of straight ones.
  ...[
    ['”', '″'],
    ['&#8221;', '&#8243;'],
    ['&quot;', '&quot;'],
    ['&ldquo;', '&rdquo;'],
    ['‘', '’'],
  ].map(([open, close]): [string, string] => [
    `[gallery ids=${open}2${close} columns=${open}3${close}]`,
    `<div class="gallery">${SECOND}</div>`,
  ]),
  [
    '[caption align=”alignleft″ caption=&#8220;Old &#8217;n&#8217; new&#8221;]<img src="a">[/caption]',
    '<figure class="alignleft"><img src="a"><figcaption>Old &#8217;n&#8217; new</figcaption></figure>',
  ],
  ['[slideshow]', `<div class="gallery">${FIRST}${SECOND}</div>`],
  // A tag is left as it is, whatever its attributes look like.
  [
    '<a title="[gallery]" href="[home]/x">x</a> <img alt="[audio https://a.example/a.mp3]" src="a"> <a data-x=\'[caption]\'>[/caption]</a>',
    '<a title="[gallery]" href="[home]/x">x</a> <img alt="[audio https://a.example/a.mp3]" src="a"> <a data-x=\'[caption]\'>[/caption]</a>',
  ],
  ['a < b [gallery ids="2"] > c', `a < b \n\n<div class="gallery">${SECOND}</div>\n\n > c`],
])('%s becomes %s', (text, html) => {
  expect(expanded(text)).toMatchObject({ html, others: [] });
});

test('what is not known is told, and left as text or taken away around what it contains', () => {
  const text = 'a [form id=1] [box][gallery ids="2"][/box]';
  const names = ['form', 'box'];
  expect(expanded(text)).toMatchObject({
    html: expect.stringMatching(/^a \[form id=1\] \[box\].*Two.*\[\/box\]$/s),
    others: names,
  });
  expect(expanded(text, true)).toMatchObject({ html: expect.not.stringContaining('['), others: names });
});

test.each([
  [
    '[tabs][tab title="First &amp; best"]One[/tab][tab title="Second"]Two[/tab][/tabs]',
    '<strong>First &amp; best</strong>\n\nOne\n\n<strong>Second</strong>\n\nTwo',
  ],
  ['[row][column]One[/column][column]Two[/column][/row]', 'One\n\nTwo'],
  ['[dropcap]O[/dropcap]nce', 'Once'],
  [
    '[button link="https://a.example/?a=1&amp;b"]Buy[/button]',
    '<a href="https://a.example/?a=1&amp;b">Buy</a>',
  ],
  ['[button url="javascript:a()"]Buy[/button]', 'Buy'],
  ['[button href="/x" text="Buy"]', '<a href="/x">Buy</a>'],
  ['It is so[footnote]Not quite.[/footnote].', 'It is so (Not quite.).'],
  [`[vc_raw_html]${btoa(encodeURIComponent('<p>Raw — words</p>'))}[/vc_raw_html]`, '<p>Raw — words</p>'],
  ['[vc_raw_html]no base64 %[/vc_raw_html]', 'no base64 %'],
])('of a plugin’s %s, what a reader saw stays', (text, html) => {
  expect(expanded(text, true).html.replaceAll(/\n{3,}/g, '\n\n')).toBe(html);
});

test.each([
  ['[youtube=http://www.youtube.com/watch?v=a&amp;t=1]', 'http://www.youtube.com/watch?v=a&amp;t=1'],
  ['[youtube http://youtu.be/a w=1]', 'http://youtu.be/a'],
  ['[youtube id="a-b_c"]', 'https://www.youtube.com/watch?v=a-b_c'],
  ['[embedyt]https://www.youtube.com/watch?v=a[/embedyt]', 'https://www.youtube.com/watch?v=a'],
  ['[vimeo 12345]', 'https://vimeo.com/12345'],
  ['[tweet https://twitter.com/x/status/1]', 'https://twitter.com/x/status/1'],
  ['[tweet 12 align=left]', 'https://twitter.com/i/status/12'],
  ['[soundcloud url="https://soundcloud.com/a" params="x"]', 'https://soundcloud.com/a'],
  ['[spotify spotify:album:1a]', 'https://open.spotify.com/album/1a'],
  ['[slideshare id=12&amp;doc=a-b-1]', 'https://www.slideshare.net/slideshow/embed_code/12'],
  ['[gist]0a1b[/gist]', 'https://gist.github.com/0a1b'],
])('%s leads to what it shows', (text, address) => {
  expect(expanded(text)).toMatchObject({ html: `<a href="${address}">${address}</a>`, others: [] });
});

test('what a shortcode shows and is not in the export is told, and so is what is cut off', () => {
  expect(expanded('[gallery ids="2, 9,8"]').lost).toEqual([
    '[gallery]: the attachments 9, 8 are not in the export; left out',
  ]);
  expect(expanded('[gallery id="77"]').lost).toEqual([
    '[gallery]: its files are not in the export; left out',
  ]);
  expect(expanded('[caption]<img src="a"> [embed] [soundcloud] [color=red]').others).toEqual([
    'caption',
    'embed',
    'color',
  ]);
});
