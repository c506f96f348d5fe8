import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { resolvedCompose } from '../support/compose.ts';

const ROOT = join(import.meta.dirname, '../..');
const OVERLAY = 'deploy/kubernetes/example/kustomization.yaml';
const CHART = 'deploy/helm/Chart.yaml';
const FILES = ['package.json', 'docker-compose.yml', 'CHANGELOG.md', OVERLAY, CHART, 'deploy/release'];

let clone: string;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd: clone,
    encoding: 'utf8',
  }).trim();

/** Runs `deploy/release`; throws what it says on standard error. */
function release(version: string): string {
  const who = { GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 'test@example.com' };
  const env = { ...process.env, ...who, GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@example.com' };
  return execFileSync(join(clone, 'deploy/release'), [version], { env, encoding: 'utf8', stdio: 'pipe' });
}

/** The version that each file says, in a folder with these files. */
async function versionsIn(folder: string): Promise<string[]> {
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  const { version, appVersion } = parse(await read(CHART)) as { version: string; appVersion: string };
  const tags = [...(await read('docker-compose.yml')).matchAll(/PRESSROOM_VERSION:-([^}]*)}/g)];
  return [
    String(JSON.parse(await read('package.json')).version),
    ...tags.map(([, tag = '']) => tag),
    String((parse(await read(OVERLAY)) as { images: { newTag: string }[] }).images[0]?.newTag),
    version,
    appVersion,
  ];
}

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'pressroom-release-'));
  for (const file of FILES) await cp(join(ROOT, file), join(clone, file));
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Everything');
});

afterAll(async () => {
  await rm(clone, { recursive: true, force: true });
});

test('package, images, overlay and chart name one version', async () => {
  const versions = await versionsIn(ROOT);
  expect(versions.length).toBeGreaterThanOrEqual(4);
  expect(new Set(versions).size, versions.join()).toBe(1);
});

test('every image of Pressroom has its version as the tag, and runs another on demand', async () => {
  const images = async (env: Record<string, string>) =>
    Object.values(await resolvedCompose(env)).flatMap(({ image = '' }) =>
      image.startsWith('pressroom') ? [image.split(':')[1]] : [],
    );
  const [version = ''] = await versionsIn(ROOT);
  expect(new Set(await images({}))).toEqual(new Set([version]));
  expect(new Set(await images({ PRESSROOM_VERSION: '9.8.7' }))).toEqual(new Set(['9.8.7']));
});

test('deploy/release writes the version everywhere, dates the changelog and tags the commit', async () => {
  expect(() => release('next')).toThrow('expected a version such as 1.2.3');
  await writeFile(join(clone, 'forgotten'), '');
  expect(() => release('12.3.4')).toThrow('not committed');
  await rm(join(clone, 'forgotten'));

  expect(release('12.3.4')).toContain('v12.3.4 is tagged');
  expect(new Set(await versionsIn(clone))).toEqual(new Set(['12.3.4']));
  expect(await readFile(join(clone, 'CHANGELOG.md'), 'utf8')).toMatch(/^## 12\.3\.4, \d{4}-\d\d-\d\d$/m);
  expect(git('rev-parse', 'v12.3.4^{commit}')).toBe(git('rev-parse', 'HEAD'));
  expect(git('status', '--porcelain')).toBe('');

  expect(() => release('12.3.4')).toThrow('the tag v12.3.4 exists');
  expect(() => release('12.3.5')).toThrow('no "## Unreleased"');
});
