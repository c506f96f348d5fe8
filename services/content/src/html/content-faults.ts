import type { FieldFault } from '@pressroom/common/failures/failure';
import type { HtmlInspector } from './html-inspector.ts';

/** The minimum number of characters of text in an article, not counting tags. */
export const MIN_CONTENT = 50;

/**
 * Every error in an article's `content`: that it is too short, and everything in it that is not allowed, with
 * its position.
 *
 * @param owner the owner of the key that sent it: owners take turns
 * @throws Failure `unavailable` if too many articles are being inspected
 */
export async function contentFaults(
  inspector: HtmlInspector,
  content: string,
  owner: string,
): Promise<FieldFault[]> {
  const inspection = await inspector.inspect(content, owner);
  if ('unfinished' in inspection) {
    const message = `cannot be checked ${inspection.unfinished}; simplify it or split it`;
    return [{ field: 'content', code: 'unsafe_html', message }];
  }
  const faults = inspection.faults.map(({ what, line, column }) => {
    const message = `${what} is not allowed (line ${line}, column ${column})`;
    return { field: 'content', code: 'unsafe_html', message };
  });
  if (inspection.characters === undefined || inspection.characters >= MIN_CONTENT) return faults;
  const message = `must have at least ${MIN_CONTENT} characters of text, not counting tags, and not only white space`;
  return [{ field: 'content', code: 'too_short', message }, ...faults];
}
