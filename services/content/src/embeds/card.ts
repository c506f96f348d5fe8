import { decodeDocument } from '@pressroom/common/html/decode';
import { decodeHTML } from 'entities';
import { Parser } from 'htmlparser2';
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

/** A card of what a page says of itself by Open Graph, or else by its title and description. */
export function cardOf(page: FetchedPage): Card {
  const members = membersOf(page);
  const first = (...names: string[]) => names.map((name) => members.get(name)).find(Boolean);
  const { url } = page;
  return {
    url: url.href,
    title: cleaned(first('og:title', 'twitter:title', 'title') ?? '', MOST_TITLE) || url.hostname,
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
  const [named, by] = [cleaned(decodeHTML(title), MOST_TITLE), cleaned(decodeHTML(author_name), MOST_TITLE)];
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

/** The members of the page's `meta` and its `title`, each as it is first said. */
function membersOf({ headers, body }: FetchedPage): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let title: string | undefined;
  const parser = new Parser({
    onopentag: (name, { property, name: called = '', content = '' }) => {
      if (name === 'title') title = '';
      const member = (property ?? called).toLowerCase();
      if (name === 'meta' && content !== '' && !members.has(member)) members.set(member, content);
    },
    ontext: (text) => {
      if (title !== undefined) title += text;
    },
    onclosetag: (name) => {
      if (name !== 'title' || title === undefined) return;
      if (!members.has('title')) members.set('title', title);
      title = undefined;
    },
  });
  // The beginning of a long page may end within a character.
  const whole = body.subarray(0, body.lastIndexOf('>') + 1);
  parser.end(decodeDocument(whole, headers['content-type']));
  return members;
}

/** A text on one line, and not longer than it may be. */
function cleaned(text: string, most: number): string {
  const line = text
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
  const url = address === undefined ? null : URL.parse(address, base);
  return url?.protocol === 'https:' && url.username === '' && url.href.length <= MOST_URL ? url.href : null;
}
