import { expect, test } from 'vitest';
import { Account } from './logins.ts';
import { formatPasswordHash, hashPassword, isPassword } from './password.ts';

const COSTS = { memory: 64, passes: 1, parallelism: 1 };

/** The account of the tests, and the passwords that were hashed for it. */
async function account() {
  const passwordHash = formatPasswordHash(await hashPassword('right', COSTS));
  const settings = { username: 'editor', passwordHash, password: undefined, settingsKey: Buffer.alloc(32) };
  const hashed: string[] = [];
  const verify: typeof isPassword = (password, expected) => {
    hashed.push(`${password} ${expected.memory} ${expected.passes}`);
    return isPassword(password, expected);
  };
  return { asked: new Account(settings, verify), hashed };
}

test('an unknown username costs as much hashing as a wrong password and as the right one', async () => {
  const { asked, hashed } = await account();
  await asked.isRight('editor', 'right');
  await asked.isRight('editor', 'wrong');
  await asked.isRight('nobody', 'right');
  expect(hashed).toEqual(['right 64 1', 'wrong 64 1', 'right 64 1']);
});

test('both username and password must be right', async () => {
  const { asked } = await account();
  expect(await asked.isRight('editor', 'right')).toBe(true);
  expect(await asked.isRight('editor', 'wrong')).toBe(false);
  expect(await asked.isRight('nobody', 'right')).toBe(false);
  expect(await asked.isRight('', '')).toBe(false);
});
