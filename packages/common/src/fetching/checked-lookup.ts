import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** Finds the addresses of a host name, as `dns.promises.lookup` with `all` does. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** The error of a connection to a host with an address that is not public. */
export class NotPublicAddress extends Error {
  readonly hostname: string;

  constructor(hostname: string) {
    super(`the address of ${hostname} is not public`);
    this.name = 'NotPublicAddress';
    this.hostname = hostname;
  }
}

/**
 * Makes the lookup function of a connection. The connection uses exactly the addresses it has checked, so
 * that a name cannot resolve differently in between (DNS rebinding). A host with one address that is not
 * public fails with {@link NotPublicAddress}. A connection to a literal address looks nothing up: check it
 * with `isPublicAddress` first.
 */
export function checkedLookup(resolve: Resolve): LookupFunction {
  return lookupWith(async (hostname) => {
    const addresses = await resolve(hostname);
    if (addresses.every(({ address }) => isPublicAddress(address))) return addresses;
    throw new NotPublicAddress(hostname);
  });
}

/** Makes the lookup function of a connection that may use any address. */
export function uncheckedLookup(resolve: Resolve): LookupFunction {
  return lookupWith(resolve);
}

function lookupWith(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(new Error(`${hostname} has no address`), []);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}
