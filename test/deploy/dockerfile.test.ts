import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (name: string) => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');

test('what the image is built from is in the context of its build', () => {
  const sent = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path);
  const copied = [...read('deploy/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    ([, sources = '']) => sources.split(' '),
  );
  expect(copied).toContain('migrations');
  const missing = copied.filter((source) => !sent.some((path) => `${source}/`.startsWith(`${path}/`)));
  expect(missing).toEqual([]);
});
