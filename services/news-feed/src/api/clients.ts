import type { BlockList } from 'node:net';
import { isListed } from '@pressroom/common/http/address-list';
import { type CheckedRequest, onEveryRequest } from '@pressroom/common/http/every-request';
import type { Server } from '@pressroom/common/http/operation';
import { forbidden, invalidRequest } from '@pressroom/common/problems/problem';

/** The longest `User-Agent`, in characters (`docs/spec/news-feed.md`, "Limits"). */
const MAX_USER_AGENT = 2048;

/**
 * Refuses denied client addresses with 403 and an overlong `User-Agent` with 400, except on the health
 * endpoints.
 */
export function admitClients(app: Server, denied: BlockList | undefined): void {
  onEveryRequest(app, (request, _reply, done) => {
    if (denied !== undefined && isDenied(request, denied)) {
      return done(forbidden('this client address is blocked'));
    }
    if ((request.headers['user-agent'] ?? '').length > MAX_USER_AGENT) {
      return done(invalidRequest(`header: "user-agent" must be at most ${MAX_USER_AGENT} characters long`));
    }
    done();
  });
}

function isDenied({ ip, url }: CheckedRequest, denied: BlockList): boolean {
  if (url === '/healthz' || url === '/readyz') return false;
  return isListed(denied, ip);
}
