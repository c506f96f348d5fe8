import { expect, test } from 'vitest';
import { type KeyOwner, KeyVerifier } from './api-keys.ts';

const KEY = `pk_aaaaaaaa_${'x'.repeat(43)}`;
const ADDRESS = '203.0.113.1';

/** A key that does not exist. */
const wrongKey = (index: number) => `pk_bbbbbbbb_${String(index).padStart(43, 'y')}`;

const MAX_WRONG = 5;

/** A verifier of one key, the clocks that it reads, and a substitute for the database. */
function verifierOf(owner: KeyOwner) {
  const database = { owner: owner as KeyOwner | undefined, questions: 0, isAway: false };
  const clock = { now: 1_000_000, elapsed: 500 };
  const store = {
    find: async (key: string) => {
      database.questions += 1;
      if (database.isAway) throw new Error('the database is away');
      return key === KEY ? database.owner : undefined;
    },
    touch: async () => undefined,
  };
  const pass = (ms: number) => {
    clock.now += ms;
    clock.elapsed += ms;
  };
  return {
    pass,
    verifier: new KeyVerifier(store, MAX_WRONG, { now: () => clock.now, elapsed: () => clock.elapsed }),
    database,
    clock,
  };
}

const owner = (expires_at: Date | null): KeyOwner => ({
  ...{ prefix: 'aaaaaaaa', name: 'Somebody', scope: 'full', category_id: null, expires_at },
});

test('a cached key still stops working when it expires', async () => {
  const { verifier, pass } = verifierOf(owner(new Date(1_003_000)));
  expect(await verifier.verify(KEY, ADDRESS)).toMatchObject({ name: 'Somebody' });
  pass(2999);
  expect(await verifier.verify(KEY, ADDRESS)).toMatchObject({ name: 'Somebody' });
  pass(1);
  expect(await verifier.verify(KEY, ADDRESS)).toBeUndefined();
});

test('a revoked key is accepted for less than 5 s, and a valid one costs no query in that time', async () => {
  const { verifier, database, pass } = verifierOf(owner(null));
  expect(await verifier.verify(KEY, ADDRESS)).toBeDefined();
  pass(1000);
  expect(await verifier.verify(KEY, ADDRESS)).toBeDefined();
  expect(database.questions).toBe(1);
  database.owner = undefined;
  pass(3999);
  expect(await verifier.verify(KEY, ADDRESS)).toBeUndefined();
});

test('a revoked key is accepted for less than 5 s although the clock is set back an hour', async () => {
  const { verifier, database, clock, pass } = verifierOf(owner(null));
  expect(await verifier.verify(KEY, ADDRESS)).toBeDefined();
  database.owner = undefined;
  clock.now -= 3_600_000;
  pass(4999);
  expect(await verifier.verify(KEY, ADDRESS)).toBeUndefined();
});

test('of any number of wrong keys at once only so many are looked up, and others are not hindered', async () => {
  const { verifier, database, pass } = verifierOf(owner(null));
  const wrong = await Promise.all(
    Array.from({ length: 600 }, (_, index) => verifier.verify(wrongKey(index), ADDRESS)),
  );
  expect(database.questions).toBe(MAX_WRONG);
  expect(wrong.filter((found) => found === undefined)).toHaveLength(MAX_WRONG);
  expect(wrong.at(-1)).toEqual({ retryAfterSeconds: 60 });
  expect(await verifier.verify(KEY, '203.0.113.2')).toMatchObject({ name: 'Somebody' });
  pass(60_000);
  expect(await verifier.verify(KEY, ADDRESS)).toMatchObject({ name: 'Somebody' });
});

test('a key that was valid lately is looked up again, whatever else came from its address', async () => {
  const { verifier, pass } = verifierOf(owner(null));
  await verifier.verify(KEY, ADDRESS);
  for (let index = 0; index < 50; index += 1) await verifier.verify(wrongKey(index), ADDRESS);
  pass(10_000);
  expect(await verifier.verify(KEY, ADDRESS)).toMatchObject({ name: 'Somebody' });
});

test('many who bring the same key at once share a look-up', async () => {
  const { verifier, database } = verifierOf(owner(null));
  const found = await Promise.all(Array.from({ length: 100 }, () => verifier.verify(KEY, ADDRESS)));
  expect(database.questions).toBe(1);
  for (const one of found) expect(one).toMatchObject({ name: 'Somebody' });
});

test('what cannot be a key is not looked up', async () => {
  const { verifier, database } = verifierOf(owner(null));
  for (const key of ['pk_short', 'x', KEY.slice(1), `${KEY}x`])
    expect(await verifier.verify(key, ADDRESS)).toBeUndefined();
  expect(database.questions).toBe(0);
});

test('a right key that could not be looked up was not a wrong one', async () => {
  const { verifier, database } = verifierOf(owner(null));
  database.isAway = true;
  for (let tries = 0; tries <= MAX_WRONG; tries += 1) {
    await expect(verifier.verify(KEY, ADDRESS)).rejects.toThrow('away');
  }
  database.isAway = false;
  expect(await verifier.verify(KEY, ADDRESS)).toMatchObject({ name: 'Somebody' });
});
