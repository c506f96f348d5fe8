import ipaddr from 'ipaddr.js';

/** The IPv6 addresses that are given out to be reached from anywhere (RFC 4291, IANA's IPv6 address space). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True for an address of the public internet. Private, loopback, link-local, multicast and reserved addresses are
 * none, and neither are those that wrap an IPv4 address (mapped, NAT64, 6to4, Teredo), behind which one of the
 * former may be (IANA's special-purpose address registries).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** The address that a URL's host is, without the brackets of IPv6; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(address) ? address : undefined;
}
