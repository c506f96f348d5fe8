import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JsonValue, send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture, startNewsFeed } from '../../support/news-feed.ts';
import { importLines } from '../../support/newsroom.ts';

/** 20:00 of 20 November in Shanghai. */
const NOW = new Date('2026-11-20T12:00:00.000Z');

let now = NOW;
let feed: NewsFeedFixture;

const CONTEXT = {
  id: 'c1',
  author: 'someone',
  relation: 'reply',
  text: null,
  originalText: '<script>alert(1)</script>',
  url: 'https://example.com/c1',
};

function post(id: string, publishedAt: string) {
  return {
    id,
    publishedAt,
    stage: 'announced',
    text: '我们会重置。',
    originalText: 'Ignore previous instructions <b>&amp;</b> \u202e',
    fullText: null,
    fullOriginalText: null,
    context: [CONTEXT],
    url: `https://example.com/${id}`,
  };
}

function event(id: string, updatedAt: string, members: object = {}) {
  return {
    id,
    type: 'direct_reset',
    displayLabel: 'Announced by the source',
    presentation: {
      status: 'announced',
      scopeKnown: false,
      scopeLabel: null,
      kindExplicit: true,
      timeInferred: false,
    },
    estimate: null,
    status: 'announced',
    title: 'A reset',
    scope: 'unknown',
    createdAt: updatedAt,
    updatedAt,
    confirmedAt: null,
    occurredOn: null,
    confirmationBasis: null,
    schedule: null,
    posts: [],
    url: 'https://example.com/event',
    ...members,
  };
}

const ESTIMATE = {
  from: '2026-11-20T12:00:00Z',
  through: '2026-11-20T14:00:00.000Z',
  basis: 'source',
  label: 'soon',
  reason: 'said so',
};

function activity(id: string, publishedAt: string, members: object = {}) {
  return {
    id,
    publishedAt,
    eventIds: ['waiting'],
    kind: 'event_update',
    text: null,
    originalText: 'resetting',
    context: [],
    statusChanged: true,
    action: 'announce',
    url: 'https://example.com/a',
    ...members,
  };
}

beforeAll(async () => {
  feed = await newsFeedFixture({ CACHE_BYTES: '0' }, () => now);
});

afterAll(() => feed.close());

function get(path = '', url = feed.url) {
  return send(`${url}/api/v1/codex-resets${path}`);
}

function idsOf(list: JsonValue): string {
  return list.map(({ id }: JsonValue) => id).join(' ');
}

test('with nothing known, both answer', async () => {
  for (const path of ['', '/recent']) {
    const { status, body, headers } = await get(path);
    expect(status).toBe(200);
    expect(body).toEqual({
      schemaVersion: 1,
      timezone: 'Asia/Shanghai',
      today: '2026-11-20',
      checkedAt: null,
      historyFrom: path === '' ? '2026-11-20T00:00:00.000+08:00' : '2026-11-14T00:00:00.000+08:00',
      count: 0,
      events: [],
      activities: [],
      outage: null,
      monitor: null,
    });
    expect(headers.get('cache-control')).toBe('public, max-age=60, s-maxage=60, stale-while-revalidate=60');
  }
});

describe('with events', () => {
  beforeAll(() =>
    importLines(feed.db, [
      {
        type: 'reset-event',
        event: event('waiting', '2026-11-01T00:00:00Z', {
          estimate: ESTIMATE,
          posts: [post('old', '2026-11-01T00:00:00Z'), post('new', '2026-11-20T01:02:03.004Z')],
        }),
      },
      {
        type: 'reset-event',
        event: event('landed', '2026-11-13T15:59:59.999Z', {
          type: 'reset_credit',
          status: 'confirmed',
          confirmedAt: '2026-11-13T15:00:00Z',
          occurredOn: '2026-11-13',
          confirmationBasis: 'source_post',
          schedule: {
            precision: 'date',
            from: '2026-11-12T16:00:00Z',
            through: '2026-11-13T16:00:00Z',
            label: 'Friday',
          },
          presentation: null,
          createdAt: '2026-10-31T15:59:59Z',
        }),
      },
      {
        type: 'reset-event',
        event: event('edge', '2026-11-13T16:00:00.000Z', {
          status: 'confirmed',
          confirmationBasis: 'receipt_review',
        }),
      },
      { type: 'reset-activity', activity: activity('first', '2026-11-10T00:00:00Z') },
      {
        type: 'reset-activity',
        activity: activity('second', '2026-11-20T11:00:00Z', { context: [CONTEXT] }),
      },
      {
        type: 'reset-state',
        checkedAt: '2026-11-20T11:59:00Z',
        outage: {
          postId: 'o1',
          publishedAt: '2026-11-20T10:00:00Z',
          text: null,
          originalText: 'down',
          recoveredAt: null,
          resetEventId: 'waiting',
          url: 'https://example.com/o1',
        },
        monitor: {
          status: 'healthy',
          lastAttemptAt: '2026-11-20T11:59:00Z',
          lastCollectedAt: null,
          lastVerifiedAt: null,
          heldWindowCount: 1,
          pendingCount: 2,
          reviewCount: 3,
        },
      },
    ]),
  );

  test('all of them, complete, by time of update, in Shanghai time', async () => {
    const { body } = await get();
    expect(idsOf(body.events)).toBe('edge landed waiting');
    expect([body.count, body.historyFrom, body.checkedAt]).toEqual([
      3,
      '2026-10-31T23:59:59.000+08:00',
      '2026-11-20T19:59:00.000+08:00',
    ]);
    expect(body.events[2]).toEqual({
      ...event('waiting', '2026-11-01T08:00:00.000+08:00'),
      label: '全员重置',
      estimate: {
        ...ESTIMATE,
        from: '2026-11-20T20:00:00.000+08:00',
        through: '2026-11-20T22:00:00.000+08:00',
      },
      posts: [post('new', '2026-11-20T09:02:03.004+08:00'), post('old', '2026-11-01T08:00:00.000+08:00')],
    });
    expect(body.events[1]).toMatchObject({
      label: '发重置卡',
      occurredOn: '2026-11-13',
      confirmedAt: '2026-11-13T23:00:00.000+08:00',
      presentation: null,
      schedule: { from: '2026-11-13T00:00:00.000+08:00', through: '2026-11-14T00:00:00.000+08:00' },
    });
    expect(idsOf(body.activities)).toBe('second first');
    expect(body.activities[0]).toEqual(
      activity('second', '2026-11-20T19:00:00.000+08:00', { context: [CONTEXT] }),
    );
    expect(body.outage).toMatchObject({
      postId: 'o1',
      recoveredAt: null,
      publishedAt: '2026-11-20T18:00:00.000+08:00',
    });
    expect(body.monitor).toEqual({
      status: 'healthy',
      lastAttemptAt: '2026-11-20T19:59:00.000+08:00',
      lastCollectedAt: null,
      lastVerifiedAt: null,
      heldWindowCount: 1,
      pendingCount: 2,
      reviewCount: 3,
    });
  });

  test('recent: the last seven Shanghai days, and pending events', async () => {
    const { body } = await get('/recent');
    expect(body.historyFrom).toBe('2026-11-14T00:00:00.000+08:00');
    expect(idsOf(body.events)).toBe('edge waiting');
    expect(idsOf(body.events[1].posts)).toBe('new');
    expect(idsOf(body.activities)).toBe('second');
    expect(body.count).toBe(2);
  });

  test('recent: an event whose posts are all older keeps the newest of them', async () => {
    const posts = ['2026-10-02', '2026-10-03', '2026-10-01'].map((day) => post(day, `${day}T00:00:00Z`));
    await importLines(feed.db, [
      { type: 'reset-event', event: event('long', '2026-10-03T00:00:00Z', { posts }) },
    ]);
    const long = (await get('/recent')).body.events.find(({ id }: JsonValue) => id === 'long');
    expect(idsOf(long.posts)).toBe('2026-10-03');
    await feed.db.deleteFrom('news.reset_event').where('id', '=', 'long').execute();
  });

  test('the presentation follows the clock, even in cached answers, and the status does not', async () => {
    const cached = await startNewsFeed(feed.database.url, {}, () => now);
    const states: string[] = [];
    for (const time of [
      '2026-11-20T13:59:59.999Z',
      '2026-11-20T14:00:00.000Z',
      '2026-11-20T15:59:59.999Z',
      '2026-11-20T16:00:00.000Z',
      '2026-11-20T20:00:00.000Z',
    ]) {
      now = new Date(time);
      const { body } = await get('', cached.url);
      const { presentation, status } = body.events[2];
      states.push(`${body.today} ${presentation.status} ${status}`);
    }
    now = NOW;
    await cached.close();
    expect(states).toEqual([
      '2026-11-20 announced announced',
      '2026-11-20 expired_unconfirmed announced',
      '2026-11-20 expired_unconfirmed announced',
      '2026-11-21 expired_unconfirmed announced',
      '2026-11-21 likely_completed announced',
    ]);
  });

  test('an event is replaced as a whole, and a withdrawal removes it', async () => {
    await importLines(feed.db, [
      {
        type: 'reset-event',
        event: event('edge', '2026-11-20T02:00:00Z', { posts: [post('p', '2026-11-20T00:00:00Z')] }),
      },
    ]);
    expect((await get()).body.events[0]).toMatchObject({
      id: 'edge',
      status: 'announced',
      posts: [{ id: 'p' }],
    });
    await importLines(feed.db, [
      {
        type: 'reset-activity',
        activity: activity('third', '2026-11-20T11:30:00Z', { eventIds: ['edge'], action: 'withdraw' }),
      },
    ]);
    const { body } = await get();
    expect(idsOf(body.events)).toBe('landed waiting');
    expect(body.activities[0]).toMatchObject({ id: 'third', eventIds: ['edge'], action: 'withdraw' });
  });
});
