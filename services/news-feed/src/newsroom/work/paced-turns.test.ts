import { expect, test } from 'vitest';
import { PacedTurns } from './paced-turns.ts';

const { signal: never } = new AbortController();

/** A clock that stands still except for the work of `worked` ms and for rests, and what happened by it. */
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
  const turns = new PacedTurns(0.2, clock);
  const names = await Promise.all([
    turns.take(worked('a', 30), never),
    turns.take(worked('b', 10), never),
    turns.take(worked('c', 10), never),
  ]);
  expect(names).toEqual(['a', 'b', 'c']);
  expect(events).toEqual(['a at 0', 'b at 150', 'c at 200']);
});

test('the whole time is for work if that is its share', async () => {
  const { events, worked, clock } = clockOf();
  const turns = new PacedTurns(1, clock);
  await turns.take(worked('a', 30), never);
  await turns.take(worked('b', 30), never);
  expect(events).toEqual(['a at 0', 'b at 30']);
});

test('work that stood still for a minute is followed by no more than two seconds of rest', async () => {
  const { events, worked, clock } = clockOf();
  const turns = new PacedTurns(0.2, clock);
  await turns.take(worked('a', 60_000), never);
  await turns.take(worked('b', 10), never);
  expect(events).toEqual(['a at 0', 'b at 62000']);
});

test('work that fails keeps nobody waiting', async () => {
  const { events, worked, clock } = clockOf();
  const turns = new PacedTurns(0.5, clock);
  await expect(turns.take(() => Promise.reject(new Error('away')), never)).rejects.toThrow('away');
  await turns.take(worked('b', 30), never);
  expect(events).toEqual(['b at 0']);
});

test('a rest ends when the work is to stop', async () => {
  const stop = new AbortController();
  let now = 0;
  const turns = new PacedTurns(0.5, {
    now: () => now,
    rest: (_ms, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  });
  const first = turns.take(async () => {
    now += 3_600_000;
  }, stop.signal);
  const second = turns.take(async () => 'second', stop.signal);
  stop.abort();
  await first;
  expect(await second).toBe('second');
});
