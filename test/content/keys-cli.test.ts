import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../support/command.ts';
import { type ContentFixture, contentFixture } from '../support/content.ts';

let fixture: ContentFixture;
beforeAll(async () => {
  fixture = await contentFixture();
});
afterAll(() => fixture.close());

/** Runs `content keys`. */
function keys(...args: string[]) {
  const env = { DATABASE_URL: fixture.database.url };
  return run(['services/content/src/cli.ts', 'keys', ...args], { env });
}

/** The status of a create with a key. */
async function statusWith(key: string): Promise<number> {
  const answer = await fixture.client.anonymously('/api/articles?status=all', {
    headers: { 'x-api-key': key },
  });
  return answer.status;
}

test('a key is made, given an expiry, and revoked by the whole key, which is not repeated', async () => {
  const key = (await keys('create', '--name', ' Ada ')).stdout.trim();
  expect(await statusWith(key)).toBe(200);
  const expired = await keys('expire', key.slice(3, 11), '--at', '2999-01-31');
  expect(expired.stdout).toBe(`${key.slice(0, 11)} expires at 2999-01-31T00:00:00.000Z.\n`);
  const list = await keys('list');
  expect(list.stdout).toContain("'Ada'");
  expect(list.stdout).toContain('2999-01-31T00:00:00.000Z');
  const revoked = await keys('revoke', key);
  expect(revoked.code).toBe(0);
  expect(revoked.stdout + revoked.stderr).not.toContain(key.slice(12));
  const again = await keys('revoke', key);
  expect([again.code, again.stderr]).toEqual([
    1,
    `no key in use begins with ${key.slice(0, 11)}; see \`content keys list\`\n`,
  ]);
});

test.each([
  ['a name of spaces', ['create', '--name', '  '], 'the name of the key must not be empty'],
  ['an invisible name', ['create', '--name', '\u200b'], 'the name of the key must not be empty'],
  [
    'a name that is too long',
    ['create', '--name', 'x'.repeat(256)],
    'the name of the key must be at most 255 characters long',
  ],
  [
    'a day that does not exist',
    ['create', '--name', 'x', '--expires', '2999-02-31'],
    '"2999-02-31" is not a date such as',
  ],
  ['a number', ['create', '--name', 'x', '--expires', '1'], '"1" is not a date such as'],
  ['the past', ['create', '--name', 'x', '--expires', '2020-01-01'], '2020-01-01 is not in the future'],
  ['an end in the past', ['expire', 'abcdefgh', '--at', '2020-01-01'], '2020-01-01 is not in the future'],
  ['an unknown key', ['expire', 'abcdefgh', '--at', '2999-01-01'], 'no key in use begins with pk_abcdefgh'],
  ['something else', ['revoke', 'pk_secret_half'], 'this is not a key: give the 8 characters'],
])('%s is refused with an explanation', async (_what, args, message) => {
  const { code, stdout, stderr } = await keys(...args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('secret_half');
});

test.each(['mysql://user:hunter2@db.example/x', 'hunter2', 'postgres//user:hunter2@db.example/x'])(
  'a DATABASE_URL such as %s is refused by its name and not shown',
  async (url) => {
    const env = { DATABASE_URL: url };
    const { code, stderr } = await run(['services/content/src/cli.ts', 'keys', 'list'], { env });
    expect(code).toBe(1);
    expect(stderr.trim()).toBe('DATABASE_URL is not a URL such as postgres://user:password@host/name');
  },
);

test('an unavailable database is reported in a sentence', async () => {
  const env = { DATABASE_URL: 'postgres://user:password@127.0.0.1:1/none' };
  const { code, stderr } = await run(['services/content/src/cli.ts', 'keys', 'list'], { env });
  expect(code).toBe(1);
  expect(stderr).toContain('127.0.0.1:1');
  expect(stderr).not.toMatch(/^\s+at |AggregateError|password@/m);
});
