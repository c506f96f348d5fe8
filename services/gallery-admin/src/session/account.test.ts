import { expect, test } from 'vitest';
import { Account } from './account.ts';
import { formatPasswordHash, hashPassword } from './password.ts';

const COSTS = { memory: 64, passes: 1, parallelism: 1 };

async function account(): Promise<Account> {
  const passwordHash = formatPasswordHash(await hashPassword('right', COSTS));
  return new Account({
    username: 'editor',
    passwordHash,
    password: undefined,
    settingsKey: Buffer.alloc(32),
  });
}

/** How many of 100 attempts at once find the queue of passwords to be hashed full. */
async function refusedOf100(username: string, password: string): Promise<number> {
  const asked = await account();
  const attempts = Array.from({ length: 100 }, () => asked.isRight(username, password));
  const results = await Promise.allSettled(attempts);
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 503 });
  }
  return results.filter(({ status }) => status === 'rejected').length;
}

test('a name that nobody has costs as much hashing as a wrong password and as the right one', async () => {
  const refused = await refusedOf100('editor', 'right');
  expect(refused).toBeGreaterThan(0);
  expect(await refusedOf100('editor', 'wrong')).toBe(refused);
  expect(await refusedOf100('nobody', 'right')).toBe(refused);
});

test('both username and password must be right', async () => {
  const asked = await account();
  expect(await asked.isRight('editor', 'right')).toBe(true);
  expect(await asked.isRight('editor', 'wrong')).toBe(false);
  expect(await asked.isRight('nobody', 'right')).toBe(false);
  expect(await asked.isRight('', '')).toBe(false);
});
