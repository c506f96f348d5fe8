import { afterEach, expect, test, vi } from 'vitest';
import { type Representation, represent } from './conditional.ts';
import { RepresentationCache } from './representation-cache.ts';

const URL = '/api/articles';

afterEach(() => void vi.useRealTimers());

/** A lease controlled by the test, and a cache that depends on it. */
function cacheOf(maxBytes = 10_000) {
  const lease = { current: true, isCurrent: () => lease.current };
  return { lease, cache: new RepresentationCache<Representation>({ maxBytes, lease }) };
}

/** A load that the test completes. */
function pendingLoad() {
  const { promise, resolve, reject } = Promise.withResolvers<Representation>();
  let calls = 0;
  const make = () => {
    calls += 1;
    return promise;
  };
  return { make, calls: () => calls, finish: (text: string) => resolve(represent(text)), fail: reject };
}

/** Waits until the cache has processed the settled load. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** The answer to a request. */
async function ask(cache: RepresentationCache<Representation>, text: string, url = URL): Promise<string> {
  const known = cache.get(url);
  return String((known ?? (await cache.load(url, async () => represent(text)))).body);
}

test('a loaded representation is served without loading it again', async () => {
  const { cache } = cacheOf();
  expect(await ask(cache, 'first')).toBe('first');
  expect(await ask(cache, 'second')).toBe('first');
});

test('everyone who asks during a load shares it', async () => {
  const { cache } = cacheOf();
  const load = pendingLoad();
  const answers = [cache.load(URL, load.make), cache.load(URL, load.make), cache.load(URL, load.make)];
  load.finish('shared');
  expect((await Promise.all(answers)).map(({ body }) => String(body))).toEqual([
    'shared',
    'shared',
    'shared',
  ]);
  expect(load.calls()).toBe(1);
});

test('a failed load is reported to everyone who waits, and is not cached', async () => {
  const { cache } = cacheOf();
  const load = pendingLoad();
  const answers = Promise.allSettled([cache.load(URL, load.make), cache.load(URL, load.make)]);
  load.fail(new Error('database away'));
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(load.calls()).toBe(1);
  expect(await ask(cache, 'recovered')).toBe('recovered');
});

test('a change during a load: requests after it get the new state, and the old one is not cached', async () => {
  const { cache } = cacheOf();
  const before = pendingLoad();
  const asked = cache.load(URL, before.make);
  cache.clear();
  const after = pendingLoad();
  const askedAfter = cache.load(URL, after.make);
  expect(after.calls()).toBe(1);
  after.finish('new');
  await askedAfter;
  before.finish('old');
  await asked;
  await settled();
  expect(await ask(cache, 'loaded again')).toBe('new');
});

test('a change during a load that nobody repeats: nothing is cached', async () => {
  const { cache } = cacheOf();
  const load = pendingLoad();
  const asked = cache.load(URL, load.make);
  cache.clear();
  load.finish('old');
  expect(String((await asked).body)).toBe('old');
  await settled();
  expect(await ask(cache, 'new')).toBe('new');
});

test('a failed load from before a change does not end the load after it', async () => {
  const { cache } = cacheOf();
  const before = pendingLoad();
  const asked = cache.load(URL, before.make);
  cache.clear();
  const after = pendingLoad();
  const askedAfter = cache.load(URL, after.make);
  before.fail(new Error('cut off'));
  await expect(asked).rejects.toThrow('cut off');
  await settled();
  const joined = cache.load(URL, pendingLoad().make);
  after.finish('new');
  expect(await joined).toBe(await askedAfter);
});

test('while the lease is lost nothing is served or cached; when it is back, valid entries are served again', async () => {
  const { cache, lease } = cacheOf();
  expect(await ask(cache, 'kept')).toBe('kept');
  lease.current = false;
  expect(cache.get(URL)).toBeUndefined();
  const load = pendingLoad();
  const answers = [cache.load(URL, load.make), cache.load(URL, load.make)];
  load.finish('unheard');
  await Promise.all(answers);
  expect(load.calls()).toBe(2);
  await settled();
  lease.current = true;
  expect(await ask(cache, 'loaded again')).toBe('kept');
});

test('a load started before the lease was lost is not joined while it is lost', async () => {
  const { cache, lease } = cacheOf();
  const before = pendingLoad();
  const asked = cache.load(URL, before.make);
  lease.current = false;
  expect(await ask(cache, 'fresh')).toBe('fresh');
  before.finish('old');
  expect(String((await asked).body)).toBe('old');
});

test('while the lease is lost, a hundred requests cause two loads, and none gets an older one', async () => {
  const { cache, lease } = cacheOf();
  lease.current = false;
  const [before, after] = [pendingLoad(), pendingLoad()];
  const first = cache.load(URL, before.make);
  const others = Array.from({ length: 100 }, () => cache.load(URL, after.make));
  expect([before.calls(), after.calls()]).toEqual([1, 0]);
  before.finish('before');
  expect(String((await first).body)).toBe('before');
  await settled();
  expect(after.calls()).toBe(1);
  // One who asks now may know of more than this load reads.
  const last = pendingLoad();
  const late = cache.load(URL, last.make);
  after.finish('after');
  expect(new Set((await Promise.all(others)).map(({ body }) => String(body)))).toEqual(new Set(['after']));
  last.finish('late');
  expect(String((await late).body)).toBe('late');
});

test('while the lease is lost, a load that fails does not fail those who wait for it to end', async () => {
  const { cache, lease } = cacheOf();
  lease.current = false;
  const failing = pendingLoad();
  const first = cache.load(URL, failing.make);
  const second = cache.load(URL, async () => represent('second'));
  failing.fail(new Error('the database is away'));
  await expect(first).rejects.toThrow('the database is away');
  expect(String((await second).body)).toBe('second');
});

test('while the lease is lost, those who have waited for a load that fails slowly do not wait for another', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { cache, lease } = cacheOf();
  lease.current = false;
  const [hanging, next] = [pendingLoad(), pendingLoad()];
  const answers = [cache.load(URL, hanging.make), cache.load(URL, next.make)];
  const refused = Promise.all(answers.map((answer) => expect(answer).rejects.toThrow('has not answered')));
  vi.advanceTimersByTime(5500);
  hanging.fail(new Error('the database has not answered for 5500 ms'));
  await refused;
  expect(next.calls()).toBe(0);
  expect(await ask(cache, 'it answers again')).toBe('it answers again');
});

test('the bodies together stay within the bound, the least recently used going first', async () => {
  const { cache } = cacheOf(13_000);
  const body = 'x'.repeat(950);
  const urls = Array.from({ length: 8 }, (_, number) => `/${number + 1}`);
  for (const url of urls) await ask(cache, body, url);
  await ask(cache, 'newer', '/1');
  await ask(cache, body, '/9');
  await settled();
  expect([...urls, '/9'].filter((url) => cache.get(url) === undefined)).toEqual(['/2']);
});

test('many small bodies with long URLs stay within the bound too', async () => {
  const { cache } = cacheOf(10_000);
  const urls = Array.from({ length: 100 }, (_, number) => `/${number}?${'q'.repeat(500)}`);
  for (const url of urls) await ask(cache, '', url);
  await settled();
  expect(urls.filter((url) => cache.get(url) !== undefined).length).toBeLessThanOrEqual(10_000 / 1140);
});

test('a body larger than the bound is answered but not cached', async () => {
  const { cache } = cacheOf(1000);
  expect(await ask(cache, 'x'.repeat(2000))).toHaveLength(2000);
  expect(await ask(cache, 'second')).toBe('second');
});

test('a bound of 0 caches nothing', async () => {
  const { cache } = cacheOf(0);
  expect(await ask(cache, 'first')).toBe('first');
  expect(await ask(cache, 'second')).toBe('second');
});

const NOON = new Date('2026-11-20T12:00:00Z');

test('a representation is served until the moment at which it expires', async () => {
  let now = NOON.getTime() - 1;
  const cache = new RepresentationCache<Representation>({
    maxBytes: 10_000,
    lease: { isCurrent: () => true },
    now: () => now,
  });
  await cache.load(URL, async () => represent('morning', NOON));
  expect(await ask(cache, 'too early')).toBe('morning');
  now = NOON.getTime();
  expect(await ask(cache, 'afternoon')).toBe('afternoon');
  now += 365 * 24 * 3_600_000;
  expect(await ask(cache, 'too early')).toBe('afternoon');
});

test('the expiry time is not part of the representation', () => {
  expect(represent('same', NOON).etag).toBe(represent('same').etag);
});

test('a change drops what depends on its subjects, and what depends on everything', async () => {
  const { cache } = cacheOf();
  const ask = (url: string, text: string, subjects?: string[]) =>
    cache.load(url, async () => ({ ...represent(text), subjects }));
  await ask('/own', 'old', ['article:1', 'category:1']);
  await ask('/neighbour', 'old', ['article:2', 'category:1']);
  await ask('/other', 'old', ['article:3', 'category:2']);
  await ask('/all', 'old');
  await settled();
  cache.clear(new Set(['article:1', 'category:1']));
  expect(['/own', '/neighbour', '/other', '/all'].map((url) => cache.get(url) !== undefined)).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test('a load that a change overtakes is not cached, whatever either is about', async () => {
  const { cache } = cacheOf();
  const load = pendingLoad();
  const asked = cache.load(URL, async () => ({ ...(await load.make()), subjects: ['article:1'] }));
  cache.clear(new Set(['article:2']));
  load.finish('old');
  await asked;
  await settled();
  expect(cache.get(URL)).toBeUndefined();
});

test('an answer that would take more than an eighth of the cache drops no others, and is shared while it loads', async () => {
  const { cache } = cacheOf();
  await ask(cache, 'small', '/small');
  const load = pendingLoad();
  const answers = [cache.load('/large', load.make), cache.load('/large', load.make)];
  load.finish('x'.repeat(1250));
  await Promise.all(answers);
  await settled();
  expect(load.calls()).toBe(1);
  expect(cache.get('/large')).toBeUndefined();
  expect(cache.get('/small')?.body).toBe('small');
  await ask(cache, 'x'.repeat(500), '/fits');
  expect(cache.get('/fits')?.body).toHaveLength(500);
});
