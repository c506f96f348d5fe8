import { expect, test } from 'vitest';
import { withMoved } from './uses.ts';

const moved = (text: string, from: string, to: string) => withMoved(text, { from, to, mayMove: () => true });

test.each([
  ['/media/public/a.jpg', '/media/public/b.jpg'],
  [
    'https://media.example/media/v0123456789ab/public/a.jpg?w=640',
    'https://media.example/media/v0123456789ab/public/b.jpg?w=640',
  ],
  [
    `<img src='/media/public/a.jpg' srcset="/media/public/a.jpg?w=64 64w, /media/public/a.jpg, /x.jpg 2x">`,
    `<img src='/media/public/b.jpg' srcset="/media/public/b.jpg?w=64 64w, /media/public/b.jpg, /x.jpg 2x">`,
  ],
  ['style="background: url(/media/public/a.jpg);"', 'style="background: url(/media/public/b.jpg);"'],
  // Another file, and another folder.
  [
    '/media/public/a.jpg.png /media/x/public/a.jpg /media/public/A.jpg /public/a.jpg',
    '/media/public/a.jpg.png /media/x/public/a.jpg /media/public/A.jpg /public/a.jpg',
  ],
])('a file: %s', (text, expected) => {
  expect(moved(text, 'public/a.jpg', 'public/b.jpg')).toBe(expected);
});

test('a path is found however it is spelled, and written as URLs have it', () => {
  const from = "public/Ann's & hü (1).jpg";
  for (const spelled of [
    "Ann's%20&amp;%20h%C3%BC%20(1).jpg",
    "Ann's%20%26%20h%c3%bc%20(1).jpg",
    'Ann%27s%20%26%20h%C3%BC%20%281%29.jpg',
  ]) {
    expect(moved(`"/media/public/${spelled}"`, from, 'public/$& (2).jpg')).toBe(
      '"/media/public/%24%26%20%282%29.jpg"',
    );
  }
});

test('a folder takes its files along', () => {
  const text = '/media/public/2025/a.jpg /media/public/2025/b/c.jpg?w=64 /media/public/20251/a.jpg';
  expect(moved(text, 'public/2025/', 'public/old/')).toBe(
    '/media/public/old/a.jpg /media/public/old/b/c.jpg?w=64 /media/public/20251/a.jpg',
  );
});

test('of the files of a folder, those stay whose new address would not do', () => {
  const text = `<img src='/media/a/open/x.jpg' srcset="/media/a/%6Fpen/x.jpg?w=64 64w,/media/a/b/y.jpg 2x">`;
  const mayMove = (before: string, after: string) => {
    expect(after).toBe(before.replace('a/', 'z/'));
    return !before.startsWith('a/open/');
  };
  expect(withMoved(text, { from: 'a/', to: 'z/', mayMove })).toBe(
    `<img src='/media/a/open/x.jpg' srcset="/media/a/%6Fpen/x.jpg?w=64 64w,/media/z/b/y.jpg 2x">`,
  );
});
