import { createHash } from 'node:crypto';
import { codePoints } from '@pressroom/common/fields/text';
import { parseJsonLine } from '@pressroom/common/files/json-lines';
import { z } from 'zod';

/** The longest excerpt that the service accepts, in characters (`docs/spec/content.md`, "Limits"). */
const MAX_EXCERPT = 500;

/** A line of the file; other members are ignored. */
const importLine = z.object({
  source: z.string().nullish(),
  title: z.string(),
  html: z.string(),
  excerpt: z.string().nullish(),
  byline: z.string().nullish(),
});

/** A parsed line: the body to post, and the name of the line's source. */
export interface ImportLine {
  source: string;
  /** Identifies this article permanently, so that importing it again creates nothing. */
  idempotencyKey: string;
  body: { title: string; content: string; excerpt: string | null; author?: string; is_published: true };
}

/** Parses a line, which is undefined if it is not UTF-8. Throws an error that says what is wrong with it. */
export function readImportLine(text: string | undefined, truncate: boolean): ImportLine {
  const parsed = importLine.safeParse(parseJsonLine(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join('.') || 'line'}: ${issue?.message}`);
  }
  const { source, title, html, excerpt, byline } = parsed.data;
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
      is_published: true,
    },
  };
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
