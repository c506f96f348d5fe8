import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { NewsFeedConfig } from '../config.ts';

/** The settings for how clients reach this API. */
export type ApiAddressSettings = Pick<NewsFeedConfig, 'SITE_API_URL' | 'TRUST_PROXY'>;

/** The headers in which a proxy forwards the original host and scheme. */
const VARY = 'X-Forwarded-Host, X-Forwarded-Proto';

/** A host with or without a port (RFC 3986, section 3.2), limited to the characters that DNS uses. */
const HOST = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;

/**
 * The address at which clients reach this API: `SITE_API_URL`, else the `X-Forwarded-Host` of a proxy that
 * `TRUST_PROXY` names. A `Host` header alone is not trusted: any client can choose it, and it would end up in
 * answers that others get from a cache.
 */
export class ApiAddress {
  readonly #url: string | undefined;
  /** `Vary` of an answer that contains the address. */
  readonly vary: string | undefined;

  constructor({ SITE_API_URL, TRUST_PROXY }: ApiAddressSettings) {
    this.#url = SITE_API_URL;
    this.vary = SITE_API_URL === undefined && TRUST_PROXY !== undefined ? VARY : undefined;
  }

  /**
   * The address without a trailing slash, for example `https://api.example`; undefined if it is not known.
   */
  of(request: FastifyRequest): string | undefined {
    return this.#url ?? this.fromRequest(request);
  }

  /** True for headers from which the address of a request may come. */
  mayDependOn(headers: IncomingHttpHeaders): boolean {
    return this.vary !== undefined && Boolean(headers['x-forwarded-host']);
  }

  /** The address if it comes from the request, which makes the answer specific to it. */
  fromRequest(request: FastifyRequest): string | undefined {
    if (!this.mayDependOn(request.headers)) return undefined;
    // Fastify lists the addresses up to the first one that it does not trust. A single one is the sender
    // itself.
    if ((request.ips?.length ?? 0) < 2) return undefined;
    const { host, protocol } = request;
    return HOST.test(host) && /^https?$/.test(protocol) ? `${protocol}://${host.toLowerCase()}` : undefined;
  }
}
