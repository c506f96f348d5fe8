import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesOf } from './lines.ts';

test('a line is what was written, however the text arrives', async () => {
  const line = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify({ text }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 5 }),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 3, max: 30 }),
      async (written, end, size) => {
        const text = written.map((line) => line + end).join('');
        const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
          text.slice(n * size, (n + 1) * size),
        );
        const read: unknown[] = [];
        for await (const line of linesOf(Readable.from(chunks))) read.push(JSON.parse(line));
        expect(read).toEqual(written.map((line) => JSON.parse(line)));
      },
    ),
    { numRuns: 40 },
  );
});

test('U+2028 and U+2029 end no line, and the last needs no end', async () => {
  const lines: string[] = [];
  for await (const line of linesOf(Readable.from(['a\u2028b\u2029c\n\nd']))) lines.push(line);
  expect(lines).toEqual(['a\u2028b\u2029c', '', 'd']);
});
