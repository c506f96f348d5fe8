import type { Submission, SubmissionSource } from '@pressroom/stories';

/** Noon of a day in Shanghai, when submissions come unless a test says otherwise. */
export const NOON = new Date('2026-11-20T04:00:00Z');

/** Members of a submission and of its source that a test sets. */
type Given = Partial<Omit<Submission, 'source'>> & { source?: Partial<SubmissionSource> };

/** An article as a judge gets it, from a source that nothing is said about. */
export function submission(title: string, { source, ...members }: Given = {}): Submission {
  return {
    title,
    summary: null,
    text: null,
    language: null,
    url: `https://source.example/${encodeURIComponent(title)}`,
    publishedAt: NOON,
    discoveredAt: NOON,
    ...members,
    source: {
      id: 1,
      name: 'Source',
      firstParty: false,
      weight: 1,
      category: null,
      directions: [],
      select: 'auto',
      ...source,
    },
  };
}
