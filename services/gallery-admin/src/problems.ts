import {
  type ProblemDocument,
  problemDocumentSchema,
  problemResponsesOf,
} from '@pressroom/common/problems/problem-document';
import { z } from 'zod';

/** The body of every error: a problem document that clients of the original API can also read. */
const galleryProblemSchema = problemDocumentSchema
  .extend({
    success: z.literal(false),
    message: z.string().describe('The same text as detail.'),
  })
  .meta({ id: 'GalleryProblem' });

/** The members that problem documents of the gallery administration have in addition to the common ones. */
export function galleryMembers({ detail }: ProblemDocument) {
  return { success: false as const, message: detail };
}

/** The error responses of a route for its OpenAPI description, one entry per status. */
export function problemResponses<Status extends number>(...statuses: Status[]) {
  return problemResponsesOf(galleryProblemSchema, statuses);
}
