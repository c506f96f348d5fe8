import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { boundedBody } from './media-fetcher.ts';

test('a body of undeclared length that nobody reads ends its source', async () => {
  const source = Readable.from([Buffer.from('begun'), Buffer.from('not read')]);
  const body = await boundedBody(source, 100, false);
  const ended = new Promise((resolve) => source.once('close', resolve));
  body.destroy();
  await ended;
  expect(source.destroyed).toBe(true);
});
