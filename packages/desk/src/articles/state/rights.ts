import type { Me } from '../../shared/state/me.ts';
import type { Article } from '../api/types.ts';

/** Whether somebody may change an article: a writer may if it is a draft of theirs, or assigned to them,
 * as far as is known. */
export function mayChange(me: Me, article: Article | undefined): boolean {
  if (me.may('edit')) return true;
  const own = me.profile.value?.authorId ?? null;
  const isOwn =
    own === null ||
    article?.authors === undefined ||
    article.authors.some(({ id }) => id === own) ||
    article.assignee?.id === own;
  return me.may('write') && isOwn && article?.is_published !== true;
}
