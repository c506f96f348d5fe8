import { forbidden, invalidRequest } from '@pressroom/common/problems/problem';
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

/**
 * Reads the URL that a client asks for. Throws 400 for what is no https URL or holds credentials, 403 for a host or
 * port that is not listed and for an address that is not public.
 */
export function readTarget(text: string, hosts: ProxyHosts): Target {
  if (!URL.canParse(text)) throw invalidRequest('query string: "url" must be an absolute https URL');
  const url = new URL(text);
  if (url.protocol !== 'https:') throw invalidRequest('query string: "url" must begin with https://');
  if (hasCredentials(url)) {
    throw invalidRequest('query string: "url" must hold no user name and no password');
  }
  return allowedTarget(url, hosts);
}

/** Follows a redirect from `from`. Throws 403 when it leads where a client may not ask for either. */
export function redirectTarget(location: string, from: URL, hosts: ProxyHosts): Target {
  const url = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (url?.protocol !== 'https:' || hasCredentials(url)) {
    throw forbidden('the address redirects to one that is not allowed: only https without credentials is');
  }
  return allowedTarget(url, hosts);
}

function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

function allowedTarget(url: URL, hosts: ProxyHosts): Target {
  if (!isListed(url, hosts.allowed)) {
    throw forbidden(`the host ${url.host} is not allowed; PROXY_ALLOWED_HOSTS lists those that are`);
  }
  const mayBePrivate = isListed(url, hosts.private);
  const address = literalAddress(url.hostname);
  if (address !== undefined && !mayBePrivate && !isPublicAddress(address)) throw notPublic(url.hostname);
  return { url, mayBePrivate };
}

/** 403: the host has an address that is not of the public internet. */
export function notPublic(hostname: string) {
  return forbidden(
    `the address of ${hostname} is not a public one; PROXY_PRIVATE_HOSTS lists hosts that may have such`,
  );
}
