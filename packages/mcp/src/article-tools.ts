import { shallowHtml } from '@pressroom/common/html/shallow-html';
import { Parser } from 'htmlparser2';
import { z } from 'zod';
import { READING, type Readers, type Tool, tool, visibleJson, wholeCharacters } from './tool.ts';

/** The most characters of an article's body in one answer, as JSON. */
const MOST = 16_000;

type Format = 'text' | 'html';

/** Input that chooses the form in which the body of an article is shown, and its first character. */
export function viewInput(usual: Format) {
  return {
    format: z.enum(['text', 'html']).default(usual).describe('text: without markup, a paragraph a line.'),
    offset: z
      .int()
      .min(0)
      .default(0)
      .describe('The offset to go on from: content_next_offset of the previous answer.'),
  };
}

/** An article, as services answer with it. */
interface Article {
  content: string;
}

/** An article with a part of its body, and where the next part begins. */
export function viewOf(
  { content, ...article }: Article,
  { format, offset }: { format: Format; offset: number },
) {
  const body = format === 'html' ? content : htmlText(content);
  let part = wholeCharacters(body, offset, MOST);
  while (visibleJson(part).length > 2 * MOST) part = wholeCharacters(body, offset, part.length / 2);
  const end = offset + part.length;
  return {
    ...article,
    content: part,
    content_format: format,
    content_length: body.length,
    content_next_offset: end < body.length ? end : null,
  };
}

/** Elements that begin and end a line. */
const LINES =
  /^(?:p|div|h[1-6]|li|br|hr|tr|pre|ul|ol|dl|dt|dd|table|figure|figcaption|blockquote|section|article)$/;

/** Elements whose text is not for readers. */
const HIDDEN = /^(?:script|style|template|noscript|iframe)$/;

/** The text of HTML, a paragraph a line. Comments, scripts and styles are not in it. */
function htmlText(html: string): string {
  const parts: string[] = [];
  let hidden = 0;
  const edge = (name: string, inside: 1 | -1) => {
    if (HIDDEN.test(name)) hidden += inside;
    if (LINES.test(name)) parts.push('\n');
  };
  const parser = new Parser({
    ontext: (text) => void (hidden === 0 && parts.push(text)),
    onopentagname: (name) => edge(name, 1),
    onclosetag: (name) => edge(name, -1),
  });
  parser.end(shallowHtml(html));
  const lines = parts.join('').split('\n');
  return lines
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

const slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .max(100);

const pages = {
  page: z.int().min(1).max(1_000_000).default(1),
  per_page: z.int().min(1).max(50).default(20),
};

/** Tools for reading the published articles. */
export const ARTICLE_TOOLS: readonly Tool<Readers>[] = [
  tool({
    name: 'list_articles',
    title: 'Published articles',
    description: 'Lists or searches the published articles, with title, slug, excerpt, category and author.',
    annotations: READING,
    input: z.strictObject({
      q: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('Every word must be in the title, the excerpt or the text.'),
      category: slug.optional().describe('The slug of a category.'),
      tag: slug.optional().describe('The slug of a tag.'),
      author_slug: slug.optional().describe('The slug of an author.'),
      sort: z
        .enum(['newest', 'oldest', 'updated', 'relevance'])
        .optional()
        .describe('relevance is for searches.'),
      ...pages,
    }),
    run: async ({ content }, query, ending) => {
      const { data, meta } = await content.get('/api/articles', { ...ending, query });
      return { articles: data, meta };
    },
  }),
  tool({
    name: 'get_article',
    title: 'One published article',
    description: 'Reads a published article by its slug, as text or HTML, a part at a time.',
    annotations: READING,
    input: z.strictObject({ slug, ...viewInput('text') }),
    run: async ({ content }, { slug: name, ...view }, ending) => {
      const request = { ...ending, path: { slug: name }, query: { include: 'tags,authors' } };
      const { data } = await content.get('/api/articles/by-slug/{slug}', request);
      return { article: viewOf(data, view) };
    },
  }),
  tool({
    name: 'list_categories',
    title: 'Categories of articles',
    description: 'Lists the categories of articles, with how many published articles each has.',
    annotations: READING,
    input: z.strictObject({}),
    run: async ({ content }, _input, ending) => {
      const { data } = await content.get('/api/categories', ending);
      return { categories: data };
    },
  }),
  tool({
    name: 'list_tags',
    title: 'Tags of articles',
    description: 'Lists the tags of articles, with how many published articles each has.',
    annotations: READING,
    input: z.strictObject(pages),
    run: async ({ content }, query, ending) => {
      const { data, meta } = await content.get('/api/tags', { ...ending, query });
      return { tags: data, meta };
    },
  }),
  tool({
    name: 'list_authors',
    title: 'Authors of articles',
    description: 'Lists the authors of articles, with how many published articles each has.',
    annotations: READING,
    input: z.strictObject(pages),
    run: async ({ content }, query, ending) => {
      const { data, meta } = await content.get('/api/authors', { ...ending, query });
      return { authors: data, meta };
    },
  }),
];
