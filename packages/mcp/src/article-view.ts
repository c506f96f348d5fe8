import { z } from 'zod';
import { visibleJson, wholeCharacters } from './data-frame.ts';
import { htmlText } from './html-text.ts';

/** The most characters of an article's body in one answer, as JSON. */
const MOST = 16_000;

/** The forms of a body. */
type Format = 'text' | 'html';

/** What is shown of the body of an article: in which form, and from where on. */
export function viewInput(usual: Format) {
  return {
    format: z.enum(['text', 'html']).default(usual).describe('text: without markup, a paragraph a line.'),
    offset: z.int().min(0).default(0).describe('Where to go on: content_next_offset of the answer before.'),
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
