import type { StoryAssigner } from './story-assigner.ts';

/** Leaves every item without a story. */
export const noStories: StoryAssigner = { assign: async () => null };
