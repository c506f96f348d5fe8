import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestLog } from '../log/request-log.ts';
import type { CommonConfig } from '../start/config.ts';
import { isListed } from './address-list.ts';
import type { Server } from './operation.ts';

/** A route as the log and the metrics need it. */
export interface RouteOptions {
  readonly url?: string | undefined;
  readonly config: { readonly secretQuery?: boolean };
}

/** A request as a check sees it. A check that needs more, such as a route's parameters, is a Fastify hook. */
export type CheckedRequest = Pick<FastifyRequest, 'id' | 'raw' | 'method' | 'url' | 'headers' | 'ip'> & {
  readonly routeOptions: RouteOptions;
};

/** The answer as a check sees it, which may add headers. */
export interface CheckedReply extends Pick<FastifyReply, 'statusCode' | 'elapsedTime'> {
  header(name: string, value: string): CheckedReply;
}

/** Looks at a request before it is answered, and may refuse it or add headers to its answer. */
type Check<Request extends CheckedRequest = CheckedRequest> = (
  request: Request,
  reply: CheckedReply,
  done: (refusal?: Error) => void,
) => void;

/** Notes that a request has been answered. */
type Note = (request: CheckedRequest, reply: CheckedReply) => void;

declare module 'fastify' {
  interface FastifyInstance {
    everyRequest: EveryRequest;
  }
}

/** Fastify's question whether a hop, the one next to this server being 0, is trusted. */
type TrustProxy = (address: string, hop: number) => boolean;

/** The steps that run for every request: see {@link onEveryRequest} and {@link onEveryAnswer}. */
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
export function onEveryRequest<Request extends CheckedRequest>(app: Server, check: Check<Request>): void {
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

/** An IPv4 address with a port, or an IPv6 address in brackets with or without one. */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}|\[([0-9a-f:.]+)\](?::\d{1,5})?)$/i;

/** The address in an entry of `X-Forwarded-For`; undefined if it has none (`unknown`, `_hidden`). */
function addressOf(entry: string): string | undefined {
  const text = entry.trim();
  const [, ipv4, ipv6] = WITH_PORT.exec(text) ?? [];
  const address = ipv4 ?? ipv6 ?? text;
  return isIP(address) === 0 ? undefined : address;
}

/**
 * Strips ports and brackets from the addresses of an `X-Forwarded-For`; otherwise each port would count as
 * another client. An entry that is not an address is dropped together with everything before it, so that the
 * hop that reported it is the client.
 */
export function plainForwardedFor(header: string): string {
  const addresses: string[] = [];
  for (const entry of header.split(',').reverse()) {
    const address = addressOf(entry);
    if (address === undefined) break;
    addresses.unshift(address);
  }
  return addresses.join(', ');
}

/** Applies {@link plainForwardedFor} to the header of `request` before the client's address is read. */
function plainForwarding({ headers }: IncomingMessage): void {
  const given = headers['x-forwarded-for'];
  if (given === undefined) return;
  const addresses = plainForwardedFor(String(given));
  if (addresses === '') delete headers['x-forwarded-for'];
  else headers['x-forwarded-for'] = addresses;
}

/**
 * 1–128 visible ASCII characters: what an incoming `X-Request-Id` must be to be kept (`docs/spec/wire.md`,
 * "Errors").
 */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** The id of a request: the client's `X-Request-Id` if it is acceptable, else a new UUID. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
}
