import { randomUUID } from 'node:crypto';
import { type ContentClient, isProblem } from '@pressroom/client';
import { z } from 'zod';
import { viewInput, viewOf } from './article-tools.ts';
import { ADDING, CHANGING, type Ending, READING, type Tool, tool } from './tool.ts';

const id = z.int().min(1);

const version = z
  .string()
  .min(1)
  .max(300)
  .describe(
    'The version that get_draft or the last write answered with: what changed since is not overwritten.',
  );

const line = z.string().max(2000).nullable().optional();

/** Members of an article that can be written. */
const members = {
  excerpt: line,
  category_id: id.nullable().optional(),
  featured_image: line.describe('A URL.'),
  alt_text: line,
  meta_title: line,
  meta_description: line,
  canonical_url: line,
  social_title: line,
  social_description: line,
  social_image: line.describe('A URL.'),
  slug: z.string().max(100).optional(),
  tags: z.array(z.string().max(100)).max(50).optional().describe('Slugs of tags that exist.'),
  authors: z.array(z.string().max(100)).max(20).optional().describe('Slugs of authors that exist.'),
};

const title = z.string().min(1).max(500);
const html = z.string().min(1).max(1_000_000).describe('HTML, with at least 50 characters of text.');

const time = z.string().max(40).nullable().optional().describe('RFC 3339, in the future.');

/** Tools for writing with the caller's key, within its scope. */
export const WRITING_TOOLS: readonly Tool<ContentClient>[] = [
  tool({
    name: 'list_drafts',
    title: 'Drafts',
    description: 'Lists the articles that are not published, those changed last first.',
    annotations: READING,
    input: z.strictObject({
      page: z.int().min(1).max(1_000_000).default(1),
      per_page: z.int().min(1).max(50).default(20),
    }),
    run: async (content, paging, ending) => {
      const query = { ...paging, status: 'draft', sort: 'updated', include: 'schedule' } as const;
      const { data, meta } = await content.get('/api/articles', { ...ending, query });
      return { articles: data, meta };
    },
  }),
  tool({
    name: 'get_draft',
    title: 'An article to edit',
    description:
      'Reads an article, published or not, to change it: with its version, its schedule, and the changes that wait in its working copy.',
    annotations: READING,
    input: z.strictObject({ id, ...viewInput('html') }),
    run: async (content, { id: number, ...view }, ending) => {
      const path = { id: number };
      const query = { include: 'tags,authors,extra,schedule' };
      const read = content.request('get', '/api/articles/{id}', { ...ending, path, query });
      const [{ body, headers }, copy] = await Promise.all([read, workingCopy(content, number, ending)]);
      const waiting = copy && { ...copy.body.data, changes: shownChanges(copy.body.data.changes, view) };
      return {
        version: headers.get('etag'),
        article: viewOf(body.data, view),
        working_copy: waiting ?? null,
      };
    },
  }),
  tool({
    name: 'create_draft',
    title: 'Create a draft',
    description: 'Creates an article that no reader sees. It needs a key with the scope write.',
    annotations: ADDING,
    input: z.strictObject({
      title,
      content: html,
      ...members,
      request_id: z
        .string()
        .regex(/^[\x21-\x7e]{1,255}$/)
        .optional()
        .describe('Name the request, and it can be repeated without creating a second draft.'),
    }),
    run: async (content, { request_id: idempotencyKey = randomUUID(), ...body }, ending) => {
      const sending = { ...ending, idempotencyKey, body: { ...body, is_published: false } };
      return written(await content.request('post', '/api/articles', sending));
    },
  }),
  tool({
    name: 'update_draft',
    title: 'Change a draft or a working copy',
    description:
      'Changes a draft; of a published article, keeps the changes in its working copy, which no reader sees until publish_article. What is not named stays. It needs a key with the scope write.',
    annotations: CHANGING,
    input: z.strictObject({ id, version, title: title.optional(), content: html.optional(), ...members }),
    run: async (content, { id: number, version: seen, ...changes }, ending) => {
      const path = { id: number };
      if (!(await isPublished(content, number, ending))) {
        const sending = { ...ending, path, body: changes, headers: { 'if-match': seen } };
        return written(await content.request('patch', '/api/articles/{id}', sending));
      }
      const copy = await workingCopy(content, number, ending);
      const { data } = await content.put('/api/articles/{id}/working-copy', {
        ...ending,
        path,
        body: { ...copy?.body.data.changes, ...changes },
        headers: copy ? { 'if-match': copy.headers.get('etag') ?? '*' } : { 'if-none-match': '*' },
      });
      return { version: seen, working_copy: { ...data, changes: Object.keys(data.changes) } };
    },
  }),
  tool({
    name: 'publish_article',
    title: 'Publish an article',
    description:
      'Shows a draft, or the working copy of a published article, to readers. It needs a key with the scope publish.',
    annotations: CHANGING,
    input: z.strictObject({ id, version }),
    run: async (content, { id: number, version: seen }, ending) => {
      const sending = { ...ending, path: { id: number }, headers: { 'if-match': seen } };
      if (await isPublished(content, number, ending)) {
        return written(await content.request('post', '/api/articles/{id}/working-copy/publish', sending));
      }
      const body = { is_published: true };
      return written(await content.request('patch', '/api/articles/{id}', { ...sending, body }));
    },
  }),
  tool({
    name: 'schedule_article',
    title: 'Plan when an article is published',
    description:
      'Plans when a draft is published or a published article becomes a draft again; null cancels. It needs a key with the scope publish.',
    annotations: CHANGING,
    input: z.strictObject({
      id,
      version,
      publish_at: time,
      unpublish_at: time,
    }),
    run: async (content, { id: number, version: seen, ...body }, ending) => {
      const sending = { ...ending, path: { id: number }, body, headers: { 'if-match': seen } };
      return written(await content.request('patch', '/api/articles/{id}', sending));
    },
  }),
];

/** The answer of a write, with the version for the next one. */
function written({ body, headers }: { body: { data: object }; headers: Headers }) {
  return { version: headers.get('etag'), article: body.data };
}

async function isPublished(content: ContentClient, number: number, ending: Ending): Promise<boolean> {
  const { data } = await content.get('/api/articles/{id}', { ...ending, path: { id: number } });
  return data.is_published;
}

/** The working copy of an article; undefined if it has none. */
async function workingCopy(content: ContentClient, number: number, ending: Ending) {
  const sending = { ...ending, path: { id: number } };
  return content.request('get', '/api/articles/{id}/working-copy', sending).catch((error: unknown) => {
    if (isProblem(error, 'not_found')) return undefined;
    throw error;
  });
}

/** The changes of a working copy, its body like that of an article. */
function shownChanges(changes: Record<string, unknown>, view: Parameters<typeof viewOf>[1]) {
  const { content, ...rest } = changes;
  return typeof content === 'string' ? { ...rest, ...viewOf({ content }, view) } : rest;
}
