import type { FieldFault } from '@pressroom/common/failures/failure';
import type { HtmlInspector } from './html-inspector.ts';

/** The fewest characters of text, tags aside, that an article has. */
export const MIN_CONTENT = 50;

/**
 * Every fault of an article's `content`: that it is too short, and what in it is not allowed, with its place.
 *
 * @param owner whose article it is: owners take turns
 * @throws Failure `unavailable` when too many articles are being inspected
 */
export async function contentFaults(
  inspector: HtmlInspector,
  content: string,
  owner: string,
): Promise<FieldFault[]> {
  const inspection = await inspector.inspect(content, owner);
  if ('unfinished' in inspection) {
    const message = `cannot be checked ${inspection.unfinished}; make it simpler, or split it`;
    return [{ field: 'content', code: 'unsafe_html', message }];
  }
  const faults = inspection.faults.map(({ what, line, column }) => {
    const message = `${what} is not allowed (line ${line}, column ${column})`;
    return { field: 'content', code: 'unsafe_html', message };
  });
  if (inspection.characters === undefined || inspection.characters >= MIN_CONTENT) return faults;
  const message = `must hold at least ${MIN_CONTENT} characters of text, tags aside`;
  return [{ field: 'content', code: 'too_short', message }, ...faults];
}
