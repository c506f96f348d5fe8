import { Failure, type FieldFault, invalid } from '@pressroom/common/failures/failure';
import { validationProblem } from '@pressroom/common/problems/validation-errors';
import type { FastifyRequest } from 'fastify';
import { type ArticleRules, articleFaults } from './articles/article-faults.ts';
import type { Extra } from './articles/extra.ts';
import { ownerOf } from './senders.ts';

/**
 * Checks the body of an article write against its schema, and its members against the rules for them, and
 * reports all errors together.
 * The operation has `attachValidation`, so the request must not be used before this has resolved.
 *
 * @throws Problem for a request that cannot be read
 * @throws Failure `invalid` with every error, with code `unsafe_html` if all are of that kind
 */
export async function checkBody(request: FastifyRequest, rules: ArticleRules): Promise<void> {
  const { validationError, body } = request;
  const problem = validationError && validationProblem(validationError, request, 422);
  if (validationError !== undefined && problem?.errors === undefined) throw problem ?? validationError;
  const faults = problem?.errors ?? [];
  const content = memberOf(body, 'content');
  const extra = memberOf(body, 'extra');
  const readable = {
    ...(typeof content === 'string' && { content }),
    ...(!faults.some(({ field }) => /^extra\b/.test(field)) && { extra: extra as Extra }),
  };
  refuseFaults([...faults, ...(await articleFaults(rules, readable, ownerOf(request).prefix))]);
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

/** A member of a body that may be anything. */
function memberOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined;
  return (body as Record<string, unknown>)[name];
}
