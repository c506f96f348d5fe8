import { withoutApiKeys } from '@pressroom/common/http/operation';
import {
  PROBLEM_MEDIA_TYPE,
  type ProblemDocument,
  problemDocumentSchema,
  problemResponsesOf,
} from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { namesType } from './proxy/thumbnails.ts';
import type { Deed } from './trail.ts';

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

/** The original API's clients read errors as JSON alone; others name problem documents. */
export function galleryMediaType({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return namesType(headers.accept, PROBLEM_MEDIA_TYPE) ? PROBLEM_MEDIA_TYPE : 'application/json';
}

/** The error responses of a route for its OpenAPI description, one entry per status. */
export function problemResponses<Status extends number>(...statuses: Status[]) {
  return problemResponsesOf(galleryProblemSchema, statuses, [PROBLEM_MEDIA_TYPE, 'application/json']);
}

/**
 * Logs what a request has changed, and keeps it in the trail. `written` names objects and settings, and holds
 * no secret.
 *
 * @param person who it was, where the request begins the session
 */
export function logWrite(
  request: FastifyRequest,
  event: string,
  written: object,
  person?: Deed['person'],
): void {
  request.log.info({ requestId: withoutApiKeys(request.id), ...written }, event);
  note(request, { action: event, object: written, person });
}

/** Notes for the trail what a request has done. */
export function note(request: FastifyRequest, deed: Deed): void {
  request.done = [...(request.done ?? []), deed];
}
