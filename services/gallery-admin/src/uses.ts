import { type ContentClient, ProblemError } from '@pressroom/client';
import { Failure } from '@pressroom/common/failures/failure';
import { operation } from '@pressroom/common/http/operation';
import type { Logger } from '@pressroom/common/log/logging';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GalleryConfig } from './config.ts';
import { contentFor } from './desk.ts';
import { objectKey } from './names.ts';
import { logWrite, problemResponses } from './problems.ts';
import type { GallerySettings } from './settings.ts';

const MAX_PATHS = 1000;

/** The body of the question which articles show files. */
const usesBody = z.strictObject({
  paths: z
    .array(objectKey, `must be a list of 1 to ${MAX_PATHS} paths`)
    .min(1, 'must contain at least one path')
    .max(MAX_PATHS, `must contain at most ${MAX_PATHS} paths`)
    .describe('Keys of files, and folders with "/" at their end.'),
});

const articleUse = z.object({ id: z.int(), title: z.string(), isPublished: z.boolean() });

type ArticleUse = z.infer<typeof articleUse>;

const uses = z.object({
  isKnown: z.boolean().describe('False if the content service is not configured, or does not answer.'),
  canChange: z.boolean().describe('True if the desk has a key for changing addresses.'),
  articles: z.array(articleUse).describe('Without a key, the published ones.'),
  hasMore: z.boolean().describe('True if there are more than 100.'),
});

type Uses = z.infer<typeof uses>;

/** The answer to the question which articles show files. */
const usesAnswer = z.object({ success: z.literal(true), data: uses });

/** The body of a change of addresses in articles. */
const moveUsesBody = z
  .strictObject({
    from: objectKey.describe('The former key of a file, or a folder with "/" at its end.'),
    to: objectKey.describe('Its key now.'),
  })
  .refine(
    ({ from, to }) => from.endsWith('/') === to.endsWith('/'),
    'from and to must both be folders, or both files',
  );

const change = z.object({
  changed: z.int().describe('The number of articles that were changed, up to 100.'),
  failed: z
    .array(z.object({ id: z.int(), title: z.string(), code: z.string(), message: z.string() }))
    .describe(
      'Articles that were not changed, or not everywhere, and why: `not_public` is an address that readers would lose.',
    ),
  hasMore: z.boolean().describe('True if there are more: send the request again.'),
});

type Change = z.infer<typeof change>;

/** The answer to a change of addresses in articles. */
const moveUsesAnswer = z.object({ success: z.literal(true), data: change });

const TAGS = ['gallery'];

/** Articles that show a file, and new addresses in them: additions to `docs/spec/gallery-admin.md`. */
export function usesOperations(articles: Articles, settings: GallerySettings) {
  return { read: readOperation(articles), move: moveOperation(articles, settings) };
}

function readOperation(articles: Articles) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'readUses',
      summary: 'Find the articles that show or link to files',
      description: 'Asks the content service of `CONTENT_URL` for addresses below `/media/`.',
      body: usesBody,
      response: { 200: usesAnswer, ...problemResponses(400, 401, 403, 413, 415, 500, 503) },
    },
    handler: async ({ body: { paths }, person }) => {
      return { success: true as const, data: await articles.showing(paths, person) };
    },
  });
}

function moveOperation(articles: Articles, settings: GallerySettings) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'moveUses',
      summary: 'Change the addresses of a moved or renamed file in articles',
      description:
        'With `DESK_KEY`, in the name of who is logged in. The request can be repeated. Addresses in public folders stay where the new ones would not be public.',
      body: moveUsesBody,
      response: { 200: moveUsesAnswer, ...problemResponses(400, 401, 403, 409, 413, 415, 500, 503) },
    },
    handler: async (request) => {
      const { from, to } = request.body;
      const { published } = await settings.current();
      const mayMove = (before: string, after: string) => published.has(after) || !published.has(before);
      const data = await articles.move({ from, to, mayMove }, request.person);
      logWrite(request, 'article_addresses_changed', {
        from,
        to,
        changed: data.changed,
        failed: data.failed.length,
      });
      return { success: true as const, data };
    },
  });
}

/** The most paths in one question, and the most bytes of a URL that they take, encoded. */
const MOST_PATHS = 100;
const MOST_BYTES = 6000;

/** The most articles that an answer names for each question, and that one request changes. */
const MOST_ARTICLES = 100;

/** The timeout of a question, and of each article that is changed, in ms. */
const TIMEOUT_MS = 5000;

/** Where a file or folder was, where it is, and which of its addresses follow. */
interface Move {
  from: string;
  to: string;
  /** Given the former key of a file and its key now. */
  mayMove: (before: string, after: string) => boolean;
}

type Asker = Pick<FastifyRequest['person'], 'id' | 'name'>;

/** The articles of the content service, as far as they show media of the gallery. */
export class Articles {
  readonly #config: Pick<GalleryConfig, 'CONTENT_URL' | 'DESK_KEY'>;
  readonly #log: Logger;

  constructor(config: Pick<GalleryConfig, 'CONTENT_URL' | 'DESK_KEY'>, log: Logger) {
    this.#config = config;
    this.#log = log;
  }

  get #hasKey(): boolean {
    return this.#config.DESK_KEY !== undefined;
  }

  #clientFor({ name, id: account }: Asker): ContentClient | undefined {
    return contentFor(this.#config, { name, scope: 'full', author: null, account });
  }

  /**
   * The articles with an address of one of these files, or of a file in one of these folders, which end with
   * `/`; without a key, the published ones. Not known if there is no content service, or no answer of it.
   */
  async showing(paths: readonly string[], person: Asker): Promise<Uses> {
    const client = this.#clientFor(person);
    const unknown = { isKnown: false, canChange: false, articles: [], hasMore: false };
    if (client === undefined) return unknown;
    try {
      const found = new Map<number, ArticleUse>();
      let hasMore = false;
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      for (const some of inQuestions(paths)) {
        const { data, meta } = await this.#ask(client, some, signal);
        hasMore ||= meta.total > data.length;
        for (const { id, title = '', is_published: isPublished = true } of data) {
          found.set(id, { id, title, isPublished });
        }
      }
      return { isKnown: true, canChange: this.#hasKey, articles: [...found.values()], hasMore };
    } catch (error) {
      this.#log.warn({ err: error }, 'articles_not_asked');
      return unknown;
    }
  }

  /**
   * Changes the addresses of a file, or of the files of a folder, in up to 100 articles.
   *
   * @throws Failure `conflict` without a content service or its key, `unavailable` if it does not answer
   */
  async move(move: Move, person: Asker): Promise<Change> {
    const client = this.#clientFor(person);
    if (client === undefined || !this.#hasKey) {
      throw new Failure('conflict', 'changing articles takes CONTENT_URL and DESK_KEY');
    }
    try {
      const { data, meta } = await this.#ask(client, [move.from], AbortSignal.timeout(TIMEOUT_MS));
      const failed: Change['failed'] = [];
      for (const { id, title = '' } of data) {
        const fault = await changeArticle(client, id, move);
        if (fault !== undefined) failed.push({ id, title, ...fault });
      }
      return { changed: data.length - failed.length, failed, hasMore: meta.total > data.length };
    } catch (error) {
      throw new Failure('unavailable', 'the articles could not all be changed; ask again', { cause: error });
    }
  }

  #ask(client: ContentClient, paths: readonly string[], signal: AbortSignal) {
    return client.get('/api/articles', {
      query: {
        media: paths.join('\n'),
        fields: 'id,title,is_published',
        per_page: MOST_ARTICLES,
        ...(this.#hasKey && { status: 'all' }),
      },
      signal,
    });
  }
}

/** The members that show media. */
const SHOWING = ['content', 'featured_image', 'social_image'] as const;

type Fault = Pick<Change['failed'][number], 'code' | 'message'>;

const UNUSUAL: Fault = { code: 'unusual_address', message: 'its address is spelled in an unusual way' };
const NOT_PUBLIC: Fault = {
  code: 'not_public',
  message: 'it keeps the former address: readers cannot open the new one, which is in no public folder',
};

/** Changes the addresses in an article; returns why one was left, if so. */
async function changeArticle(client: ContentClient, id: number, move: Move): Promise<Fault | undefined> {
  const path = { id };
  let isLeft = false;
  const mayMove: Move['mayMove'] = (before, after) => {
    const may = move.mayMove(before, after);
    isLeft ||= !may;
    return may;
  };
  const change = (text: string) => withMoved(text, { ...move, mayMove });
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { body, headers } = await client.request('get', '/api/articles/{id}', { path, signal });
    const changed = Object.fromEntries(
      SHOWING.flatMap((name) => {
        const { [name]: shown } = body.data;
        return shown == null || change(shown) === shown ? [] : [[name, change(shown)]];
      }),
    );
    if (Object.keys(changed).length === 0) return isLeft ? NOT_PUBLIC : UNUSUAL;
    const precondition = { 'if-match': headers.get('etag') ?? '' };
    const sending = { path, body: changed, headers: precondition, signal };
    if (body.data.is_published) await client.patch('/api/articles/{id}', sending);
    else await client.patch('/api/drafts/{id}', sending);
    return isLeft ? NOT_PUBLIC : undefined;
  } catch (error) {
    if (!(error instanceof ProblemError) || ![403, 404, 412, 422].includes(error.status)) throw error;
    // Gone, changed at this moment, or against a rule by now: the others can still be changed.
    return { code: error.code, message: error.detail };
  }
}

/** The paths in questions that fit into a URL. */
function inQuestions(paths: readonly string[]): string[][] {
  const questions: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const path of paths) {
    const size = encodeURIComponent(path).length + 3;
    const last = questions.at(-1);
    if (last === undefined || last.length === MOST_PATHS || bytes + size > MOST_BYTES) {
      questions.push([path]);
      bytes = size;
    } else {
      last.push(path);
      bytes += size;
    }
  }
  return questions;
}

/** The end of an address: marks before it belong to the HTML or CSS around it. */
const END = `(?=[',);]*(?:["<>?#\\s]|$))`;

/** The rest of an address below a folder; it is not consumed, for a list without spaces has more of them. */
const BELOW = `(?=([^"<>?#\\s]*))`;

/**
 * Changes the addresses of media in a text, HTML or a single address: those of the file `from`, or of all
 * files in the folder `from` if it ends with `/`, lead to `to` if they may. Their hosts, versions and queries
 * stay.
 */
export function withMoved(text: string, { from, to, mayMove }: Move): string {
  const spellings = [...new Set(spellingsOf(from))].map(escaped).join('|');
  const isFolder = from.endsWith('/');
  const address = new RegExp(
    `(/media/(?:v[0-9a-f]{12}/)?)(?:${spellings})${isFolder ? BELOW : `${END}()`}`,
    'g',
  );
  return text.replaceAll(address, (whole, start: string, rest: string) => {
    const below = decoded(rest);
    return mayMove(`${from}${below}`, `${to}${below}`) ? `${start}${encoded(to)}` : whole;
  });
}

/** A path as addresses may have it, as the filter `media` of the content service finds it. */
function spellingsOf(path: string): string[] {
  const spellings = [path, encodeURI(path), path.split('/').map(encodeURIComponent).join('/'), encoded(path)];
  const inLowerCase = spellings.map((one) => one.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()));
  return [...spellings, ...inLowerCase].flatMap((one) => [one, one.replaceAll('&', '&amp;')]);
}

/** A path in an address (RFC 3986: all but unreserved characters and `/` are percent-encoded). */
function encoded(path: string): string {
  return encodeURIComponent(path)
    .replaceAll('%2F', '/')
    .replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A path of an address as a key; a part of it that no key is spelled as stays. */
function decoded(path: string): string {
  const parts = path.replaceAll('&amp;', '&').split('/');
  return parts
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    })
    .join('/');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
