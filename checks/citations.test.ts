import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { citationFaults } from './citations.ts';

const WIRE = '# Wire\n\n## News feed\n\n- **Session**: a cookie.\n\n**Errors** are documents.\n';

/** The faults of a repository with `docs/spec/wire.md` and these files. */
async function faultsOf(files: Record<string, string>): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'citations-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [path, text] of Object.entries({ 'docs/spec/wire.md': WIRE, ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return citationFaults(root);
}

test.each(['News feed', 'Session', 'Errors'])(
  'a heading or a bold lead, %s, may be cited',
  async (heading) => {
    expect(
      await faultsOf({
        'packages/common/src/a.ts': `/** As decided (\`docs/spec/wire.md\`, "${heading}"). */`,
      }),
    ).toEqual([]);
  },
);

test('a missing file is a fault wherever it is cited', async () => {
  expect(
    await faultsOf({
      'services/content/src/a.ts': '// wire.md says so\nexport const a = "other.md";',
      'migrations/0001.sql': 'select 1; -- see docs/gone.md',
      'deploy/proxy/nginx.conf': '# docs/gone.md',
    }),
  ).toEqual([
    'services/content/src/a.ts: cites wire.md, which does not exist',
    'deploy/proxy/nginx.conf: cites docs/gone.md, which does not exist',
    'migrations/0001.sql: cites docs/gone.md, which does not exist',
  ]);
});

test('a missing heading is a fault, even if the citation continues on the next line', async () => {
  const source = '/**\n * As decided (`docs/spec/wire.md`,\n * "Old news").\n */';
  const sql = '-- As decided (docs/spec/wire.md, "News\n-- feed").';
  expect(await faultsOf({ 'test/a.ts': source, 'migrations/0001.sql': sql })).toEqual([
    'test/a.ts: cites "Old news", which is not a heading of docs/spec/wire.md',
  ]);
});

test('links of Markdown are followed to their file and heading, not those in code', async () => {
  expect(
    await faultsOf({
      'README.md': [
        '[a](docs/spec/wire.md#news-feed) [b](docs/spec/wire.md#old) [c](docs/gone.md) [d](https://a.example/b.md)',
        '```\n[e](docs/gone.md)\n```',
      ].join('\n'),
      'docs/a.md': '# A\n[up](../README.md) [here](#a) [wire](spec/wire.md)',
    }),
  ).toEqual([
    'README.md: links to #old, which is not a heading of docs/spec/wire.md',
    'README.md: links to docs/gone.md, which does not exist',
  ]);
});
