import { expect, test } from 'vitest';
import type { KeyOwner } from './store.ts';
import { KeyVerifier } from './verifier.ts';

const KEY = 'pk_aaaaaaaa_key';

/** A verifier of one key, the clocks that it reads, and a substitute for the database. */
function verifierOf(owner: KeyOwner) {
  const database = { owner: owner as KeyOwner | undefined, questions: 0 };
  const clock = { now: 1_000_000, elapsed: 500 };
  const store = {
    find: async () => {
      database.questions += 1;
      return database.owner;
    },
    touch: async () => undefined,
  };
  const pass = (ms: number) => {
    clock.now += ms;
    clock.elapsed += ms;
  };
  return {
    pass,
    verifier: new KeyVerifier(store, { now: () => clock.now, elapsed: () => clock.elapsed }),
    database,
    clock,
  };
}

const owner = (expires_at: Date | null): KeyOwner => ({ prefix: 'aaaaaaaa', name: 'Somebody', expires_at });

test('a cached key still stops working when it expires', async () => {
  const { verifier, pass } = verifierOf(owner(new Date(1_003_000)));
  expect(await verifier.verify(KEY)).toMatchObject({ name: 'Somebody' });
  pass(2999);
  expect(await verifier.verify(KEY)).toMatchObject({ name: 'Somebody' });
  pass(1);
  expect(await verifier.verify(KEY)).toBeUndefined();
});

test('a revoked key is accepted for less than 5 s, and a valid one costs no query in that time', async () => {
  const { verifier, database, pass } = verifierOf(owner(null));
  expect(await verifier.verify(KEY)).toBeDefined();
  pass(1000);
  expect(await verifier.verify(KEY)).toBeDefined();
  expect(database.questions).toBe(1);
  database.owner = undefined;
  pass(3999);
  expect(await verifier.verify(KEY)).toBeUndefined();
});

test('a revoked key is accepted for less than 5 s although the clock is set back an hour', async () => {
  const { verifier, database, clock, pass } = verifierOf(owner(null));
  expect(await verifier.verify(KEY)).toBeDefined();
  database.owner = undefined;
  clock.now -= 3_600_000;
  pass(4999);
  expect(await verifier.verify(KEY)).toBeUndefined();
});
