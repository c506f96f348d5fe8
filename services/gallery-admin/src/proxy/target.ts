import { Failure } from '@pressroom/common/failures/failure';
import { isPublicAddress, literalAddress } from './address.ts';
import { type HostRule, isListed } from './host-rules.ts';

/** Which hosts the proxy may ask. */
export interface ProxyHosts {
  allowed: readonly HostRule[];
  /** Those of the allowed that may have addresses which are not public. */
  private: readonly HostRule[];
}

/** A URL that may be asked. */
export interface Target {
  url: URL;
  /** True when its host may have an address that is not public. */
  mayBePrivate: boolean;
}

/** Reads the URL that a client asks for. Fails with `refused` for what is not a URL, or holds credentials. */
export function readUrl(text: string): URL {
  if (!URL.canParse(text)) throw new Failure('refused', 'query string: "url" must be an absolute https URL');
  const url = new URL(text);
  if (hasCredentials(url)) {
    throw new Failure('refused', 'query string: "url" must hold neither user name nor password');
  }
  return url;
}

/**
 * Checks the URL that a client asks for. Fails with `refused` for another scheme than https, and with `forbidden` for a
 * host or port that is not listed and for an address that is not public.
 */
export function readTarget(url: URL, hosts: ProxyHosts): Target {
  if (url.protocol !== 'https:') throw new Failure('refused', 'query string: "url" must begin with https://');
  return allowedTarget(url, hosts);
}

/** Follows a redirect from `from`. Fails with `forbidden` when it leads where a client may not ask for either. */
export function redirectTarget(location: string, from: URL, hosts: ProxyHosts): Target {
  const url = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (url?.protocol !== 'https:' || hasCredentials(url)) {
    throw new Failure(
      'forbidden',
      'the address redirects to one that is not allowed: only https without credentials is',
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
      `the host ${url.host} is not allowed; PROXY_ALLOWED_HOSTS lists those that are`,
    );
  }
  const mayBePrivate = isListed(url, hosts.private);
  const address = literalAddress(url.hostname);
  if (address !== undefined && !mayBePrivate && !isPublicAddress(address)) throw notPublic(url.hostname);
  return { url, mayBePrivate };
}

/** The host has an address that is not of the public internet. */
export function notPublic(hostname: string) {
  return new Failure(
    'forbidden',
    `the address of ${hostname} is not a public one; PROXY_PRIVATE_HOSTS lists hosts that may have such`,
  );
}
