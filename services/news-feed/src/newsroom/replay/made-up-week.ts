import { hash } from 'node:crypto';
import type { Fetch } from '../fetching/web-fetcher.ts';

/** An article of the made-up week, as one source tells it. */
interface Article {
  guid: string;
  title: string;
  /** The title from an hour after its publication on, if the source edits it. */
  laterTitle: string | undefined;
  link: string;
  at: number;
}

/** How many entries a feed lists. */
const LISTED = 20;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The address of a made-up source; nothing listens there. */
export function madeUpFeed(source: number): string {
  return `https://source-${source}.invalid/feed.xml`;
}

/**
 * Feeds of a week that never was, the same each time: every source has two to eight articles a day, a fifth
 * of them about an event that other sources report on too, some of them under the same address, and edits a
 * tenth of them an hour later. A feed lists the articles up to the time of the clock.
 */
export function madeUpWeek(sources: number, days: number, begin: Date, clock: () => Date): Fetch {
  const feeds = new Map(
    Array.from({ length: sources }, (_, source) => [madeUpFeed(source), articlesOf(source, days, begin)]),
  );
  return async (url, headers) => {
    const articles = feeds.get(url) ?? [];
    const body = Buffer.from(feedOf(url, articles, clock().getTime()));
    const etag = `"${hash('sha256', body)}"`;
    const unchanged = headers['if-none-match'] === etag;
    return {
      status: unchanged ? 304 : 200,
      url,
      movedTo: undefined,
      headers: { etag, 'content-type': 'application/rss+xml' },
      body: unchanged ? Buffer.alloc(0) : body,
    };
  };
}

function articlesOf(source: number, days: number, begin: Date): Article[] {
  return Array.from({ length: days }, (_, day) => {
    const articles = 2 + pick(7, 'number', source, day);
    return Array.from({ length: articles }, (_, index): Article => {
      const isShared = pick(5, 'shared', source, day, index) === 0;
      const event = pick(20, 'event', source, day, index);
      const name = isShared ? `event-${day}-${event}` : `${source}-${day}-${index}`;
      const isCopy = isShared && pick(2, 'copy', source, day, index) === 0;
      const isEdited = pick(10, 'edited', source, day, index) === 0;
      return {
        guid: `${source}-${day}-${index}`,
        title: titleOf(name),
        laterTitle: isEdited ? `${titleOf(name)}, corrected` : undefined,
        link: isCopy
          ? `https://events.invalid/${name}?utm_source=${source}`
          : `https://source-${source}.invalid/${name}-${index}`,
        at: begin.getTime() + day * DAY_MS + pick(DAY_MS, 'time', source, day, index),
      };
    });
  }).flat();
}

function feedOf(url: string, articles: readonly Article[], now: number): string {
  const listed = articles
    .filter(({ at }) => at <= now)
    .sort((a, b) => b.at - a.at)
    .slice(0, LISTED);
  const items = listed.map(({ guid, title, laterTitle, link, at }) => {
    const shown = laterTitle !== undefined && at + HOUR_MS <= now ? laterTitle : title;
    const date = new Date(at).toUTCString();
    return `<item><guid isPermaLink="false">${guid}</guid><title>${shown}</title><link>${link}</link><description>What ${shown} says.</description><pubDate>${date}</pubDate></item>`;
  });
  return `<rss version="2.0"><channel><title>${new URL(url).host}</title>${items.join('')}</channel></rss>`;
}

/** A distinct title for each event: two names, a number and what happened. */
function titleOf(event: string): string {
  const word = (place: number) => wordOf(pick(40_000, 'word', event, place));
  const name = (place: number) => word(place).replace(/^./, (letter) => letter.toUpperCase());
  return `${name(0)} ${word(1)} ${pick(5000, 'number', event)} ${word(2)} ${word(3)} ${name(4)}`;
}

const SYLLABLES = 'ba do fi gu ke la mo ni pu re sa to vi wu ze'.split(' ');

/** An invented word, from its number. */
function wordOf(number: number): string {
  let [rest, word] = [number, ''];
  do {
    word += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  } while (rest > 0);
  return `${word}n`;
}

/** A whole number below `below`, the same for the same key. */
function pick(below: number, ...key: (string | number)[]): number {
  return hash('sha256', key.join(' '), 'buffer').readUInt32BE() % below;
}
