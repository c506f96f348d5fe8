import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type { BusyTask } from './busy-thread.ts';
import { type ThreadLimits, ThreadPool, UnfinishedTask } from './thread-pool.ts';

const MODULE = new URL('./busy-thread.ts', import.meta.url);

function pool(limits: Partial<ThreadLimits>) {
  const patient = { startMs: 100_000, cpuMs: 100_000, timeMs: 300_000, memoryMiB: 64, threads: 1 };
  const made = new ThreadPool<BusyTask, string>(MODULE, { ...patient, ...limits });
  onTestFinished(() => made.close());
  return made;
}

const SPIN: BusyTask = { spin: true };

test('a task that computes for too long is killed, and the next one runs', async () => {
  const threads = pool({ cpuMs: 300 });
  const spun = threads.run('a', () => SPIN);
  await expect(spun).rejects.toEqual(new UnfinishedTask('within 0.3 s of computing'));
  expect(await threads.run('a', () => ({ echo: 'next' }))).toBe('next');
});

test('a task that takes too much memory is killed, and the next one runs', async () => {
  const threads = pool({});
  const filled = threads.run('a', () => ({ fill: true }));
  await expect(filled).rejects.toEqual(new UnfinishedTask('with 64 MiB of memory'));
  expect(await threads.run('a', () => ({ echo: 'next' }))).toBe('next');
});

test('what earlier tasks have left in a thread counts against none of the next', async () => {
  const threads = pool({ memoryMiB: 160 });
  const dropped = 2_500_000;
  for (let run = 0; run < 20; run += 1) {
    expect(await threads.run('a', () => ({ drop: dropped }))).toBe(String(dropped));
  }
});

test('a thread that does not begin in time is not the fault of the task', async () => {
  const asked = pool({ startMs: 0 }).run('a', () => ({ echo: 'a' }));
  await expect(asked).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a task that others leave no time to is not to blame', async () => {
  const asked = pool({ timeMs: 300 }).run('a', () => SPIN);
  await expect(asked).rejects.toMatchObject({ kind: 'unavailable' });
});

test('what a task throws is told to who asked for it', async () => {
  const asked = pool({}).run('a', () => ({ fail: 'no such thing' }));
  await expect(asked).rejects.toThrow('no such thing');
});

test('the wait for other tasks counts against no limit', async () => {
  const threads = pool({ cpuMs: 1000 });
  const [spun, echoed] = await Promise.allSettled([
    threads.run('a', () => SPIN),
    threads.run('a', () => ({ echo: 'waited' })),
  ]);
  expect(spun.status).toBe('rejected');
  expect(echoed).toMatchObject({ value: 'waited' });
});

test('owners take turns: much that one brings delays another by what runs', async () => {
  const threads = pool({ cpuMs: 300 });
  const ended: string[] = [];
  const run = (owner: string, task: BusyTask) =>
    threads.run(owner, () => task).finally(() => ended.push(owner));
  const much = Promise.allSettled([1, 2, 3].map(() => run('much', SPIN)));
  expect(await run('little', { echo: 'waited' })).toBe('waited');
  await much;
  expect(ended).toEqual(['much', 'little', 'much', 'much']);
});

test('threads that begin at once do not get in each other’s way', async () => {
  for (let round = 0; round < 10; round += 1) {
    const threads = pool({ threads: 12 });
    const owners = Array.from({ length: 12 }, (_, index) => String(index));
    const echoes = owners.map((echo) => threads.run(echo, () => ({ echo })));
    expect(await Promise.all(echoes)).toEqual(owners);
    await threads.close();
  }
});

test('of several threads, one is left for other owners', async () => {
  const threads = pool({ threads: 2 });
  let begun = 0;
  const spin = (): BusyTask => {
    begun += 1;
    return SPIN;
  };
  const spins = Promise.allSettled([1, 2, 3].map(() => threads.run('much', spin)));
  for (const echo of ['first', 'second']) expect(await threads.run('little', () => ({ echo }))).toBe(echo);
  expect(begun).toBe(1);
  await threads.close();
  await spins;
});

test('closing kills what runs and refuses what waits', async () => {
  const threads = pool({ threads: 2 });
  const asked = ['a', 'b', 'c'].map((owner) => threads.run(owner, () => SPIN));
  const outcomes = Promise.allSettled(asked);
  await once(process, 'worker');
  await threads.close();
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { kind: 'unavailable' } });
});
