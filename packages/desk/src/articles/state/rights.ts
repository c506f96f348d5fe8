import type { Me } from '../../shared/state/me.ts';
import type { Article } from '../api/types.ts';

/** As far as is known, a writer may change drafts that are theirs, or assigned to them. */
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
