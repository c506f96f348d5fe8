import { type Bytes, joined } from './bytes.ts';
import { NotUnderstood, understand } from './not-understood.ts';

/** More than any text in a picture, in bytes. */
const LARGEST = 2 ** 22;

export async function inflated(bytes: Bytes): Promise<Bytes> {
  const parts: Bytes[] = [];
  let length = 0;
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    for (const reader = stream.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      understand(length <= LARGEST, 'a text of the PNG is too long');
      parts.push(value);
    }
  } catch (error) {
    throw error instanceof NotUnderstood ? error : new NotUnderstood('a text of the PNG cannot be inflated');
  }
  return joined(parts);
}
