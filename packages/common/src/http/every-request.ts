import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';
import type { RequestLog } from '../log/request-log.ts';
import type { CommonConfig } from '../start/config.ts';
import { isListed } from './address-list.ts';
import type { EarlyReply, EarlyRequest } from './early-request.ts';
import { plainForwarding } from './forwarded-for.ts';
import type { Server } from './server.ts';

/** Looks at a request before it is answered, and may refuse it or add headers to its answer. */
type Check<Request extends EarlyRequest = EarlyRequest> = (
  request: Request,
  reply: EarlyReply,
  done: (refusal?: Error) => void,
) => void;

/** Notes that a request has been answered. */
type Note = (request: EarlyRequest, reply: EarlyReply) => void;

declare module 'fastify' {
  interface FastifyInstance {
    everyRequest: EveryRequest;
  }
}

/** Fastify's question whether a hop, the one next to this server being 0, is trusted. */
type TrustProxy = (address: string, hop: number) => boolean;

/**
 * What is done for every request, whether Fastify answers it or it is answered from memory before: see
 * {@link onEveryRequest}.
 */
export class EveryRequest {
  readonly checks: Check[] = [];
  readonly notes: Note[] = [];
  readonly log: RequestLog;
  readonly trustProxy: TrustProxy | false;

  constructor(log: RequestLog, proxies: CommonConfig['TRUST_PROXY']) {
    this.log = log;
    this.trustProxy = trustProxy(proxies);
  }

  /** Prepares the headers of a request before the address of its client is read. */
  readForwarding(request: IncomingMessage): void {
    if (this.trustProxy !== false) plainForwarding(request);
  }

  /** The address of the client, as Fastify's `request.ip` has it. */
  addressOf(request: IncomingMessage): string {
    if (this.trustProxy !== false) return proxyAddr(request, this.trustProxy);
    // Unknown if the connection is gone.
    return request.socket.remoteAddress as string;
  }
}

/** Fastify asks for each hop, starting next to this server, whether it is trusted. */
function trustProxy(proxies: CommonConfig['TRUST_PROXY']): TrustProxy | false {
  if (proxies === undefined) return false;
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies;
  return (address) => isListed(proxies, address);
}

/**
 * Adds a check of every request, or of those of a part of the server. Of `Request`, what the service adds to
 * Fastify's requests must have been set by an earlier check.
 */
export function onEveryRequest<Request extends EarlyRequest>(app: Server, check: Check<Request>): void {
  app.addHook('onRequest', check as unknown as Check<FastifyRequest>);
  if (isWhole(app)) app.everyRequest.checks.push(check as unknown as Check);
}

/** Adds what is done after every answer. */
export function onEveryAnswer(app: Server, note: Note): void {
  app.addHook('onResponse', (request, reply, done) => {
    note(request, reply);
    done();
  });
  if (isWhole(app)) app.everyRequest.notes.push(note);
}

/** Parts of a server inherit its decorations. */
function isWhole(app: Server): boolean {
  return Object.hasOwn(app, 'everyRequest');
}
