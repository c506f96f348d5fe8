import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

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
export function plainForwarding({ headers }: IncomingMessage): void {
  const given = headers['x-forwarded-for'];
  if (given === undefined) return;
  const addresses = plainForwardedFor(String(given));
  if (addresses === '') delete headers['x-forwarded-for'];
  else headers['x-forwarded-for'] = addresses;
}
