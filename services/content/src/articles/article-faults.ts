import type { FieldFault } from '@pressroom/common/failures/failure';
import { contentFaults } from '../html/content-faults.ts';
import type { HtmlInspector } from '../html/html-inspector.ts';
import type { Extra } from './extra.ts';
import type { ExtraSchema } from './extra-schema.ts';

/** The checks of articles' members that no schema of the API describes. */
export interface ArticleRules {
  inspector: HtmlInspector;
  extraSchema: ExtraSchema | undefined;
}

/** The members that are checked, as far as they are given. */
interface Checked {
  content?: string | undefined;
  extra?: Extra | null | undefined;
}

/**
 * Every error in the HTML and the `extra` of an article.
 *
 * @param owner the owner of the key that sent it: owners take turns
 * @throws Failure `unavailable` if too many articles are being inspected
 */
export async function articleFaults(
  { inspector, extraSchema }: ArticleRules,
  { content, extra }: Checked,
  owner: string,
): Promise<FieldFault[]> {
  const ofContent = content === undefined ? [] : await contentFaults(inspector, content, owner);
  return [...ofContent, ...(extra ? (extraSchema?.faults(extra) ?? []) : [])];
}
