import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const HOME = new URL('home.ts', import.meta.url).href;

/** The home of a process whose user has no name, as in a container; only root can be another user. */
function homeOf(before: string): string {
  const script = `import { homedir } from 'node:os';
    import { ensureHome } from '${HOME}';
    process.setgid(54321); process.setuid(54321);
    ${before}; ensureHome(); console.log(homedir());`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  }).trim();
}

test.skipIf(process.getuid?.() !== 0)('a user without a home has the root as one, as Docker sets it', () => {
  expect(homeOf('')).toBe('/');
  expect(homeOf("process.env.HOME = '/data'")).toBe('/data');
});
