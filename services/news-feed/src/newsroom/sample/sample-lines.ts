import { SHANGHAI } from '../../calendar.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import { SAMPLE_ITEMS, SAMPLE_REPORTS, type SampleItem } from './sample-news.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Hours between two single items, which makes three per day. */
const ITEM_HOURS = 8;

/** How old the reports of the stories are, in hours. */
const REPORT_HOURS = [1, 3, 5, 9, 70, 130];

/** How long after its publication an item is found, in hours. */
const FOUND_AFTER_HOURS = 0.5;

/** The lines of the sample, dated relative to `now`. */
export function sampleLines(vocabulary: Vocabulary, now: Date): object[] {
  const singles = SAMPLE_ITEMS.map((item, index) => itemLine(item, index, 2 + index * ITEM_HOURS));
  const reports = SAMPLE_REPORTS.map((item, index) => itemLine(item, index, REPORT_HOURS[index] ?? 1));
  return [...storyLines(), ...singles, ...reports, MERGE, ...resetLines(now)];

  function itemLine({ title, source, firstParty, story, ...rest }: SampleItem, index: number, age: number) {
    const { categories, directions } = vocabulary;
    return {
      type: 'item',
      id: `sample-${story === undefined ? 'item' : 'report'}-${index + 1}`,
      title,
      ...rest,
      source: { name: source, firstParty: firstParty === true },
      links: { original: `https://example.com/sample/${story ?? 'news'}/${index + 1}` },
      publishedAt: hoursBefore(now, age + FOUND_AFTER_HOURS),
      discoveredAt: hoursBefore(now, age),
      category: categories[index % categories.length],
      score: 90 - ((index * 7) % 40),
      // Every third stays outside the selected set, so that the modes differ.
      selected: index % 3 !== 2,
      ...(index % 3 !== 2 && { reason: 'Shows how a reason reads.' }),
      // Occasionally all of them, otherwise one after the other.
      directions: index % 5 === 4 ? directions : [directions[index % directions.length]],
      ...(story !== undefined && { story }),
    };
  }
}

const MERGE = { type: 'merge', from: 'lantern-2-rumour', into: 'lantern-2-release' };

function storyLines(): object[] {
  return [
    {
      type: 'story',
      publicId: 'lantern-2-release',
      title: 'Lantern 2, a reading assistant for libraries, is released',
      digest:
        'Lantern 2 runs on the computers that libraries have. Earlier reports named a licence fee; the release says that it is free.',
      storyline: [{ publicId: 'lantern-2-preview', relation: 'came before' }],
      related: [{ publicId: 'lending-models', relation: 'on the same question' }],
    },
    { type: 'story', publicId: 'lantern-2-rumour', title: 'A Lantern release may be near' },
    {
      type: 'story',
      publicId: 'lantern-2-preview',
      title: 'Forty libraries try a preview of Lantern 2',
      status: 'settled',
      storyline: [{ publicId: 'lantern-2-release', relation: 'came after' }],
    },
    { type: 'story', publicId: 'lending-models', title: 'Libraries want models that can be lent' },
  ];
}

function resetLines(now: Date): object[] {
  const event = announcedEvent(now);
  const [{ text, originalText, url }] = event.posts;
  const time = now.toISOString();
  return [
    { type: 'reset-event', event },
    { type: 'reset-event', event: confirmedEvent(now) },
    {
      type: 'reset-activity',
      activity: {
        id: 'sample-activity-1',
        publishedAt: event.createdAt,
        eventIds: [event.id],
        kind: 'event_update',
        text,
        originalText,
        context: [],
        statusChanged: true,
        action: 'announce',
        url,
      },
    },
    {
      type: 'reset-state',
      checkedAt: time,
      monitor: {
        status: 'healthy',
        lastAttemptAt: time,
        lastCollectedAt: time,
        lastVerifiedAt: time,
        heldWindowCount: 0,
        pendingCount: 0,
        reviewCount: 0,
      },
    },
  ];
}

/** A pending event. */
function announcedEvent(now: Date) {
  const announced = hoursBefore(now, 4);
  const post = {
    id: 'sample-post-1',
    publishedAt: announced,
    stage: 'announced',
    text: '我们会在今天之内重置所有用量。',
    originalText: 'We will reset all usage limits later today.',
    context: [],
    url: 'https://example.com/sample/posts/1',
  };
  return {
    id: 'sample-reset-1',
    type: 'direct_reset',
    displayLabel: 'Reset announced by the source',
    presentation: {
      reportedAt: announced,
      status: 'announced',
      scopeKnown: false,
      scopeLabel: null,
      kindExplicit: true,
      timeInferred: true,
    },
    estimate: {
      from: now.toISOString(),
      through: hoursBefore(now, -6),
      basis: 'source',
      label: 'later today',
      reason: 'The post says today.',
    },
    status: 'announced',
    title: 'Usage limits will be reset today',
    scope: 'not stated',
    createdAt: announced,
    updatedAt: announced,
    confirmedAt: null,
    occurredOn: null,
    confirmationBasis: null,
    schedule: null,
    posts: [post] as const,
    url: post.url,
  };
}

/** An event that happened three days ago. */
function confirmedEvent(now: Date): object {
  const time = hoursBefore(now, 72);
  const post = {
    id: 'sample-post-2',
    publishedAt: time,
    stage: 'confirmed',
    text: '重置卡已经发放。',
    originalText: 'Reset credits have been handed out.',
    context: [],
    url: 'https://example.com/sample/posts/2',
  };
  return {
    id: 'sample-reset-2',
    type: 'reset_credit',
    displayLabel: 'Reset credits, confirmed by the source',
    presentation: {
      status: 'confirmed',
      scopeKnown: true,
      scopeLabel: 'paid plans',
      kindExplicit: true,
      timeInferred: false,
    },
    estimate: null,
    status: 'confirmed',
    title: 'Reset credits were handed out',
    scope: 'paid plans',
    createdAt: time,
    updatedAt: time,
    confirmedAt: time,
    occurredOn: SHANGHAI.date(new Date(time)),
    confirmationBasis: 'source_post',
    schedule: null,
    posts: [post],
    url: post.url,
  };
}

function hoursBefore(now: Date, hours: number): string {
  return new Date(now.getTime() - hours * HOUR_MS).toISOString();
}
