import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { HtmlInspector, type InspectionLimits } from './html-inspector.ts';

const GOOD = '<p>Something to read.</p>';

/** A tag with so many attributes to refuse, each of which is compared with the others, that it takes long. */
const SLOW = `<p ${Array.from({ length: 400_000 }, (_, index) => `on${index.toString(36)}`).join(' ')}>`;

function inspector(limits: Partial<InspectionLimits>): HtmlInspector {
  const made = new HtmlInspector(
    { html: 'checked', jsonLd: false, overlays: false },
    { startMs: 100_000, timeMs: 300_000, ...limits },
  );
  onTestFinished(() => made.close());
  return made;
}

test('an inspection that takes too long is abandoned, and the next one runs', async () => {
  const inspection = inspector({ cpuMs: 2000, memoryMiB: 4096 });
  expect(await inspection.inspect(SLOW, 'a')).toEqual({ unfinished: 'within 2 s of computing' });
  expect(await inspector({ cpuMs: 60_000 }).inspect(GOOD, 'a')).toEqual({ characters: 18, faults: [] });
});

test('after it has warmed up, the first inspection waits for no start of a worker', async () => {
  const started: Worker[] = [];
  const note = (worker: Worker) => started.push(worker);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  const inspection = inspector({ threads: 1 });
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

test('inspections beyond the queue limit are refused, but not the first of another owner', async () => {
  const inspection = inspector({ waiting: 3 * 16_384, threads: 1 });
  const much = Array.from({ length: 10 }, () => inspection.inspect(GOOD, 'much'));
  const little = inspection.inspect(GOOD, 'little');
  const turnedAway = (await Promise.allSettled(much)).filter(({ status }) => status === 'rejected');
  expect(turnedAway).toHaveLength(6);
  expect(turnedAway[0]).toMatchObject({ reason: { kind: 'unavailable' } });
  expect(await little).toMatchObject({ faults: [] });
});
