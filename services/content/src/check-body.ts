import { Failure, type FieldFault, invalid } from '@pressroom/common/failures/failure';
import { validationProblem } from '@pressroom/common/problems/validation-errors';
import type { FastifyRequest } from 'fastify';
import { contentFaults } from './html/content-faults.ts';
import type { HtmlInspector } from './html/html-inspector.ts';
import { ownerOf } from './senders.ts';

/**
 * Checks the body of an article write against its schema, checks its HTML, and reports all errors together.
 * The operation has `attachValidation`, so the request must not be used before this has resolved.
 *
 * @throws Problem for a request that cannot be read
 * @throws Failure `invalid` with every error, with code `unsafe_html` if all are of that kind
 */
export async function checkBody(request: FastifyRequest, inspector: HtmlInspector): Promise<void> {
  const { validationError, body } = request;
  const problem = validationError && validationProblem(validationError, request, 422);
  if (validationError !== undefined && problem?.errors === undefined) throw problem ?? validationError;
  const content = contentOf(body);
  const unsafe =
    content === undefined ? [] : await contentFaults(inspector, content, ownerOf(request).prefix);
  refuseFaults([...(problem?.errors ?? []), ...unsafe]);
}

/**
 * Refuses an article that has faults.
 *
 * @throws Failure `invalid` with every error, with code `unsafe_html` if all are of that kind
 */
export function refuseFaults(faults: FieldFault[]): void {
  if (faults.length === 0) return;
  if (faults.some(({ code }) => code !== 'unsafe_html')) throw invalid(faults);
  const messages = faults.map(({ message }) => message).join('; ');
  throw new Failure('invalid', `content: ${messages}`, { code: 'unsafe_html', faults });
}

/** The text of the member `content` of a body that may be anything. */
function contentOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'content')) return undefined;
  const { content } = body as { content: unknown };
  return typeof content === 'string' ? content : undefined;
}
