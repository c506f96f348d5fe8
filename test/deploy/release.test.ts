import { execFileSync } from 'node:child_process';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { resolvedCompose } from '../support/compose.ts';

const ROOT = join(import.meta.dirname, '../..');
const CHART = 'deploy/helm/Chart.yaml';
const CLIENT = 'packages/client/package.json';
const FILES = [
  'package.json',
  CLIENT,
  'docker-compose.yml',
  'CHANGELOG.md',
  '.gitignore',
  CHART,
  'deploy/release',
];

/** Programs that make the parts; each writes its arguments into the file that it would make. */
const PROGRAMS = {
  docker:
    'for word; do case $word in type=oci*) echo "$@" >"$(echo "$word" | cut -d , -f 2 | cut -c 6-)" ;; esac; done',
  helm: 'echo "$@" >"$4/pressroom-chart.tgz"',
  npx: 'for word; do :; done; echo "$@" >"$word/pressroom-client.tgz"',
};

let clone: string;
let programs: string;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd: clone,
    encoding: 'utf8',
  }).trim();

/** Runs `deploy/release`; throws what it says on standard error. */
function release(version: string, more: Record<string, string> = {}): string {
  const who = { GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 'test@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@example.com' };
  const PATH = `${programs}:${process.env.PATH}`;
  const env = { ...process.env, PATH, ...who, ...committer, ...more };
  return execFileSync(join(clone, 'deploy/release'), [version], { env, encoding: 'utf8', stdio: 'pipe' });
}

/** The version that each file says, in a folder with these files. */
async function versionsIn(folder: string): Promise<string[]> {
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  const { version, appVersion } = parse(await read(CHART)) as { version: string; appVersion: string };
  const tags = [...(await read('docker-compose.yml')).matchAll(/PRESSROOM_VERSION:-([^}]*)}/g)];
  return [
    String(JSON.parse(await read('package.json')).version),
    String(JSON.parse(await read(CLIENT)).version),
    ...tags.map(([, tag = '']) => tag),
    version,
    appVersion,
  ];
}

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'pressroom-release-'));
  programs = await mkdtemp(join(tmpdir(), 'pressroom-programs-'));
  for (const [name, script] of Object.entries(PROGRAMS)) {
    await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  for (const file of FILES) await cp(join(ROOT, file), join(clone, file));
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Everything');
});

afterAll(async () => {
  for (const folder of [clone, programs]) await rm(folder, { recursive: true, force: true });
});

test('package, images and chart name one version', async () => {
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

  expect(release('12.3.4')).toContain('git push origin HEAD v12.3.4 publishes the tag');
  expect(new Set(await versionsIn(clone))).toEqual(new Set(['12.3.4']));
  expect(await readFile(join(clone, 'CHANGELOG.md'), 'utf8')).toMatch(/^## 12\.3\.4, \d{4}-\d\d-\d\d$/m);
  expect(git('rev-parse', 'v12.3.4^{commit}')).toBe(git('rev-parse', 'HEAD'));
  expect(git('status', '--porcelain')).toBe('');

  expect(() => release('12.3.5')).toThrow('no "## Unreleased"');
});

/** A part that {@link PROGRAMS} has made. */
const made = (version: string, file: string) => readFile(join(clone, 'release', version, file), 'utf8');

test('it makes images for two processors, the chart and the client, again on the same tag', async () => {
  release('12.3.4');
  expect((await readdir(join(clone, 'release/12.3.4'))).sort()).toEqual([
    'SHA256SUMS',
    'pressroom-12.3.4.oci.tar',
    'pressroom-backup-12.3.4.oci.tar',
    'pressroom-chart.tgz',
    'pressroom-client.tgz',
    'pressroom-logs-12.3.4.oci.tar',
    'pressroom-proxy-12.3.4.oci.tar',
  ]);
  expect(await made('12.3.4', 'pressroom-backup-12.3.4.oci.tar')).toMatch(
    /^buildx build --platform linux\/amd64,linux\/arm64 --provenance=mode=max --sbom=true .* --target backup \.$/m,
  );
  const sums = (await made('12.3.4', 'SHA256SUMS')).trim().split('\n');
  expect(sums).toHaveLength(6);
  await appendFile(join(clone, 'CHANGELOG.md'), '\n## Unreleased\n');
  git('commit', '--quiet', '--all', '--message', 'Go on');
  expect(() => release('12.3.4')).toThrow('the tag v12.3.4 exists, and something else is checked out');
});

test('with a key, the tag and the checksums are signed, and checked as docs/operations.md says', async () => {
  const key = join(programs, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const signers = join(programs, 'allowed_signers');
  await writeFile(signers, `pressroom ${await readFile(`${key}.pub`, 'utf8')}`);
  release('12.3.5', { SIGNING_KEY: key });
  git('-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-tag', 'v12.3.5');
  const signature = join(clone, 'release/12.3.5/SHA256SUMS.sig');
  const verify = (input: string) =>
    execFileSync(
      'ssh-keygen',
      ['-Y', 'verify', '-f', signers, '-I', 'pressroom', '-n', 'pressroom-release', '-s', signature],
      { input, encoding: 'utf8', stdio: 'pipe' },
    );
  const sums = await made('12.3.5', 'SHA256SUMS');
  expect(verify(sums)).toContain('Good "pressroom-release" signature for pressroom');
  expect(() => verify(sums.replace('0', '1'))).toThrow('Signature verification failed');
});
