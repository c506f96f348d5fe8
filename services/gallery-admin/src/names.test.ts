import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  contentType,
  existingPath,
  filename,
  folderPath,
  objectKey,
  objectPath,
  storedPath,
} from './names.ts';
import { newKey } from './uploads.ts';

describe('names', () => {
  test.each([
    'image/jpeg',
    'text/plain; charset=utf-8',
    'text/plain;charset="a b"',
    'application/vnd.a+json',
  ])('%s is a media type', (value) => expect(contentType.safeParse(value).success).toBe(true));

  test.each(['', 'image', 'image/', '/jpeg', 'image/jpeg;', 'im age/jpeg', 'image/jpeg\n', 'картинка/jpeg'])(
    '%j is not a media type',
    (value) => expect(contentType.safeParse(value).success).toBe(false),
  );

  test.each([
    ['', ''],
    ['a', 'a/'],
    ['a/', 'a/'],
    ['a/b c/ü', 'a/b c/ü/'],
    ['...', '.../'],
  ])('the folder %j has the prefix %j', (path, prefix) => expect(folderPath.parse(path)).toBe(prefix));

  test('a path may name a file and is kept as sent', () => {
    expect(objectPath.parse('a/b.jpg')).toBe('a/b.jpg');
  });

  test('a name of any length is soon refused, whatever marks it has', () => {
    const stacked = `a${'\u0301'.repeat(100_000)}${'\u0323'.repeat(100_000)}`;
    expect(filename.safeParse(stacked).error?.issues[0]?.message).toBe('must be 1 to 255 characters long');
    expect(filename.parse('e\u0323\u0302'.repeat(200))).toBe('ệ'.repeat(200));
  });

  test.each(['/a', 'a//b', 'a/../b', './a', '..', 'a\\b', 'a\nb', '\u0085', 'u\u0308', ''])(
    'the existing path %j is kept as sent, though no new path may look like it',
    (path) => expect(existingPath.parse(path)).toBe(path),
  );

  test.each(['a\u202egpj.exe', '\u200ea.jpg', 'a\u2066b', 'a\u200b.jpg', 'a\u00ad.jpg', '\ufeff', 'a\u2028'])(
    'the new name %j is refused with the mark that does not show',
    (value) => {
      const [mark = ''] = /[^a.gpjex]/.exec(value) ?? [];
      const code = `U+${mark.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`;
      expect(filename.safeParse(value).error?.issues[0]?.message).toContain(code);
      expect(existingPath.parse(value)).toBe(value);
    },
  );

  test.each([
    'نامه\u200cها.jpg',
    '👩\u200d🚀.jpg',
    '❤\ufe0f.png',
    '🏴󠁧󠁢󠁳󠁣󠁴󠁿.png',
    'été\u202f1.jpg',
    'שלום.jpg',
    '사진.jpg',
  ])('the name %s needs what it contains', (value) => expect(filename.safeParse(value).success).toBe(true));

  test('the length of an existing path is counted in characters', () => {
    expect(existingPath.safeParse('😀'.repeat(1024)).success).toBe(true);
    expect(existingPath.safeParse('😀'.repeat(1025)).success).toBe(false);
    expect(existingPath.safeParse('\ud800').success).toBe(false);
  });

  test('accepted paths and names join to a key without an empty, "." or ".." segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (path, name) => {
        const folder = folderPath.safeParse(path);
        const file = filename.safeParse(name);
        if (!folder.success || !file.success) return;
        const segments = (folder.data + file.data).split('/');
        expect(segments.every((segment) => !['', '.', '..'].includes(segment))).toBe(true);
        expect(segments.join('')).not.toMatch(/[\\\p{Cc}]/u);
      }),
      { numRuns: 1000 },
    );
  });

  test('the length of a key is counted in bytes', () => {
    expect(objectKey.safeParse('ж'.repeat(512)).success).toBe(true);
    expect(objectKey.safeParse('ж'.repeat(513)).success).toBe(false);
    expect(objectKey.safeParse('').success).toBe(false);
  });
});

describe('the described pattern', () => {
  const alphabet = fc.constantFrom(
    'a',
    '.',
    '/',
    '\\',
    '\n',
    '\u007f',
    '\u0085',
    'ü',
    '😀',
    '\u202e',
    '\ufeff',
    '\u200d',
  );
  const texts = fc.string({ unit: alphabet, maxLength: 6 });

  test.each([
    ['a filename', filename],
    ['a path', objectPath],
    ['a path of what is stored', storedPath],
    ['the key of a new file', newKey],
  ])('of %s takes what the service takes, and nothing else', (_name, schema) => {
    const { pattern = '' } = z.toJSONSchema(schema, { io: 'input' }) as { pattern?: string };
    const described = new RegExp(pattern, 'u');
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(text !== '' || schema !== filename);
        expect(described.test(text)).toBe(schema.safeParse(text).success);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([255, 256])('of a key knows the length of a filename: %i', (length) => {
    const { pattern = '' } = z.toJSONSchema(newKey, { io: 'input' }) as { pattern?: string };
    const key = `a/${'b'.repeat(length)}`;
    expect(new RegExp(pattern, 'u').test(key)).toBe(newKey.safeParse(key).success);
  });
});
