import { expect, onTestFinished, test } from 'vitest';
import { HtmlInspector, type InspectionLimits } from './html-inspector.ts';

const GOOD = '<p>Something to read.</p>';

/** A tag whose attributes are compared with each other while it is read: the work grows with their square. */
const SLOW = `<p ${Array.from({ length: 400_000 }, (_, index) => `a${index.toString(36)}`).join(' ')}>`;

function inspector(limits: Partial<InspectionLimits>): HtmlInspector {
  const made = new HtmlInspector({ html: 'checked', jsonLd: false }, limits);
  onTestFinished(() => made.close());
  return made;
}

test('what takes too long is given up, and the next one is inspected', async () => {
  const inspection = inspector({ timeMs: 4000 });
  expect(await inspection.inspect(SLOW)).toEqual({ unfinished: 'within 4 s' });
  expect(await inspector({ timeMs: 60_000 }).inspect(GOOD)).toEqual({ characters: 18, faults: [] });
});

test('what takes too much memory ends its worker and nothing else', async () => {
  const inspection = inspector({ timeMs: 60_000, memoryMiB: 40 });
  const links = Array.from({ length: 30_000 }, (_, index) => `<a href="/${index}" title="${index}">x</a>`);
  expect(await inspection.inspect(links.join('').repeat(3))).toEqual({
    unfinished: 'with 40 MiB of memory',
  });
  expect(await inspector({}).inspect(GOOD)).toMatchObject({ faults: [] });
});

test('more than may wait are turned away, and those that wait are inspected', async () => {
  const inspection = inspector({ waiting: 3 * 16_384, workers: 1 });
  const asked = await Promise.allSettled(Array.from({ length: 10 }, () => inspection.inspect(GOOD)));
  const turnedAway = asked.filter(({ status }) => status === 'rejected');
  expect(turnedAway).toHaveLength(6);
  expect(turnedAway[0]).toMatchObject({ reason: { kind: 'unavailable' } });
});

test('an inspection that waits for a slow one is not cut short by it', async () => {
  const inspection = inspector({ timeMs: 8000, workers: 1 });
  const [slow, good] = await Promise.all([inspection.inspect(SLOW), inspection.inspect(GOOD)]);
  expect(slow).toHaveProperty('unfinished');
  expect(good).toMatchObject({ faults: [] });
});
