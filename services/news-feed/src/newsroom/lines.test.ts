import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesOf } from './lines.ts';

async function lines(...chunks: (string | Uint8Array)[]): Promise<(string | undefined)[]> {
  async function* stream() {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  }
  return Array.fromAsync(linesOf(stream()));
}

test.each([
  [[], []],
  [['a\nb'], ['a', 'b']],
  [['a\r\nb\r\n'], ['a', 'b']],
  [['\n\n'], ['', '']],
  [['\uFEFFa\n\uFEFFb'], ['a', '\uFEFFb']],
])('%j', async (chunks, expected) => expect(await lines(...chunks)).toEqual(expected));

test('a line that is no UTF-8 has no text, and the others keep theirs', async () => {
  expect(await lines('ä\n', Uint8Array.of(0xe4, 0x0a), 'ö')).toEqual(['ä', undefined, 'ö']);
});

test('characters are whole wherever the stream is cut', async () => {
  const text = '新闻\n😀 ä';
  const bytes = Buffer.from(text);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length), async (cut) => {
      expect(await lines(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(text.split('\n'));
    }),
  );
});
