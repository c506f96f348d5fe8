import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { Problem } from './problem.ts';

/** The media type of every error body (RFC 9457, section 3). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The body of every error, as the OpenAPI description shows it. */
export const problemDocumentSchema = z
  .object({
    type: z
      .string()
      .describe('Always `about:blank`: the status code defines the kind of problem.')
      .meta({ format: 'uri-reference' }),
    title: z.string().describe('The name of the HTTP status.'),
    status: z.int().meta({ minimum: 400, maximum: 599 }).describe('The HTTP status code.'),
    detail: z.string().describe('What went wrong and what to change.'),
    code: z.string().describe('A stable, machine-readable name of the problem.'),
    requestId: z.string().describe('The same as the X-Request-Id header; include it when asking for help.'),
    errors: z
      .array(z.object({ field: z.string(), code: z.string(), message: z.string() }))
      .optional()
      .describe('With validation_failed: every error in the body.'),
  })
  // A service may add members, and RFC 9457 tells clients to ignore those that they do not know.
  .meta({ id: 'Problem', additionalProperties: true });

/** A problem document as it is sent. */
export type ProblemDocument = z.infer<typeof problemDocumentSchema>;

/** Renders a problem as the document of RFC 9457 that `docs/spec/wire.md` describes. */
export function problemDocument(problem: Problem, requestId: string): ProblemDocument {
  return {
    type: 'about:blank',
    title: STATUS_CODES[problem.status] ?? 'Error',
    status: problem.status,
    detail: problem.detail,
    code: problem.code,
    requestId,
    ...(problem.errors && { errors: problem.errors }),
  };
}

/**
 * The error responses of a route for its OpenAPI description, one entry per status.
 *
 * @example response: { 200: articleSchema, ...problemResponses(404, 429) }
 */
export function problemResponses<Status extends number>(...statuses: Status[]) {
  return problemResponsesOf(problemDocumentSchema, statuses);
}

/** Like {@link problemResponses}, for a service whose problem documents have more members. */
export function problemResponsesOf<Schema extends z.ZodType, Status extends number>(
  schema: Schema,
  statuses: Status[],
  mediaTypes: readonly string[] = [PROBLEM_MEDIA_TYPE],
) {
  const response = (status: Status) => ({
    description: STATUS_CODES[status] ?? 'Error',
    content: Object.fromEntries(mediaTypes.map((type) => [type, { schema }])),
  });
  return Object.fromEntries(statuses.map((status) => [status, response(status)])) as Record<
    Status,
    ReturnType<typeof response>
  >;
}
