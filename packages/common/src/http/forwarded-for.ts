import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** An IPv4 address with a port, or an IPv6 address in brackets with or without one. */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}|\[([0-9a-f:.]+)\](?::\d{1,5})?)$/i;

/** The address that an entry of `X-Forwarded-For` names; undefined where it names none (`unknown`, `_hidden`). */
function addressOf(entry: string): string | undefined {
  const text = entry.trim();
  const [, ipv4, ipv6] = WITH_PORT.exec(text) ?? [];
  const address = ipv4 ?? ipv6 ?? text;
  return isIP(address) === 0 ? undefined : address;
}

/**
 * Reads the ports and brackets off the addresses of an `X-Forwarded-For`: with each port a client would be another one.
 * What stands before an entry that is not an address is dropped, and so is that entry, which makes the hop that reported
 * it the client.
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

/** Has {@link plainForwardedFor} read the header of `request` before anybody asks for the client's address. */
export function plainForwarding({ headers }: IncomingMessage): void {
  const given = headers['x-forwarded-for'];
  if (given === undefined) return;
  const addresses = plainForwardedFor(String(given));
  if (addresses === '') delete headers['x-forwarded-for'];
  else headers['x-forwarded-for'] = addresses;
}
