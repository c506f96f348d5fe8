import { createHash } from 'node:crypto';
import { codePoints } from '@pressroom/common/fields/text';
import { parseJsonLine } from '@pressroom/common/files/json-lines';
import { z } from 'zod';

/** The longest excerpt that the service takes, in characters (`docs/spec/content.md`, "Limits"). */
const MAX_EXCERPT = 500;

/** A line of the file; other members are passed over. */
const importLine = z.object({
  source: z.string().nullish(),
  title: z.string(),
  html: z.string(),
  excerpt: z.string().nullish(),
  byline: z.string().nullish(),
});

/** A line that was read: what is posted, and what the line calls itself. */
export interface ImportLine {
  source: string;
  /** Names this article for good, so that importing it again creates nothing. */
  idempotencyKey: string;
  body: { title: string; content: string; excerpt: string | null; author?: string; is_published: true };
}

/** Reads a line, undefined when it is not UTF-8. Throws an error whose message says what is wrong with it. */
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
      ...(byline && { author: byline }),
      is_published: true,
    },
  };
}

/** The longest beginning of `text` of at most `max` code points that ends with a whole word, if it holds one. */
export function truncateAtWord(text: string, max: number): string {
  if (codePoints(text) <= max) return text;
  const points = [...text];
  const beginning = points.slice(0, max).join('');
  if (/^\s/.test(points[max] ?? '')) return beginning.trimEnd();
  return beginning.replace(/(?<=\S)\s+\S*$/, '');
}
