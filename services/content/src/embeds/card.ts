import { decodeHTML } from 'entities';
import { z } from 'zod';
import type { FetchedPage } from './page-fetcher.ts';

/** A page in words: for sites that it cannot be shown in. */
export interface Card {
  readonly url: string;
  readonly title: string;
  readonly site: string;
  readonly text: string | null;
  readonly picture: string | null;
}

/** The longest texts, in characters. */
const MOST_TITLE = 300;
const MOST_TEXT = 500;
const MOST_SITE = 100;
const MOST_URL = 2000;

/** The most tags that are looked at, and the longest one, in characters: no page needs more. */
const MOST_TAGS = 500;
const MOST_TAG = 4096;

/** A name begins only where no other does, so that the work grows with the length alone. */
const ATTRIBUTE = /(?<![a-z:-])([a-z:-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** A card of what a page says of itself by Open Graph, or else by its title and description. */
export function cardOf(page: FetchedPage): Card {
  const html = textOf(page);
  const members = membersOf(html);
  const first = (...names: string[]) => names.map((name) => members.get(name)).find(Boolean);
  const { url } = page;
  return {
    url: url.href,
    title: cleaned(first('og:title', 'twitter:title') ?? titleOf(html), MOST_TITLE) || url.hostname,
    site: cleaned(first('og:site_name') ?? '', MOST_SITE) || url.hostname.replace(/^www\./, ''),
    text: cleaned(first('og:description', 'twitter:description', 'description') ?? '', MOST_TEXT) || null,
    picture: pictureAt(first('og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'), url),
  };
}

const oEmbedAnswer = z.object({
  title: z.string().optional().catch(undefined),
  author_name: z.string().optional().catch(undefined),
  thumbnail_url: z.string().optional().catch(undefined),
  html: z.string().optional().catch(undefined),
});

/** A card of the answer of a provider, and its HTML, in which an identifier may be looked for. */
export function cardOfOEmbed(
  { body }: FetchedPage,
  page: URL,
  provider: string,
): { card: Card; html: string } | undefined {
  const answer = oEmbedAnswer.safeParse(parsed(body.toString()));
  if (!answer.success) return undefined;
  const { title = '', author_name = '', thumbnail_url, html = '' } = answer.data;
  const [named, by] = [cleaned(title, MOST_TITLE), cleaned(author_name, MOST_TITLE)];
  const card = {
    url: page.href,
    title: named || by || provider,
    site: provider,
    text: named === '' ? null : by || null,
    picture: pictureAt(thumbnail_url, page),
  };
  return { card, html };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The text of a page in the encoding that it says, or else in UTF-8. */
function textOf({ headers, body }: FetchedPage): string {
  const beginning = body.subarray(0, 1024).toString('latin1');
  const named =
    /charset\s*=\s*["']?([\w-]+)/i.exec(headers['content-type'] ?? '') ??
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(beginning);
  const hasMark = body.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));
  try {
    return new TextDecoder(hasMark ? 'utf-8' : named?.[1]).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** The members of the page's `meta`, each as it is first said. */
function membersOf(html: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  const starts = /<meta\b/gi;
  for (let count = 0; count < MOST_TAGS && starts.exec(html) !== null; count += 1) {
    const tag = html.slice(starts.lastIndex, starts.lastIndex + MOST_TAG);
    const inside = /^(?:"[^"]*"|'[^']*'|[^'">])*/.exec(tag)?.[0] ?? '';
    starts.lastIndex += inside.length;
    const attributes = new Map(
      [...inside.matchAll(ATTRIBUTE)].map(([, name = '', ...values]) => [
        name.toLowerCase(),
        values.find((value) => value !== undefined) ?? '',
      ]),
    );
    const name = (attributes.get('property') ?? attributes.get('name') ?? '').toLowerCase();
    const content = attributes.get('content');
    if (name !== '' && content && !members.has(name)) members.set(name, content);
  }
  return members;
}

function titleOf(html: string): string {
  const start = html.search(/<title[\s>]/i);
  if (start === -1) return '';
  const title = html.slice(start, start + MOST_TAG).replace(/^<title[^>]*>/i, '');
  return title.replace(/<[\s\S]*$/, '');
}

/** A text without markup of characters, on one line, and not longer than it may be. */
function cleaned(text: string, most: number): string {
  const line = decodeHTML(text)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    // These would turn what stands around them.
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
  const characters = [...line.slice(0, 2 * most)];
  return characters.length > most
    ? `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
    : characters.join('');
}

/** Readers of a site with TLS see no picture without it. */
function pictureAt(address: string | undefined, base: URL): string | null {
  const url = address === undefined ? null : URL.parse(decodeHTML(address), base);
  return url?.protocol === 'https:' && url.username === '' && url.href.length <= MOST_URL ? url.href : null;
}
