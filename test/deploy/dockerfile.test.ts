import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
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

test('the image has the files of functions and triggers', () => {
  const image =
    read('deploy/Dockerfile')
      .split(/^FROM /m)
      .at(-1) ?? '';
  const copied = [...image.matchAll(/^COPY (?!--from)(\S+) \1$/gm)].map(([, source]) => source);
  const { files }: { files: { path: string }[] } = JSON.parse(read('migrations/functions.json'));
  const paths = files.map(({ path }) => posix.join('migrations', path));
  expect(paths).not.toEqual([]);
  expect(paths.filter((path) => !copied.some((folder) => path.startsWith(`${folder}/`)))).toEqual([]);
});
