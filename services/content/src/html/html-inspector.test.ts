import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { HtmlInspector, type InspectionLimits } from './html-inspector.ts';

const GOOD = '<p>Something to read.</p>';

/** A tag whose attributes are compared with each other during parsing, which takes quadratic time. */
const SLOW = `<p ${Array.from({ length: 400_000 }, (_, index) => `a${index.toString(36)}`).join(' ')}>`;

function inspector(limits: Partial<InspectionLimits>): HtmlInspector {
  const made = new HtmlInspector(
    { html: 'checked', jsonLd: false },
    { startMs: 100_000, timeMs: 300_000, ...limits },
  );
  onTestFinished(() => made.close());
  return made;
}

test('an inspection that takes too long is abandoned, and the next one runs', async () => {
  const inspection = inspector({ cpuMs: 2000 });
  expect(await inspection.inspect(SLOW, 'a')).toEqual({ unfinished: 'within 2 s' });
  expect(await inspector({ cpuMs: 60_000 }).inspect(GOOD, 'a')).toEqual({ characters: 18, faults: [] });
});

test('a worker that does not begin in time is not the fault of the article', async () => {
  const inspection = inspector({ startMs: 0 });
  await expect(inspection.inspect(GOOD, 'a')).rejects.toMatchObject({ kind: 'unavailable' });
});

test('an inspection that others leave no time to is not the fault of the article', async () => {
  const inspection = inspector({ timeMs: 500 });
  await expect(inspection.inspect(SLOW, 'a')).rejects.toMatchObject({ kind: 'unavailable' });
});

test('after it has warmed up, the first inspection waits for no start of a worker', async () => {
  const started: Worker[] = [];
  const note = (worker: Worker) => started.push(worker);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  const inspection = inspector({ workers: 1 });
  await inspection.warmUp();
  expect(started).toHaveLength(1);
  expect(await inspection.inspect(GOOD, 'a')).toMatchObject({ faults: [] });
  expect(started).toHaveLength(1);
});

test('an inspection that takes too much memory ends its worker and nothing else', async () => {
  const inspection = inspector({ cpuMs: 60_000, memoryMiB: 40 });
  const links = Array.from({ length: 30_000 }, (_, index) => `<a href="/${index}" title="${index}">x</a>`);
  expect(await inspection.inspect(links.join('').repeat(3), 'a')).toEqual({
    unfinished: 'with 40 MiB of memory',
  });
  expect(await inspector({}).inspect(GOOD, 'a')).toMatchObject({ faults: [] });
});

test('inspections beyond the queue limit are refused, and those in the queue run', async () => {
  const inspection = inspector({ waiting: 3 * 16_384, workers: 1 });
  const asked = await Promise.allSettled(Array.from({ length: 10 }, () => inspection.inspect(GOOD, 'a')));
  const turnedAway = asked.filter(({ status }) => status === 'rejected');
  expect(turnedAway).toHaveLength(6);
  expect(turnedAway[0]).toMatchObject({ reason: { kind: 'unavailable' } });
});

test('waiting for a slow inspection does not count against the time limit', async () => {
  const inspection = inspector({ cpuMs: 3000, workers: 1 });
  const [slow, good] = await Promise.all([inspection.inspect(SLOW, 'a'), inspection.inspect(GOOD, 'a')]);
  expect(slow).toHaveProperty('unfinished');
  expect(good).toMatchObject({ faults: [] });
});

test('one owner who brings much keeps no other waiting for more than what runs, nor from an answer', async () => {
  const inspection = inspector({ cpuMs: 2000, workers: 1, waiting: 3 * SLOW.length });
  const ended: string[] = [];
  const inspect = (html: string, owner: string) =>
    inspection.inspect(html, owner).finally(() => ended.push(owner));
  const much = Promise.allSettled(Array.from({ length: 6 }, () => inspect(SLOW, 'much')));
  const little = inspect(GOOD, 'little');
  await little;
  const outcomes = await much;
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(2);
  // Two are turned away at once, and one was running.
  expect(ended.indexOf('little')).toBe(3);
});
