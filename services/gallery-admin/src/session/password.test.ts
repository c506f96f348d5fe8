import { describe, expect, test } from 'vitest';
import { formatPasswordHash, hashPassword, isPassword, parsePasswordHash } from './password.ts';

const COSTS = { memory: 64, passes: 1, parallelism: 1 };

describe('a password hash', () => {
  test('is written and read as a PHC string', async () => {
    const hash = await hashPassword('correct horse', COSTS);
    const phc = formatPasswordHash(hash);
    expect(phc).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(parsePasswordHash(phc)).toEqual(hash);
    expect(await isPassword('correct horse', hash)).toBe(true);
    expect(await isPassword('correct hors', hash)).toBe(false);
  });

  test('differs each time', async () => {
    const [one, two] = [await hashPassword('same', COSTS), await hashPassword('same', COSTS)];
    expect(one.tag.equals(two.tag)).toBe(false);
  });

  // One of the reference implementation's own tests.
  test('made by another program is accepted', async () => {
    const phc = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    const hash = parsePasswordHash(phc);
    expect(hash && (await isPassword('password', hash))).toBe(true);
  });

  test.each([
    'plain',
    '$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=64,t=0,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=64,t=1,p=16$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ])('%s is not a hash', (phc) => {
    expect(parsePasswordHash(phc)).toBeUndefined();
  });
});
