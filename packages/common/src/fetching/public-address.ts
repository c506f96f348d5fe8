import ipaddr from 'ipaddr.js';

/** The globally routable IPv6 addresses (RFC 4291, IANA's IPv6 address space). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True for an address of the public internet. False for private, loopback, link-local, multicast and reserved
 * addresses, and for those that embed an IPv4 address (mapped, NAT64, 6to4, Teredo), which could be one of
 * those (IANA's special-purpose address registries).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** The host of a URL if it is an IP address, without the brackets of IPv6; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const address = withoutBrackets(hostname);
  return ipaddr.isValid(address) ? address : undefined;
}

/** True if the host of a URL is one of these, which are without ports and brackets. */
export function isHostAmong({ hostname }: Pick<URL, 'hostname'>, hosts: readonly string[]): boolean {
  return hosts.includes(withoutBrackets(hostname));
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
