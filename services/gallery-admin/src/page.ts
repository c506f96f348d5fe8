import { isNotModified, represent } from '@pressroom/common/caching/conditional';
import { operation } from '@pressroom/common/http/operation';
import { notFound, Problem } from '@pressroom/common/problems/problem';
import { type Asset, type BuiltPage, readBuiltPage } from '@pressroom/desk/built-page';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { BucketSource } from './buckets/bucket.ts';

/** The query string is the page's own: the folder and the file that it shows. */
const ofThePage = z.looseObject({});

/** The section with which the desk begins, and the one that had the whole page before there was a desk. */
const FIRST = 'home';
const BEFORE = 'media';

/** The desk for people, and the files that it loads. */
export function pageOperations(buckets: BucketSource) {
  const page = builtPage();
  return { root: rootOperation(), document: documentOperation(buckets, page), asset: assetOperation(page) };
}

/** Leads to the desk, by a relative way: a proxy may serve it below any path. */
function rootOperation() {
  return operation({
    config: { secretQuery: true },
    schema: { hide: true, querystring: ofThePage },
    handler: async ({ url }, reply) => {
      const { search } = new URL(url, 'http://desk');
      return reply.redirect(search === '' ? 'desk/' : `desk/${BEFORE}${search}`);
    },
  });
}

function documentOperation(buckets: BucketSource, page: () => Promise<BuiltPage>) {
  return operation({
    config: { secretQuery: true },
    schema: { hide: true, querystring: ofThePage, params: z.object({ '*': z.string() }) },
    handler: async (request, reply) => {
      const [section = ''] = request.params['*'].split('/');
      const [path = ''] = request.url.split('?');
      const store = await storeOrigin(buckets, request);
      const base = '../'.repeat(path.split('/').length - 2);
      const html = (await page()).document(section === '' ? FIRST : section, base, store);
      if (html === undefined) throw notFound('the desk has no such section');
      const { body, etag } = represent(html);
      reply.headers({
        etag,
        'cache-control': 'private, no-cache',
        'content-security-policy': pagePolicy(store),
        'cross-origin-opener-policy': 'same-origin',
      });
      if (isNotModified(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.type('text/html; charset=utf-8').send(body);
    },
  });
}

/** Without the settings the page can still be shown: it then says what is wrong. */
async function storeOrigin(buckets: BucketSource, { log }: FastifyRequest): Promise<string> {
  try {
    const { baseUrls } = await buckets.current();
    return baseUrls[0] === undefined ? '' : new URL(baseUrls[0]).origin;
  } catch (error) {
    log.warn({ err: error }, 'page_without_bucket');
    return '';
  }
}

function assetOperation(page: () => Promise<BuiltPage>) {
  return operation({
    schema: { hide: true, params: z.object({ name: z.string() }) },
    handler: async (request, reply) => {
      const asset = (await page()).asset(request.params.name);
      if (asset === undefined) throw notFound('the page has no such file; reload it');
      return sendAsset(request, reply, asset);
    },
  });
}

function sendAsset({ headers }: FastifyRequest, reply: FastifyReply, { mediaType, bytes }: Asset) {
  const coding = (['br', 'gzip'] as const).find((name) => accepts(headers['accept-encoding'], name));
  reply.headers({
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
    ...(coding && { 'content-encoding': coding }),
  });
  return reply.type(mediaType).send(bytes[coding ?? 'identity']);
}

/** True if an `Accept-Encoding` names the coding without refusing it (RFC 9110, section 12.5.3). */
function accepts(header: string | string[] | undefined, coding: string): boolean {
  const members = String(header ?? '').split(',');
  return members.some((member) => {
    const [name = '', weight = ''] = member.split(';').map((part) => part.trim().toLowerCase());
    return name === coding && !/^q=0(\.0*)?$/.test(weight);
  });
}

/** Reads the page once; as long as it has not been built, each request looks again. */
function builtPage(): () => Promise<BuiltPage> {
  let kept: Promise<BuiltPage | undefined> | undefined;
  return async () => {
    kept ??= readBuiltPage();
    const page = await kept.catch(() => undefined);
    if (page !== undefined) return page;
    kept = undefined;
    throw new Problem(503, 'page_not_built', 'the page has not been built; run `npx -y pnpm@12 page`', {
      headers: { 'retry-after': '5' },
    });
  };
}

/**
 * The Content-Security-Policy of the gallery's page: its own scripts and styles, and, for media and uploads,
 * the origin of the active bucket.
 *
 * @param store the origin from which browsers read the bucket; empty if it is unknown
 */
export function pagePolicy(store: string): string {
  const own = store === '' ? "'self'" : `'self' ${store}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${own} blob:`,
    `media-src ${own}`,
    `connect-src ${own}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
