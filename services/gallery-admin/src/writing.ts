import { withoutApiKeys } from '@pressroom/common/log/hidden-keys';
import type { FastifyRequest } from 'fastify';

/** Logs what a request has changed. `written` names objects and settings, and holds no secret. */
export function logWrite({ id, log }: FastifyRequest, event: string, written: object): void {
  log.info({ requestId: withoutApiKeys(id), ...written }, event);
}
