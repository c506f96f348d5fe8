import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';
import { copyTracked } from './copy-tracked.ts';
import { printedPages } from './printed-commands.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The commands that are not run here, and why. */
const LEFT_OUT: readonly (readonly [command: RegExp, reason: string])[] = [
  [/pnpm@12 start\b/, 'it runs while all the others do'],
  [
    /^docker |docker buildx|deploy\/roll|127\.0\.0\.1:8080/,
    'needs a container engine; deploy/try runs the Compose file',
  ],
  [/^(kubectl|helm) /, 'needs a Kubernetes cluster; test/deploy/kubernetes.test.ts renders what they apply'],
  [/\/srv\/backups/, "is a folder of the reader's machine"],
  [/^rclone |docker compose exec -T/, 'needs stores or containers of the reader; deploy/try runs the second'],
  [/^pgbackrest /, 'needs its own server; test/backup runs pgBackRest'],
  [/pnpm@12 (test|check|test:faults)\b/, 'runs what CI runs'],
  [/pnpm@12 bench( |$)(?!report)/, 'takes minutes'],
  [/^git clone |go build|libvips-dev/, 'builds the programs of others, which a bench takes by their paths'],
  [/postgres:\/\/user:password@host/, 'names a database of the reader; test/backup runs it'],
  [/\b(NEXT_CURSOR|NEXT_PAGE|PREFIX)\b|cursor=CURSOR/, 'stands for a value of an earlier answer'],
  [/some-collector/, 'stands for a program of the reader'],
  [/pnpm@12 mcp:http$/, 'runs until it is stopped; pnpm conformance mcp runs it'],
  [/lisboa/, 'are the settings of another site; local-paper.docs.test.ts runs it'],
  [/youtu\.be/, 'reads a page of the web; test/content/embeds.test.ts does so on a host of its own'],
  [/town\.example/, 'reads a page of the web; test/news-feed/newsroom/sources.test.ts runs it'],
  [/newsroom undo 17$/, 'names an edit of the reader; test/news-feed/newsroom/edits.test.ts runs it'],
  [/newsroom work$/, 'runs until it is stopped; pnpm start runs it'],
  [/deploy\/release|^git push/, 'publishes a release'],
  [/deploy\/try/, 'needs root, minutes and, in part, a cluster'],
  [
    /verify-tag|^git status|SHA256SUMS|pressroom-VERSION|statements$/,
    'needs a signed release; test/deploy/release.test.ts makes one',
  ],
];

/** Files that the pages tell their reader to bring. */
const BROUGHT = {
  'articles.jsonl': JSON.stringify({
    title: 'Brought',
    html: `<p>${'A sentence of some length. '.repeat(5)}</p>`,
  }),
  'export.xml': '<rss><channel><title>Brought</title></channel></rss>',
  'export.json': '{"db": [{"data": {"posts": []}}]}',
  'digest.txt': 'What is known.',
};

const pages = await printedPages(ROOT);
const all = pages.flatMap(({ commands }) => commands);
const isLeftOut = (command: string) => LEFT_OUT.some(([pattern]) => pattern.test(command));

let clone: string;
let env: NodeJS.ProcessEnv;
/** Replacements for the ports and addresses of the documentation in commands. */
let standIns: Record<string, string>;
let stop = async () => {};

beforeAll(async () => {
  clone = path.join(await temporaryHome(), 'my clone');
  await copyTracked(ROOT, clone);
  for (const [name, text] of Object.entries(BROUGHT)) await writeFile(path.join(clone, name), `${text}\n`);
  const [, lines = ''] =
    /^```json\n(\{"type": "story".*?)^```$/ms.exec(
      await readFile(path.join(ROOT, 'docs/newsroom.md'), 'utf8'),
    ) ?? [];
  await writeFile(path.join(clone, 'news.jsonl'), lines);

  const ports = Object.fromEntries(
    await Promise.all(
      ['4001', '4002', '4003', '8088'].map(async (port) => [port, String(await findFreePort())]),
    ),
  );
  standIns = { ...ports, 'https://example.com/feed.xml': `http://127.0.0.1:${ports['8088']}/other.xml` };
  env = {
    ...process.env,
    NEWS_FEED_PORT: ports['4001'],
    GALLERY_ADMIN_PORT: ports['4002'],
    CONTENT_PORT: ports['4003'],
    NEWS_DESK_PORT: String(await findFreePort()),
    DATABASE_PORT: String(await findFreePort()),
    OBJECT_STORE_PORT: String(await findFreePort()),
    NEWS_REPORT_TIMEZONE: zoneAtNoon(new Date()),
    npm_config_loglevel: 'error',
    pnpm_config_prefer_offline: 'true',
  };
  delete env.NODE_ENV;
  stop = await startIn(clone);
});
afterAll(() => stop());

/** A zone in which it is noon or shortly after: today's report is out, and may still be corrected. */
function zoneAtNoon(now: Date): string {
  const east = 12 - now.getUTCHours();
  // Against ISO 8601, these names count westwards.
  return `Etc/GMT${east > 0 ? '-' : '+'}${Math.abs(east)}`;
}

async function startIn(cwd: string): Promise<() => Promise<void>> {
  const child = spawn('npx', ['-y', 'pnpm@12', 'start'], { cwd, env, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  await until('it runs', () => output.includes('Ctrl-C') || child.exitCode !== null);
  expect(output).toContain('Pressroom is running');
  expect(output).not.toContain('Unsupported engine');
  return async () => {
    process.kill(-Number(child.pid), 'SIGINT');
    if (child.exitCode === null) await once(child, 'close');
  };
}

test('what is left out is printed somewhere', () => {
  const unused = LEFT_OUT.filter(([pattern]) => !all.some((command) => pattern.test(command)));
  expect(unused.map(([, reason]) => reason)).toEqual([]);
});

test.each(pages.filter(({ commands }) => !commands.every(isLeftOut)))(
  'the commands of $page run as printed',
  async ({ commands }) => {
    const script = commands
      .filter((command) => !isLeftOut(command))
      .join('\n')
      .replaceAll(
        /\b(4001|4002|4003|8088)\b|https:\/\/example\.com\/feed\.xml/g,
        (found) => standIns[found] ?? found,
      );
    const guarded = `set -euo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
# npx asks for a second each time before it runs the clone's own pnpm.
npx() { if [ "$1 $2" = '-y pnpm@12' ]; then node_modules/.bin/pnpm "\${@:3}"; else command npx "$@"; fi; }
# A problem as the answer is a failure.
curl() { case " $*" in *' -f'*) command curl "$@" ;; *) command curl --fail-with-body "$@" ;; esac; }
${script}`;
    const options = { cwd: clone, env, maxBuffer: 64 * 1024 * 1024 };
    const failure = await run('bash', ['-c', guarded], options).then(
      () => '',
      ({ stdout, stderr }) => `${stdout.slice(-1000)}\n${stderr.slice(-1000)}`,
    );
    expect(failure).toBe('');
  },
);
