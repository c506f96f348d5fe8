import { expect, test } from 'vitest';
import type { UploadRequest } from '../api/gallery.ts';
import { signingAhead } from './signing-ahead.ts';

const part = (partNumber: number, uploadId = 'u') =>
  ({ method: 'PUT', key: 'a', uploadId, partNumber }) satisfies UploadRequest;

/** Signs with the number of the part, and keeps what it was asked. */
function signer() {
  const asked: (number | undefined)[] = [];
  const sign = async (request: UploadRequest) => {
    const { key } = request;
    const partNumber = 'partNumber' in request ? request.partNumber : undefined;
    asked.push(partNumber);
    if (partNumber === 13) throw new Error('refused');
    return { url: `${key} ${partNumber} ${asked.length}`, key, headers: {} };
  };
  return { asked, sign };
}

test('each part is signed once, while the one before it is sent', async () => {
  const { asked, sign } = signer();
  const ahead = signingAhead(sign);
  await ahead(part(1));
  expect(asked).toEqual([1, 2]);
  expect((await ahead(part(2))).url).toBe('a 2 2');
  expect(asked).toEqual([1, 2, 3]);
});

test('uploads at the same time do not mix, and another part than the next is signed', async () => {
  const { sign } = signer();
  const ahead = signingAhead(sign);
  await ahead(part(1));
  await ahead(part(1, 'other'));
  expect((await ahead(part(2))).url).toBe('a 2 2');
  expect((await ahead(part(7))).url).toMatch(/^a 7 /);
});

test('a signature that has waited long is made again, and so is one that failed', async () => {
  const { asked, sign } = signer();
  let now = 0;
  const ahead = signingAhead(sign, () => now);
  await ahead(part(1));
  now = 3_600_000;
  await ahead(part(2));
  expect(asked).toEqual([1, 2, 2, 3]);
  await ahead(part(12));
  await expect(ahead(part(13))).rejects.toThrow('refused');
  expect(asked.filter((number) => number === 13)).toHaveLength(2);
});
