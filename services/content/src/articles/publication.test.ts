import { Failure } from '@pressroom/common/failures/failure';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Publication, planOf, type ScheduleChange } from './publication.ts';

const NOW = new Date('2026-11-23T12:00:00Z');

const time = fc.integer({ min: -3, max: 3 }).map((hours) => new Date(NOW.getTime() + hours * 3_600_000));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(fc.option(value), { nil: undefined });

const change: fc.Arbitrary<ScheduleChange> = fc.record({
  is_published: fc.option(fc.boolean(), { nil: undefined }),
  publish_at: optional(time),
  unpublish_at: optional(time),
  release: optional(fc.constant('release')),
});

const draft = fc
  .record({
    is_published: fc.constant(false),
    published_at: fc.option(time),
    publish_at: fc.option(time),
    unpublish_at: fc.option(time),
    release: fc.option(fc.constant('release')),
  })
  .map((one): Publication => (one.release === null ? one : { ...one, publish_at: null }));

const article = fc.oneof(
  draft,
  fc.record({
    is_published: fc.constant(true),
    published_at: time,
    publish_at: fc.constant(null),
    unpublish_at: fc.option(time),
    release: fc.constant(null),
  }),
);

test('a plan is refused, or sets times that can be meant, at most one of time and release, and what was said', () => {
  fc.assert(
    fc.property(article, change, fc.option(time), (before, said, publish_at) => {
      let plan: Partial<Publication>;
      try {
        plan = planOf(before, said, { now: NOW, release: { publish_at } });
      } catch (error) {
        expect(error).toBeInstanceOf(Failure);
        return;
      }
      const after = { ...before, ...plan };
      if (said.is_published ?? before.is_published)
        expect([plan.publish_at ?? null, plan.release ?? null]).toEqual([null, null]);
      expect(after.publish_at === null || after.release === null).toBe(true);
      for (const name of ['publish_at', 'unpublish_at'] as const) {
        const set = plan[name];
        if (set != null) expect([name, set]).toEqual([name, said[name]]);
        if (set != null) expect(set.getTime()).toBeGreaterThanOrEqual(NOW.getTime());
      }
      const isDone = before.is_published && said.is_published === undefined;
      if (said.unpublish_at !== undefined) expect(after.unpublish_at).toBe(said.unpublish_at);
      if (said.release && !isDone) expect(after.release).toBe(said.release);
      const beginning = after.release === null ? after.publish_at : publish_at;
      const says = Object.values(plan).some((value) => value != null);
      if (says && !said.is_published && beginning !== null && after.unpublish_at !== null)
        expect(beginning.getTime()).toBeLessThan(after.unpublish_at.getTime());
    }),
    { numRuns: 2000 },
  );
});
