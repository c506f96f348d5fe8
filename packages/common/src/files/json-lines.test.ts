import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonLine, jsonLinesOf, parseJsonLine, readJsonLines } from './json-lines.ts';

async function linesOf(...chunks: (string | Uint8Array)[]): Promise<JsonLine[]> {
  async function* stream() {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  }
  return Array.fromAsync(jsonLinesOf(stream()));
}

async function textsOf(...chunks: (string | Uint8Array)[]) {
  return (await linesOf(...chunks)).map(({ text }) => text);
}

test.each([
  [[], []],
  [['a\nb'], ['a', 'b']],
  [['a\r\nb\r\n'], ['a', 'b']],
  [
    ['a\r', '\nb'],
    ['a', 'b'],
  ],
  [['\n \r\n\t\n'], []],
  [['\uFEFFa\n\uFEFFb'], ['a', '\uFEFFb']],
  [['a\u2028b\u2029c\n\nd'], ['a\u2028b\u2029c', 'd']],
])('%j has the lines %j', async (chunks, expected) => expect(await textsOf(...chunks)).toEqual(expected));

test('empty lines count', async () => {
  expect((await linesOf('\n\na\n\nb')).map(({ number }) => number)).toEqual([3, 5]);
});

test('a line that is not UTF-8 has no text, and the others keep theirs', async () => {
  const [first, second, third] = await textsOf('ä\n', Uint8Array.of(0xe4, 0x0a), 'ö');
  expect([first, third]).toEqual(['ä', 'ö']);
  expect(() => parseJsonLine(second ?? '')).toThrow('the line is not UTF-8');
});

test('of a line that is too long nothing is kept, and the others keep theirs', async () => {
  const piece = Buffer.alloc(2 ** 20, 'x');
  async function* stream() {
    yield Buffer.from('a\n');
    for (let pieces = 0; pieces < 1024; pieces += 1) yield piece;
    yield Buffer.from('\nb');
  }
  const lines = await Array.fromAsync(jsonLinesOf(stream()));
  expect(lines.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect([lines[0]?.text, lines[2]?.text]).toEqual(['a', 'b']);
  expect(() => parseJsonLine(lines[1]?.text ?? '')).toThrow('the line is longer than 64 MiB');
});

test('a value comes back as it was written, wherever the stream is cut', async () => {
  const line = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify({ text }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 5 }),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 30 }),
      async (written, end, size) => {
        const bytes = Buffer.from(written.map((text) => text + end).join(''));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
          bytes.subarray(n * size, (n + 1) * size),
        );
        const read = (await textsOf(...chunks)).map(parseJsonLine);
        expect(read).toEqual(written.map((text) => JSON.parse(text)));
      },
    ),
    { numRuns: 60 },
  );
});

test('a line that is not JSON is reported', () => {
  expect(() => parseJsonLine('{')).toThrow('the line is not JSON');
});

test('a file is read, and a readable error names one that cannot be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-lines-'));
  const file = join(folder, 'some.jsonl');
  await writeFile(file, '1\n2\n');
  expect(await Array.fromAsync(readJsonLines(file))).toEqual([
    { number: 1, text: '1' },
    { number: 2, text: '2' },
  ]);
  await expect(Array.fromAsync(readJsonLines(folder))).rejects.toThrow(
    `${folder} is a directory; give the path of a file`,
  );
  await expect(Array.fromAsync(readJsonLines(`${file}x`))).rejects.toThrow(
    `the file ${file}x does not exist`,
  );
  await expect(Array.fromAsync(readJsonLines(`${file}/x`))).rejects.toThrow(
    `the file ${file}/x does not exist`,
  );
  await rm(folder, { recursive: true });
});
