import { z } from 'zod';
import { READING } from './annotations.ts';
import { viewInput, viewOf } from './article-view.ts';
import type { Readers } from './services.ts';
import { type Tool, tool } from './tool.ts';

const slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .max(100);

const pages = {
  page: z.int().min(1).max(1_000_000).default(1),
  per_page: z.int().min(1).max(50).default(20),
};

/** What a model can read of the published articles. */
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
