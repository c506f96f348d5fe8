import { expect, test } from 'vitest';
import { Throttle } from './job-slots.ts';

/** A clock that moves with work and rests alone, and a record of both. */
function clockOf() {
  const events: string[] = [];
  let now = 0;
  return {
    events,
    worked: (name: string, ms: number) => async () => {
      events.push(`${name} at ${now}`);
      now += ms;
      return name;
    },
    clock: {
      now: () => now,
      rest: async (ms: number) => {
        now += ms;
      },
    },
  };
}

test('work takes its share of the time, one piece after the other', async () => {
  const { events, worked, clock } = clockOf();
  const turns = new Throttle(0.2, clock);
  const names = await Promise.all([
    turns.take(worked('a', 30)),
    turns.take(worked('b', 10)),
    turns.take(worked('c', 10)),
  ]);
  expect(names).toEqual(['a', 'b', 'c']);
  expect(events).toEqual(['a at 0', 'b at 150', 'c at 200']);
});

test('the whole time is for work if that is its share', async () => {
  const { events, worked, clock } = clockOf();
  const turns = new Throttle(1, clock);
  await Promise.all([turns.take(worked('a', 30)), turns.take(worked('b', 30))]);
  expect(events).toEqual(['a at 0', 'b at 30']);
});

test('work that stood still for a minute is followed by no more than five seconds of rest', async () => {
  const { events, worked, clock } = clockOf();
  const turns = new Throttle(0.2, clock);
  await Promise.all([turns.take(worked('a', 60_000)), turns.take(worked('b', 10))]);
  expect(events).toEqual(['a at 0', 'b at 65000']);
});

test('work that fails does not keep others waiting', async () => {
  const { events, worked, clock } = clockOf();
  const turns = new Throttle(0.5, clock);
  await expect(turns.take(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  await turns.take(worked('b', 30));
  expect(events).toEqual(['b at 0']);
});

test('whoever has had its turn does not wait for the rest', async () => {
  let now = 0;
  const turns = new Throttle(0.5, { now: () => now, rest: () => new Promise(() => undefined) });
  const work = async () => {
    now += 1000;
    return 'done';
  };
  expect(await turns.take(work)).toBe('done');
});

test('a worker that is to stop ends its rest, and does not rest again', async () => {
  let now = 0;
  let rests = 0;
  const turns = new Throttle(0.5, {
    now: () => now,
    rest: (_ms, signal) => {
      rests += 1;
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
        turns.hurry();
      });
    },
  });
  const work = async () => {
    now += 1000;
    return now;
  };
  expect(await Promise.all([turns.take(work), turns.take(work), turns.take(work)])).toEqual([
    1000, 2000, 3000,
  ]);
  expect(rests).toBe(1);
});

test('a rest by the system clock ends as well', async () => {
  const turns = new Throttle(Number.MIN_VALUE);
  const began = performance.now();
  const first = turns.take(async () => {
    while (performance.now() === began);
  });
  const second = turns.take(async () => 'second');
  await first;
  turns.hurry();
  expect(await second).toBe('second');
});
