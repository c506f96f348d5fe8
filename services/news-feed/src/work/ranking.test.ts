import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { heatOf, type Report, rankTopics } from './rank.ts';

const NOW = new Date('2026-11-20T12:00:00Z');

function report(source: string, hoursAgo = 0, firstParty = false): Report {
  const at = new Date(NOW.getTime() - hoursAgo * 3_600_000);
  return { itemId: `${source}-${hoursAgo}`, source, firstParty, at };
}

function heat(...reports: Report[]): number {
  return heatOf(reports, NOW).heat;
}

describe('a topic is hotter', () => {
  test('with more sources', () => {
    expect(heat(report('a'), report('b'))).toBeGreaterThan(heat(report('a')));
  });
  test('with a first-party source', () => {
    expect(heat(report('a', 0, true))).toBeGreaterThan(heat(report('a')));
  });
  test('with more reports from a source, but less so than with another source', () => {
    const [one, again, another] = [
      heat(report('a')),
      heat(report('a'), report('a', 0.001)),
      heat(report('a'), report('b')),
    ];
    expect(again).toBeGreaterThan(one);
    expect(another).toBeGreaterThan(again);
  });
  test('when it is newer: coverage halves in half a day', () => {
    expect(heatOf([report('a', 12)], NOW).coverage).toBe(0.5);
    expect(heatOf([report('a', 24, true)], NOW).coverage).toBe(0.375);
  });
});

test('the result lists the terms of a heat', () => {
  expect(heatOf([report('a', 12), report('b', 0, true), report('b', 36)], NOW)).toEqual({
    heat: 2.696159,
    coverage: 2,
    signals: expect.closeTo(0.5 * Math.log2(1 + 0.5 + 1 + 0.125), 5),
    sources: [
      { source: 'b', firstParty: true, ageHours: 0, weight: 1.5 },
      { source: 'a', firstParty: false, ageHours: 12, weight: 0.5 },
    ],
  });
});

test('a report dated after the ranking weighs like one published now', () => {
  expect(heat(report('a', -5))).toBe(heat(report('a')));
});

test('equal heats are ordered by newest report, then by smallest id', () => {
  const topics = [
    { id: 'c', reports: [report('a')] },
    { id: 'b', reports: [report('a')] },
    { id: 'd', reports: [report('a', -1)] },
  ];
  expect(rankTopics(topics, NOW).map(({ id }) => id)).toEqual(['d', 'b', 'c']);
});

test('the order in which topics and reports are read does not matter', () => {
  const reports = fc.array(
    fc.record({ source: fc.constantFrom('a', 'b', 'c'), hoursAgo: fc.nat(200), first: fc.boolean() }),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(fc.array(reports, { maxLength: 12 }), (lists) => {
      const topics = lists.map((list, index) => ({
        id: String(index),
        reports: list.map(({ source, hoursAgo, first }) => report(source, hoursAgo, first)),
      }));
      const reversed = topics.toReversed().map(({ id, reports }) => ({ id, reports: reports.toReversed() }));
      const ranks = (ranked: typeof topics) => rankTopics(ranked, NOW).map(({ id, heat }) => [id, heat]);
      expect(ranks(reversed)).toEqual(ranks(topics));
    }),
  );
});
