import { createHash } from 'node:crypto';
import { codePoints } from '@pressroom/common/fields/text';
import { parseJsonLine } from '@pressroom/common/files/json-lines';
import { z } from 'zod';

/** The longest excerpt that the service accepts, in characters (`docs/spec/content.md`, "Limits"). */
const MAX_EXCERPT = 500;

/** A member that an article has, but that no request can set. */
const unsettable = (instead: string) =>
  z.undefined({ error: `cannot be imported: ${instead}; take it out or name it in --ignore` });

/** Members that are posted as they are. */
const posted = {
  is_published: z.boolean().optional(),
  category_id: z.int().nullish(),
  featured_image: z.string().nullish(),
  alt_text: z.string().nullish(),
  meta_title: z.string().nullish(),
  meta_description: z.string().nullish(),
  canonical_url: z.string().nullish(),
  slug: z.string().optional(),
};

/** A line of the file. */
const importLine = z.strictObject({
  source: z.string().nullish(),
  title: z.string(),
  html: z.string(),
  excerpt: z.string().nullish(),
  byline: z.string().nullish(),
  ...posted,
  category: unsettable('give the id of a category that exists as category_id').optional(),
  published_at: unsettable('the service sets it at the first publication').optional(),
  created_at: unsettable('the service sets it').optional(),
  updated_at: unsettable('the service sets it').optional(),
});

/** A parsed line: the body to post, and the name of the line's source. */
export interface ImportLine {
  source: string;
  /** Identifies this article permanently, so that importing it again creates nothing. */
  idempotencyKey: string;
  body: ImportedArticle;
}

/** The body of a create. */
type ImportedArticle = Omit<z.infer<z.ZodObject<typeof posted>>, 'is_published'> & {
  title: string;
  content: string;
  excerpt: string | null;
  author?: string;
  is_published: boolean;
};

/** How lines are read. */
export interface LineOptions {
  /** Whether to shorten excerpts that are too long. */
  truncate: boolean;
  /** Members that the file has for other purposes. */
  ignore: readonly string[];
}

/** Parses a line, which is undefined if it is not UTF-8. Throws an error that says what is wrong with it. */
export function readImportLine(text: string | undefined, { truncate, ignore }: LineOptions): ImportLine {
  const parsed = importLine.safeParse(withoutMembers(parseJsonLine(text), ignore));
  if (!parsed.success) throw new Error(parsed.error.issues.map(explained).join('; '));
  const { source, title, html, excerpt, byline, is_published = true, ...rest } = parsed.data;
  const identity = createHash('sha256')
    .update(JSON.stringify([source ?? '', title, html]))
    .digest('base64url');
  return {
    source: source ?? '',
    idempotencyKey: `import-${identity}`,
    body: {
      title,
      content: html,
      excerpt: truncate && excerpt ? truncateAtWord(excerpt, MAX_EXCERPT) : (excerpt ?? null),
      // As published, a byline has the line breaks of the page's source.
      ...(byline && { author: byline.replaceAll(/\s+/g, ' ').trim() }),
      is_published,
      ...rest,
    },
  };
}

function withoutMembers(line: unknown, names: readonly string[]): unknown {
  if (typeof line !== 'object' || line === null || Array.isArray(line)) return line;
  return Object.fromEntries(Object.entries(line).filter(([name]) => !names.includes(name)));
}

function explained(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `unknown members: ${issue.keys.join(', ')}; take them out or name them in --ignore`;
  return `${issue.path.join('.') || 'line'}: ${issue.message}`;
}

/**
 * The longest prefix of `text` of at most `max` code points that ends with a whole word, if it contains one.
 */
export function truncateAtWord(text: string, max: number): string {
  if (codePoints(text) <= max) return text;
  const points = [...text];
  const beginning = points.slice(0, max).join('');
  if (/^\s/.test(points[max] ?? '')) return beginning.trimEnd();
  return beginning.replace(/(?<=\S)\s+\S*$/, '');
}
