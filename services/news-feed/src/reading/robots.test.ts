import { expect, test } from 'vitest';
import { mayRead, readRobots } from './page.ts';

function allows(lines: readonly string[], path: string): boolean {
  const { href } = new URL(path, 'https://news.example');
  return mayRead({ rules: readRobots(Buffer.from(lines.join('\n'))), url: href });
}

const ALL = 'User-agent: *';

test.each([
  ['/a', '/a', false],
  ['/a', '/ab?c', false],
  ['/a', '/b', true],
  ['/a', '/A', true],
  ['', '/a', true],
  ['/*.pdf$', '/x/y.pdf', false],
  ['/*.pdf$', '/x/y.pdf?z', true],
  ['/a$', '/a', false],
  ['/a$', '/ab', true],
  ['/*/b/**/c', '/x/b/y/z/c', false],
  ['/*/b/*/c', '/x/b/c', true],
  ['/a*a$', '/a', true],
  ['/a*b*b$', '/abxb', false],
  ['*/print', '/x/print', false],
  ['*', '/', false],
  ['/?id=', '/?id=1', false],
  ['/港', '/%E6%B8%AF/1', false],
  ['/%e6%b8%af', '/港', false],
  ['/%7ejoe', '/~joe', false],
  ['/a%2Fb', '/a/b', true],
  ['/a b', '/a%20b', false],
  ['/a # all of it', '/ab', false],
])('Disallow: %s of %s: allowed is %s', (pattern, path, allowed) => {
  expect(allows([ALL, `Disallow: ${pattern}`], path)).toBe(allowed);
});

test('the longest rule decides, and of equals the one that allows', () => {
  const lines = [ALL, 'Allow: /p', 'Disallow: /', 'Disallow: /page', 'Allow: /page'];
  expect(allows(lines, '/p')).toBe(true);
  expect(allows(lines, '/page')).toBe(true);
  expect(allows(lines, '/x')).toBe(false);
});

test('the groups that name the crawler count, all of them, and then no others', () => {
  const lines = [
    '\ufeffUSER-AGENT: other',
    'user-agent: pressroom/2.0 (news)',
    'Sitemap: https://news.example/map.xml',
    'Disallow: /a',
    ALL,
    'Disallow: /b',
    'User-agent: Pressroom',
    'Disallow: /c',
    'User-agent: Pressroomish',
    'Disallow: /d',
  ];
  expect(['/a', '/b', '/c', '/d'].map((path) => allows(lines, path))).toEqual([false, true, false, true]);
  expect(allows([ALL, 'Disallow: /', 'User-agent: Pressroom', 'Disallow:'], '/a')).toBe(true);
  expect(allows(['Disallow: /'], '/a')).toBe(true);
});

test('of a file that is too long, 500 KiB are read, without the rule that is cut', () => {
  const first = [ALL, 'Disallow: /a'];
  const comment = `#${'-'.repeat(500 * 1024 - first.join('\n').length - '\n\n# Disallow: /b'.length - 1)}`;
  const lines = [...first, comment, 'Disallow: /bcd', 'Disallow: /e'];
  expect(['/a', '/b', '/bcd', '/e'].map((path) => allows(lines, path))).toEqual([false, true, true, true]);
});

test('what exceeds the limits forbids more than it says', () => {
  const many = '/*a'.repeat(100);
  expect(allows([ALL, `Disallow: ${many}`], '/a/a/a')).toBe(true);
  expect(allows([ALL, `Disallow: ${many}`], '/a'.repeat(25))).toBe(false);
  expect(allows([ALL, 'Disallow: /', `Allow: ${many}`], '/a'.repeat(200))).toBe(false);
  const rules = Array.from({ length: 5001 }, (_, index) => `Disallow: /${index}/`);
  expect(allows([ALL, ...rules.slice(1)], '/a')).toBe(true);
  expect(allows([ALL, ...rules], '/a')).toBe(false);
});
