import { BlockList, isIP } from 'node:net';

function partsOf(list: string): string[] {
  return list.split(',').map((part) => part.trim());
}

function isAddressOrBlock(part: string): boolean {
  const [address = '', prefix, ...rest] = part.split('/');
  const family = isIP(address);
  // A zone (`fe80::1%eth0`) names an interface of this machine and would be silently ignored.
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/** True for addresses and CIDR blocks, IPv4 or IPv6, separated by commas. */
export function isAddressList(text: string): boolean {
  return partsOf(text).every(isAddressOrBlock);
}

/** Parses `text`, which must be a list as in {@link isAddressList}. */
export function addressList(text: string): BlockList {
  const list = new BlockList();
  for (const part of partsOf(text)) {
    const [address = '', prefix] = part.split('/');
    const isIpv4 = isIP(address) === 4;
    list.addSubnet(address, Number(prefix ?? (isIpv4 ? 32 : 128)), isIpv4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** True when `address` is on the list; an IPv4 address also in its IPv6 form (`::ffff:10.0.0.1`). */
export function isListed(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
