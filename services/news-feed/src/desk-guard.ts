import { PRIVATE } from '@pressroom/common/caching/conditional';
import { type DeskKeys, isDeskKey } from '@pressroom/common/desk/desk-key';
import { personOf } from '@pressroom/common/desk/person';
import type { Guard } from '@pressroom/common/http/operation';
import { forbidden, unauthorized } from '@pressroom/common/problems/problem';

/** Requires the key of the desk, before the body is read: 401 without one, 403 with another. */
export function deskGuard(keys: DeskKeys): Guard {
  return {
    security: [{ deskKey: [] }],
    check: async ({ headers }, reply) => {
      reply.header('cache-control', PRIVATE);
      const given = headers['x-api-key'];
      if (!given) throw unauthorized('the key of the desk is required: send DESK_KEY in X-API-Key');
      if (!isDeskKey(String(given), keys)) throw forbidden('this is not the key of the desk');
      // Before any work is done for an unauthenticated caller.
      personOf(headers);
    },
  };
}
