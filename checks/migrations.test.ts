import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrationFaults } from './migrations.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pressroom-migrations-'));
  mkdirSync(join(root, 'migrations'));
});

afterEach(() => rmSync(root, { recursive: true }));

const git = (...args: string[]) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
    stdio: 'ignore',
  });
const write = (file: string, sql: string) => writeFileSync(join(root, 'migrations', file), sql);

function commit(files: Record<string, string>): void {
  for (const [file, sql] of Object.entries(files)) write(file, sql);
  git('add', '.');
  git('commit', '-m', 'migrations');
}

const CHANGED = expect.stringMatching(/^migrations\/0001_a\.sql differs from what databases have applied/);

test('on a branch, what main has may not change, and what comes newly comes last', async () => {
  git('init', '--initial-branch', 'main');
  commit({ '0001_a.sql': 'select 1', '0003_c.sql': 'select 3' });
  git('checkout', '-b', 'work');
  commit({ '0004_d.sql': 'select 4' });
  commit({ '0004_d.sql': 'select 5' });
  expect(await migrationFaults(root)).toEqual([]);

  write('0002_b.sql', 'select 2');
  expect(await migrationFaults(root)).toEqual([
    expect.stringMatching(/^migrations\/0002_b\.sql comes before migrations\/0003_c\.sql/),
  ]);
  rmSync(join(root, 'migrations/0002_b.sql'));

  write('0001_a.sql', 'select 2');
  expect(await migrationFaults(root)).toEqual([CHANGED]);
  commit({});
  expect(await migrationFaults(root)).toEqual([CHANGED]);
  renameSync(join(root, 'migrations/0001_a.sql'), join(root, 'migrations/0005_a.sql'));
  expect(await migrationFaults(root)).toEqual([CHANGED]);
});

test('on main, in a clone of one commit, and without git', async () => {
  expect(await migrationFaults(root)).toEqual([]);
  git('init', '--initial-branch', 'main');
  commit({ '0001_a.sql': 'select 1' });
  expect(await migrationFaults(root)).toEqual([]);
  commit({ '0001_a.sql': 'select 2' });
  expect(await migrationFaults(root)).toEqual([CHANGED]);

  const shallow = `${root}/shallow`;
  execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${root}`, shallow], { stdio: 'ignore' });
  expect(await migrationFaults(shallow)).toEqual([]);
});

test('since the last release, however long ago', async () => {
  git('init', '--initial-branch', 'main');
  commit({ '0001_a.sql': 'select 1' });
  git('tag', 'v1.0.0');
  commit({ '0001_a.sql': 'select 2' });
  commit({ '0002_b.sql': 'select 2' });
  expect(await migrationFaults(root)).toEqual([CHANGED]);
});

test('a migration may say that it replaces what databases have applied', async () => {
  git('init', '--initial-branch', 'main');
  const both = 'create table a ();\ncreate function b() …;\n';
  commit({ '0001_a.sql': both });
  git('checkout', '-b', 'work');
  write('0001_a.sql', `create table a ();\n-- Former checksum: ${hash('sha256', both)}\n`);
  expect(await migrationFaults(root)).toEqual([]);
  write('0001_a.sql', `create table a ();\n-- Former checksum: ${hash('sha256', 'others')}\n`);
  expect(await migrationFaults(root)).toEqual([CHANGED]);
});

test('functions that change have a larger revision', async () => {
  const list = (revision: number) => JSON.stringify({ revision, files: [{ path: '../a.sql' }] });
  git('init', '--initial-branch', 'main');
  commit({ '0001_a.sql': 'select 1', 'functions.json': list(7), '../a.sql': 'create or replace …' });
  git('checkout', '-b', 'work');
  expect(await migrationFaults(root)).toEqual([]);
  write('../a.sql', 'create or replace … differently');
  expect(await migrationFaults(root)).toEqual([
    expect.stringMatching(/^migrations\/functions\.json has the revision of functions that have changed/),
  ]);
  write('functions.json', list(8));
  write('0002_b.sql', 'select 2');
  expect(await migrationFaults(root)).toEqual([]);
});
