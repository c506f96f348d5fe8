import { isNotModified } from '@pressroom/common/caching/entity-tag';
import { operation } from '@pressroom/common/http/operation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BucketSource } from '../buckets/bucket.ts';
import { problemResponses } from '../problems.ts';
import { type HostRule, parseHostRule } from './host-rules.ts';
import type { MediaFetcher } from './media-fetcher.ts';
import type { ForwardedHeaders } from './media-request.ts';
import { clientGone } from './problems.ts';
import { proxyAnswer, proxyQuery } from './schema.ts';
import { type ProxyHosts, readTarget, type Target } from './target.ts';
import { thumbnailFormat } from './thumbnail.ts';
import type { Thumbnails } from './thumbnails.ts';

/** What the proxy needs. */
export interface ProxyParts {
  buckets: BucketSource;
  fetcher: MediaFetcher;
  thumbnails: Thumbnails;
  /** `PROXY_ALLOWED_HOSTS`; the endpoint of the active bucket is allowed beside them. */
  allowedHosts: readonly HostRule[];
  /** `PROXY_PRIVATE_HOSTS` */
  privateHosts: readonly HostRule[];
}

const MEDIA_CACHE = 'private, max-age=3600';
const THUMBNAIL_CACHE = 'private, max-age=604800, immutable';

/** What comes from elsewhere must not run as a page of this origin, an SVG with a script in it for one. */
const HARMLESS = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };

/** Media of hosts that may be asked (`docs/spec/gallery-admin.md`, "GET /api/proxy"). */
export function proxyOperation(parts: ProxyParts) {
  return operation({
    config: { secretQuery: true },
    schema: {
      tags: ['gallery'],
      summary: 'Fetch media from another host, or a thumbnail of it',
      description:
        'Images, videos and audio of at most 50 MiB. A Range is passed on. Thumbnails are WebP, or AVIF where' +
        ' Accept names it; of an animation the first frame; an image that cannot be decoded comes as it is.',
      querystring: proxyQuery,
      response: { 200: proxyAnswer, ...problemResponses(400, 401, 403, 416, 500, 503, 504) },
    },
    handler: async (request, reply) => {
      const hosts = await hostsOf(parts);
      const target = readTarget(request.query.url, hosts);
      const signal = goneSignal(reply);
      if (request.query.thumbnail) return replyThumbnail(request, reply, parts, { target, hosts, signal });
      return replyMedia(request, reply, parts, { target, hosts, signal });
    },
  });
}

/** A request of the proxy, checked. */
interface Asked {
  target: Target;
  hosts: ProxyHosts;
  signal: AbortSignal;
}

async function hostsOf({ buckets, allowedHosts, privateHosts }: ProxyParts): Promise<ProxyHosts> {
  const { endpointHost } = await buckets.current();
  const endpoint = parseHostRule(endpointHost);
  return { allowed: endpoint ? [endpoint, ...allowedHosts] : allowedHosts, private: privateHosts };
}

/** Aborted when the client goes away before it has everything. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    if (!raw.writableFinished) gone.abort(clientGone());
  };
  // It may have gone while its session was looked up.
  if (raw.destroyed) leave();
  raw.once('close', leave);
  return gone.signal;
}

async function replyMedia(
  request: FastifyRequest,
  reply: FastifyReply,
  { fetcher }: ProxyParts,
  { target, hosts, signal }: Asked,
) {
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  const media = await fetcher.fetch(target, hosts, { method, headers: forwarded(request), signal });
  reply.code(media.status).headers({ ...media.headers, ...HARMLESS, 'cache-control': MEDIA_CACHE });
  return media.status === 304 ? reply.send() : reply.send(media.body);
}

/** A range of one piece and the conditions of the client; several pieces are answered with the whole. */
function forwarded({ headers }: FastifyRequest): ForwardedHeaders {
  const range = /^bytes=(\d+-\d*|-\d+)$/.test(headers.range ?? '') ? headers.range : undefined;
  const { 'if-range': ifRange, 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = headers;
  return {
    ...(range && { range }),
    ...(range && typeof ifRange === 'string' && { 'if-range': ifRange }),
    ...(ifNoneMatch && { 'if-none-match': ifNoneMatch }),
    ...(ifModifiedSince && { 'if-modified-since': ifModifiedSince }),
  };
}

async function replyThumbnail(
  request: FastifyRequest,
  reply: FastifyReply,
  { thumbnails }: ProxyParts,
  asked: Asked,
) {
  const format = thumbnailFormat(request.headers.accept);
  const { body, contentType, etag } = await thumbnails.get({ ...asked, format });
  reply.headers({ ...HARMLESS, 'cache-control': THUMBNAIL_CACHE, vary: 'Accept', etag });
  if (isNotModified(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(contentType).send(body);
}
