import type { Judge } from '@pressroom/news-feed/grouping/judging';
import type { StoryAssigner } from '@pressroom/news-feed/grouping/story-assigner';
import type { Judgement, Submission } from '@pressroom/stories';

/** The score of a source of ordinary weight. */
const ORDINARY_SCORE = 50;

/**
 * A judge that knows nothing but the source: its category, its directions, a score from its weight alone
 * and its select rule, where `auto` selects nothing.
 */
export const sourceJudge: Judge = {
  async judge({ source }: Submission): Promise<Judgement> {
    const score = Math.min(100, ORDINARY_SCORE * source.weight);
    const selected =
      typeof source.select === 'object' ? score >= source.select.minScore : source.select === 'all';
    return {
      category: source.category,
      directions: source.directions,
      score,
      terms: [{ name: 'source', points: score, note: `weight ${source.weight}` }],
      selected,
      reason: null,
    };
  },
  keep: async () => undefined,
};

/** Leaves every item without a story. */
export const noStories: StoryAssigner = {
  assign: (_tx, _items, _now, insert) => insert(() => null),
  renew: async () => undefined,
};
