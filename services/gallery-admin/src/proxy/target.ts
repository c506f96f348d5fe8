import { Failure } from '@pressroom/common/failures/failure';
import { isPublicAddress, literalAddress } from '@pressroom/common/fetching/public-address';
import { type HostRule, isListed } from './host-rules.ts';

/** The hosts that the proxy may contact. */
export interface ProxyHosts {
  allowed: readonly HostRule[];
  /** The allowed hosts that may have addresses that are not public. */
  private: readonly HostRule[];
}

/** A URL that may be requested. */
export interface Target {
  url: URL;
  /** True if its host may have an address that is not public. */
  mayBePrivate: boolean;
}

/** Parses the URL that a client requests. Fails with `refused` if it is not a URL or contains credentials. */
export function readUrl(text: string): URL {
  if (!URL.canParse(text)) throw new Failure('refused', 'query string: "url" must be an absolute https URL');
  const url = new URL(text);
  if (hasCredentials(url)) {
    throw new Failure('refused', 'query string: "url" must not contain a user name or password');
  }
  return url;
}

/**
 * Checks the URL that a client requests. Fails with `refused` for any scheme but https, and with `forbidden`
 * for a host or port that is not listed or an address that is not public.
 */
export function readTarget(url: URL, hosts: ProxyHosts): Target {
  if (url.protocol !== 'https:') throw new Failure('refused', 'query string: "url" must begin with https://');
  return allowedTarget(url, hosts);
}

/** Follows a redirect from `from`. Fails with `forbidden` if a client may not request its target either. */
export function redirectTarget(location: string, from: URL, hosts: ProxyHosts): Target {
  const url = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (url?.protocol !== 'https:' || hasCredentials(url)) {
    throw new Failure(
      'forbidden',
      'the URL redirects to one that is not allowed: only https without credentials is',
    );
  }
  return allowedTarget(url, hosts);
}

function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

function allowedTarget(url: URL, hosts: ProxyHosts): Target {
  if (!isListed(url, hosts.allowed)) {
    throw new Failure(
      'forbidden',
      `the host ${url.host} is not allowed; PROXY_ALLOWED_HOSTS lists the allowed hosts`,
    );
  }
  const mayBePrivate = isListed(url, hosts.private);
  const address = literalAddress(url.hostname);
  if (address !== undefined && !mayBePrivate && !isPublicAddress(address)) throw notPublic(url.hostname);
  return { url, mayBePrivate };
}

/** The host has an address that is not public. */
export function notPublic(hostname: string) {
  return new Failure(
    'forbidden',
    `the address of ${hostname} is not public; PROXY_PRIVATE_HOSTS lists hosts with private addresses`,
  );
}
