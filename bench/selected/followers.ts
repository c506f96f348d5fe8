import { setTimeout as delay } from 'node:timers/promises';
import type { BenchDatabase } from '../database.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { quantile } from '../quantile.ts';
import { type Copy, follow } from './mirror.ts';

const WRITERS = 8;
const WRITES_PER_SECOND = 500;
const FOLLOWERS = 50;
const DURATION_MS = 20_000;

/** The pause of a follower between two polls, in ms. */
const POLL_MS = 100;

const WRITTEN = 5000;

const SELECTED = 'select id, title from news.item where in_selected_set order by id';

/** Writes to selected items at a steady rate while followers poll, and counts what they miss. */
export async function measureFollowers(
  { pool }: BenchDatabase,
  port: number,
  items: number,
): Promise<Figure[]> {
  const { rows } = await pool.query(`${SELECTED} limit $1`, [WRITTEN]);
  const committedAt = new Map<string, number>();
  const lags: number[] = [];
  let [writing, writes, polls] = [true, 0, 0];

  const write = async (writer: number) => {
    const begin = performance.now();
    for (let write = 0; performance.now() - begin < DURATION_MS; write += 1) {
      const { id } = rows[(writer + WRITERS * write) % rows.length];
      const title = `Write ${write} of ${writer} to ${id}`;
      await pool.query('update news.item set title = $2 where id = $1', [id, title]);
      committedAt.set(title, performance.now());
      writes += 1;
      const ahead = (1000 * WRITERS * (write + 1)) / WRITES_PER_SECOND - (performance.now() - begin);
      if (ahead > 0) await delay(ahead);
    }
  };
  const poll = async (copy: Copy) => {
    polls += 1;
    await follow(port, copy, (changed) => {
      const now = performance.now();
      for (const { title } of changed) lags.push(now - (committedAt.get(title) ?? now));
    });
  };
  const followOn = async (copy: Copy) => {
    for (; writing; await delay(POLL_MS)) await poll(copy);
    await poll(copy);
  };

  const first: Copy = { titles: new Map() };
  await follow(port, first);
  const followers = Array.from({ length: FOLLOWERS }, () => ({ ...first, titles: new Map(first.titles) }));
  const following = Promise.all(followers.map(followOn));
  const began = performance.now();
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  const seconds = (performance.now() - began) / 1000;
  // For up to a second, answers may come from a cache that has not yet heard of the last write.
  await delay(1000);
  writing = false;
  await following;

  const truth = await pool.query(SELECTED);
  const lost = followers.flatMap(({ titles }) =>
    truth.rows.filter(({ id, title }) => titles.get(id) !== title),
  );
  const figure = figuresOf('news-feed', { rows: items });
  const what = `${FOLLOWERS} followers that poll every ${POLL_MS} ms, ${WRITERS} writers`;
  return [
    figure(what, 'writes', '/s', writes / seconds),
    figure(what, 'polls', '/s', polls / seconds),
    // From the commit of a write until a follower has it; includes the pause between polls.
    figure(what, 'commit to follower, p50', 'ms', quantile(lags, 0.5)),
    figure(what, 'commit to follower, p99', 'ms', quantile(lags, 0.99)),
    // Items whose last write a follower lacks after its last poll, summed over the followers.
    figure(what, 'lost', '', lost.length, 0),
  ];
}
