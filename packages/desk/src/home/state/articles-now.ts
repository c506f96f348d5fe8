import type { Me } from '../../shared/state/me.ts';
import { type Draft, type HomeApi, type Planned, SHOWN, type Some } from '../api/home.ts';

/** The number of an author's drafts that are searched for unfinished ones. */
const LOOKED_AT = 50;

/** The articles that concern somebody. */
export interface ArticlesNow {
  /** The total, beyond the rows shown. */
  readonly count: number;
  /** True if only the person's own drafts count. */
  readonly isMine: boolean;
  readonly unfinished: Some<Draft>;
  readonly review: Some<Draft>;
  readonly planned: readonly Planned[];
}

const NONE = { some: [], hasMore: false };

/** Reads what a role has to do with: writers see their own, readers and photographers what is scheduled. */
export async function readArticles(api: HomeApi, me: Me): Promise<ArticlesNow> {
  const [count, planned] = await Promise.all([api.articleCount(), api.planned()]);
  const isEditor = me.may('edit');
  // Whoever writes for the first time has become an author with what was just asked.
  if (!isEditor && me.may('write') && me.profile.peek()?.authorId === null) await me.load();
  const responsible = me.profile.peek()?.authorId ?? undefined;
  const isMine = responsible !== undefined;
  if (!isEditor && !(isMine && me.may('write'))) {
    return { count, isMine, unfinished: NONE, review: NONE, planned };
  }
  const [drafts, submitted = NONE, approved = NONE] = await Promise.all([
    api.drafts(isMine ? { responsible } : {}, LOOKED_AT),
    ...(isEditor ? (['submitted', 'approved'] as const) : []).map((review) => api.drafts({ review }, SHOWN)),
  ]);
  const those = (...states: readonly Draft['state'][]): Some<Draft> => {
    const all = drafts.some.filter(({ state }) => states.includes(state));
    return { some: all.slice(0, SHOWN), hasMore: all.length > SHOWN || drafts.hasMore };
  };
  const review = [...submitted.some, ...approved.some];
  return {
    count,
    isMine,
    unfinished: those('draft', 'returned'),
    review: isEditor
      ? {
          some: review.slice(0, SHOWN),
          hasMore: review.length > SHOWN || submitted.hasMore || approved.hasMore,
        }
      : those('submitted', 'approved'),
    planned: isEditor ? planned : those('scheduled').some.map((draft) => ({ ...draft, isPublished: false })),
  };
}
