import { expect, test } from 'vitest';
import { expandShortcodes } from './shortcodes.ts';

const PICTURES = new Map([
  ['1', { url: 'https://a.example/1.jpg?a&b', alt: 'One "1"', caption: '' }],
  ['2', { url: 'https://a.example/2.jpg', alt: '', caption: 'Two' }],
]);

function expanded(html: string, removeOthers = false) {
  const others: string[] = [];
  const result = expandShortcodes(html, {
    attachment: (id) => PICTURES.get(id),
    own: () => [...PICTURES.values()],
    removeOthers,
    onOther: (name) => others.push(name),
  });
  return { html: result.trim(), others };
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
  ['[sic] [1] [[gallery]] a[0]', '[sic] [1] [[gallery]] a[0]'],
  [
    '<pre>[gallery]</pre><code>[caption]x[/caption]</code>',
    '<pre>[gallery]</pre><code>[caption]x[/caption]</code>',
  ],
])('%s becomes %s', (text, html) => {
  expect(expanded(text)).toEqual({ html, others: [] });
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
