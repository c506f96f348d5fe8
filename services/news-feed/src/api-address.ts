import type { FastifyRequest } from 'fastify';
import type { NewsFeedConfig } from './config.ts';

/** The settings that say how clients reach this API. */
export type ApiAddressSettings = Pick<NewsFeedConfig, 'SITE_API_URL' | 'TRUST_PROXY'>;

/** The headers by which a proxy says how it was asked. */
const VARY = 'X-Forwarded-Host, X-Forwarded-Proto';

/** A host with or without a port (RFC 3986, section 3.2), without what DNS has no use for. */
const HOST = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;

/**
 * The address at which clients reach this API: `SITE_API_URL`, else what a proxy that `TRUST_PROXY` names
 * says in `X-Forwarded-Host`. A `Host` header alone is anybody's word, and would stand in answers that others
 * are given from a cache.
 */
export class ApiAddress {
  readonly #url: string | undefined;
  /** `Vary` of an answer that holds the address. */
  readonly vary: string | undefined;

  constructor({ SITE_API_URL, TRUST_PROXY }: ApiAddressSettings) {
    this.#url = SITE_API_URL;
    this.vary = SITE_API_URL === undefined && TRUST_PROXY !== undefined ? VARY : undefined;
  }

  /**
   * The address without a slash at its end, for example `https://api.example`; undefined where nobody says
   * it.
   */
  of(request: FastifyRequest): string | undefined {
    return this.#url ?? this.told(request);
  }

  /** The address where it is the request's own, so that the answer is not every reader's. */
  told(request: FastifyRequest): string | undefined {
    if (this.vary === undefined || !request.headers['x-forwarded-host']) return undefined;
    // Fastify counts the addresses up to the first one that it does not trust: with a single one, that is the
    // sender.
    if ((request.ips?.length ?? 0) < 2) return undefined;
    const { host, protocol } = request;
    return HOST.test(host) && /^https?$/.test(protocol) ? `${protocol}://${host.toLowerCase()}` : undefined;
  }
}
