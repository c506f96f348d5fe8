import { expect, test } from 'vitest';
import { isStrangeUploadId } from './uploads-store.ts';

test.each(['.', '..', '../..', '../../x', 'a/../b', 'a/..', './a', '..\\x', 'a\\..'])(
  '%j leads elsewhere',
  (uploadId) => {
    expect(isStrangeUploadId(uploadId)).toBe(true);
  },
);

test.each([
  '2~Xv5NKzXQ0_-.tY',
  'VXBsb2FkIElEIGZvciA2aWWpbmcncyBteS1tb3ZpZS5tMnRzIHVwbG9hZA',
  'exmpl..id.',
  'a/b+c==',
  '...',
])('%j may be the id of an upload', (uploadId) => {
  expect(isStrangeUploadId(uploadId)).toBe(false);
});
