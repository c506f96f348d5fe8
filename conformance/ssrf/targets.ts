import type { LookupAddress } from 'node:dns';

/**
 * IPv4 addresses outside the public internet: every special-purpose block, with both ends where that matters.
 */
const INSIDE_4 = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.0',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.254',
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.1',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.254',
  '198.18.0.1',
  '198.19.255.254',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.254',
  '255.255.255.255',
];

/** The same for IPv6, including the forms that embed an IPv4 address. */
const INSIDE_6 = [
  '::',
  '::1',
  '::2',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a00:1::',
  '2002:a9fe:a9fe::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00::1',
  'fd00:ec2::254',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
];

/** Spellings of addresses that URL parsers understand and people overlook. */
const SPELLINGS = [
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0x7F.0x0.0x0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0177.1',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '127.000.000.001',
  '0',
  '0x0',
  '0.0',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '169.16689662',
  '３１２７',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '127．0．0．1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ⓛocalhost',
  'loc\u00adalhost',
  'localhost.localdomain',
  '3232235521',
  '167772161',
  '2886729729',
  '4294967295',
  '0xffffffff',
];

/** Names that only look like the listed one, `NAME`. */
const LOOKALIKES = [
  'NAME.',
  'NAME..',
  'sub.NAME',
  'NAME.evil.test',
  'evilNAME',
  'evil-NAME',
  'NAMEevil',
  'NAME%2eevil.test',
  'NAME%00.evil.test',
  'NAME%20.evil.test',
  'xNAME',
  'n\u0430me.test',
  'NAME:444',
  'NAME:22',
  'NAME:6379',
  'NAME:5432',
  'NAME:80',
  'NAME:0',
  'NAME:65535',
  'cdn.test',
  '.cdn.test',
  'evilcdn.test',
  'a.cdn.test.evil.test',
  'cdn.test.evil.test',
  '[::1]',
  '[::ffff:7f00:1]',
  'metadata.google.internal',
  'metadata',
  'instance-data',
  'kubernetes.default.svc',
  'host.docker.internal',
  'gateway.docker.internal',
  '127.0.0.1.nip.io',
  'localtest.me',
];

/** URLs that are not plain https or hide their target; `HOST` is the listed host with its port. */
const URLS = [
  'http://HOST/a.png',
  'HTTP://HOST/a.png',
  'ftp://HOST/a.png',
  'file:///etc/passwd',
  'file://HOST/etc/passwd',
  'gopher://HOST/_x',
  'dict://HOST/x',
  'ldap://HOST/x',
  'tftp://HOST/x',
  'jar:https://HOST!/a.png',
  'netdoc:///etc/passwd',
  'data:image/png;base64,AAAA',
  'javascript:alert(1)',
  'blob:https://HOST/a',
  'ws://HOST/',
  'wss://HOST/',
  'about:blank',
  'view-source:https://HOST/',
  '//HOST/a.png',
  '/a.png',
  'a.png',
  '',
  ' ',
  'https:',
  'https://',
  'https:///',
  'https://?',
  'https://#',
  'https://@HOST@evil.test/',
  'https://user@HOST/a.png',
  'https://user:pass@HOST/a.png',
  'https://:pass@HOST/',
  'https://HOST@evil.test/',
  'https://HOST:80@evil.test/',
  'https://evil.test#@HOST/',
  'https://evil.test?@HOST/',
  'https://evil.test\\@HOST/',
  'https://evil.test%23@HOST/',
  'https://HOST%40evil.test/',
  'https://evil.test/HOST',
  'https://evil.test:443\\HOST/',
  'https:\\\\evil.test\\',
  'https:evil.test',
  'https:/evil.test',
  '\\\\evil.test\\a',
  'https://HOST:99999/',
  'https://HOST:-1/',
  'https://HOST:x/',
  'https://[HOST]/',
  'https://[::1',
  'https://%',
  'https://a b/',
  'https://evil.test/\r\nHost: HOST',
  'https://evil.test\tHOST/',
  '\x00https://evil.test/',
  'https://evil.test\x00HOST/',
];

/** A target that the proxy must not request. */
export interface SsrfTarget {
  name: string;
  /** The URL that the client requests; `HOST` is the listed host with its port, `PORT` the port. */
  url: string;
  /** The addresses of the host's name; if given, the requested host is listed. */
  addresses?: LookupAddress[];
}

export const LISTED = 'name.test';

/** Listed names that resolve to internal addresses. */
export function innerNames(): SsrfTarget[] {
  const one = (address: string, family: number): SsrfTarget => ({
    name: `a listed name that leads to ${address}`,
    url: `https://inner-${family}-${address.replace(/\W/g, '-')}.listed.test:PORT/a.png`,
    addresses: [{ address, family }],
  });
  const outside = { address: '2001:200::1', family: 6 };
  const mixed = INSIDE_4.slice(0, 12).map(
    (address): SsrfTarget => ({
      name: `a listed name that leads outside and to ${address}`,
      url: `https://mixed-${address.replaceAll('.', '-')}.listed.test:PORT/a.png`,
      addresses: [outside, { address, family: 4 }],
    }),
  );
  return [
    ...INSIDE_4.map((address) => one(address, 4)),
    ...INSIDE_6.map((address) => one(address, 6)),
    ...mixed,
  ];
}

/** All other forbidden targets: addresses as hosts, spellings, lookalikes, URLs. */
export function outerTargets(): SsrfTarget[] {
  const at = (host: string): SsrfTarget => ({
    name: `the host ${JSON.stringify(host)}`,
    url: `https://${host}:PORT/a.png`,
  });
  return [
    ...INSIDE_4.map(at),
    ...INSIDE_6.map((address) => at(`[${address}]`)),
    ...SPELLINGS.map(at),
    ...LOOKALIKES.map((host) => ({
      name: `the lookalike ${host}`,
      url: `https://${host.replace('NAME', LISTED)}/a.png`,
    })),
    ...URLS.map((url) => ({ name: `the URL ${JSON.stringify(url)}`, url })),
  ];
}
