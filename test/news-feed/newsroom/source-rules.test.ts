import { Reader } from '@pressroom/news-feed/reading/reader';
import { droppedEntries, editSource } from '@pressroom/news-feed/reading/sources';
import { editEntries } from '@pressroom/news-feed/work/edit-entries';
import { pollSource } from '@pressroom/news-feed/work/poll-source';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { rss } from '../../support/feed-host.ts';
import { sourceJudge } from '../../support/plain-newsroom.ts';
import { type Desk, openDesk } from '../../support/polling.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterEach(() => desk.clear());
afterAll(() => desk.close());

test('the rules of a source drop, categorise and score, and other rules may keep what was dropped', async () => {
  const drop = 'drop if title ~ /sponsored/i';
  const judged: (number | undefined)[] = [];
  const judge: typeof sourceJudge.judge = (submission, signal) => {
    judged.push(submission.source.points);
    return sourceJudge.judge(submission, signal);
  };
  const ruled = desk.with({ judge: { ...sourceJudge, judge } });
  const entries = [
    { guid: 'a', title: 'SPONSORED: a car' },
    { guid: 'b', title: 'The final' },
  ];
  desk.host.set('/feed', { body: rss(entries) });
  const rules = [drop, 'set category product if title ~ /final/', 'score +10 if any ~ /final/'];
  const id = await desk.add('/feed', { rules });
  await ruled.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'The final', category: 'product' }]);
  expect(judged).toEqual([10]);
  expect(await droppedEntries(desk.db, id)).toMatchObject([{ title: 'SPONSORED: a car', rule: drop }]);
  // An item stays one, whatever its source makes of its entry.
  desk.host.set('/feed', { body: rss([...entries.slice(0, 1), { guid: 'b', title: 'Sponsored final' }]) });
  await ruled.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'The final' }]);
  await editSource(desk.db, id, { rules: [] }, desk.now.value);
  desk.host.set('/feed', { body: rss([]) });
  for (const reads of [1, 2, 3]) {
    await ruled.poll(id);
    expect(await desk.source(id)).toMatchObject({ empty_reads: reads });
  }
  expect((await desk.items()).map(({ title }) => title)).toEqual(['SPONSORED: a car', 'Sponsored final']);
});

test('a rule that takes too long is switched off with its reason, and the others go on', async () => {
  const words = 'ab ba a b '.repeat(25);
  const body = rss([
    { guid: 'a', title: `Sponsored ${words}` },
    { guid: 'b', title: `News ${words}` },
  ]);
  desk.host.set('/feed', { body });
  const sponsored = 'drop if title ~ /sponsored/i';
  // As one that was saved before patterns had a bound.
  const slow = 'score +10 if any ~ /(?:(?:a|b|ab| ){0,30}){0,30}[xy]\\d/';
  const id = await desk.add('/feed', { rules: [slow, sponsored] });
  await desk.poll(id);
  expect((await desk.items()).map(({ title }) => title)).toEqual([`News ${words}`.trim()]);
  expect(await desk.source(id)).toMatchObject({
    rules: [slow, sponsored],
    stopped_rules: [{ rule: slow, reason: expect.stringContaining('takes too long'), code: 'rule_too_slow' }],
  });

  await editSource(desk.db, id, { rules: [sponsored] }, desk.now.value);
  expect(await desk.source(id)).toMatchObject({ stopped_rules: [] });
});

test('a rule that exceeds the computing time of its thread is switched off', async () => {
  const reader = new Reader({ cpuMs: 1 });
  onTestFinished(() => reader.close());
  const entries = Array.from({ length: 25 }, (_, index) => ({
    guid: `${index}`,
    description: `${index} ${'ab ba a b '.repeat(59)}`,
    link: desk.host.at(`/${'abba'.repeat(450)}/${index}`),
  }));
  desk.host.set('/feed', { body: rss(entries) });
  const slow = 'drop if any ~ /(?:(?:a|b|ab| ){0,11}){0,11}[xy]\\d/';
  const id = await desk.add('/feed', { rules: [slow] });
  await pollSource(desk.parts, id, new AbortController().signal);
  await editEntries({ ...desk.parts, reader }, id, new AbortController().signal);
  expect(await desk.items()).toHaveLength(25);
  expect(await desk.source(id)).toMatchObject({
    stopped_rules: [{ rule: slow, reason: expect.stringContaining('of computing'), code: 'rule_too_slow' }],
  });
});
