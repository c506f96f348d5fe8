import { answers, type Case, HIDDEN, kept, message, refused } from './case.ts';

/** Characters that header values and targets must not contain: all controls except the tab. */
const CONTROLS = [...Array(32).keys(), 127]
  .filter((code) => code !== 9)
  .map((code) => String.fromCharCode(code));

const REQUEST_LINES = [
  'GET /healthz HTTP/3.0',
  'GET /healthz HTTP/1.11',
  'GET /healthz HTTP/11.1',
  'GET /healthz HTTP/x.y',
  'GET /healthz http/1.1',
  'GET /healthz HTTPS/1.1',
  'GET',
  '/healthz HTTP/1.1',
  ' GET /healthz HTTP/1.1',
  'GET\t/healthz\tHTTP/1.1',
  'GET /heal thz HTTP/1.1',
  'GET /healthz HTTP/1.1 HTTP/1.1',
  'get /healthz HTTP/1.1',
  'GE T /healthz HTTP/1.1',
  'G@T /healthz HTTP/1.1',
  'GET\x00 /healthz HTTP/1.1',
  'FOO /healthz HTTP/1.1',
  'healthz',
  'GET healthz HTTP/1.1',
  'PRI * HTTP/2.0',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  '\x05\x01\x00',
  '<policy-file-request/>',
  '$6$GETTER',
  'EHLO site.example',
];

const HOSTS = [
  'a b',
  'a,b',
  'a/b',
  'user@a',
  'a?b',
  'a#b',
  '[::1',
  '::1',
  'a:port',
  'a:-1',
  '\xff',
  '<a>',
  'a\\b',
  'http://a',
];

const NAMES = [
  '',
  ' X',
  'X Y',
  'X\x00Y',
  'X\x0bY',
  'X(Y',
  'X"Y',
  'X/Y',
  'X[Y',
  'X{Y',
  'X@Y',
  'X\xe9Y',
  'X\x7fY',
];

/** Versions that Node reads as its own: one answer in the form of HTTP/1.1, and the end. */
const OTHER_VERSIONS = ['GET /healthz HTTP/0.9', 'GET /healthz HTTP/2.0', 'GET /healthz'];

/** Request lines and headers that are not valid in HTTP/1.1. */
export function heads(): Case[] {
  const bad = (name: string, text: string): Case => ({
    name,
    pieces: [`${text}${HIDDEN}`],
    due: refused(400, 404, 431),
  });
  return [
    ...REQUEST_LINES.map((line) => bad(`the request line ${JSON.stringify(line)}`, kept(line))),
    ...CONTROLS.map((control) =>
      bad(`${JSON.stringify(control)} in the target`, kept(`GET /heal${control}thz HTTP/1.1`)),
    ),
    ...CONTROLS.map((control) =>
      bad(`${JSON.stringify(control)} in a value`, kept('GET /healthz HTTP/1.1', [`X: a${control}b`])),
    ),
    ...NAMES.map((name) =>
      bad(`the header name ${JSON.stringify(name)}`, kept('GET /healthz HTTP/1.1', [`${name}: x`])),
    ),
    bad('a header without a colon', kept('GET /healthz HTTP/1.1', ['X'])),
    bad('a folded header', kept('GET /healthz HTTP/1.1', ['X: a', ' b'])),
    bad('white space after the request line', kept('GET /healthz HTTP/1.1', [' X: a'])),
    ...OTHER_VERSIONS.map((line): Case => {
      const name = `the request line ${JSON.stringify(line)}`;
      return { name, pieces: [`${kept(line)}${HIDDEN}`], due: refused(200, 400, 505) };
    }),
    ...HOSTS.map((host) => hosts(`Host: ${JSON.stringify(host)}`, [`Host: ${host}`])),
    hosts('no Host', []),
    hosts('two Hosts', ['Host: a', 'Host: b']),
    hosts('two equal Hosts', ['Host: a', 'Host: a']),
    bad('headers of 20 KB', kept('GET /healthz HTTP/1.1', [`X: ${'a'.repeat(20_000)}`])),
    bad('a target of 20 KB', kept(`GET /${'a'.repeat(20_000)} HTTP/1.1`)),
    bad('a name of 20 KB', kept('GET /healthz HTTP/1.1', [`${'a'.repeat(20_000)}: x`])),
    bad('5,000 headers', kept('GET /healthz HTTP/1.1', Array(5000).fill('X: y'))),
    ...wellFormed(),
  ];
}

/** A correctly framed request with an invalid Host. */
function hosts(name: string, lines: readonly string[]): Case {
  const text = ['GET /healthz HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n');
  return { name, pieces: [text], due: refused() };
}

/** Unusual but valid. */
function wellFormed(): Case[] {
  const fine = (name: string, text: string, ...statuses: number[]): Case => ({
    name,
    pieces: [text],
    due: answers(...(statuses.length === 0 ? [200] : statuses).map((status) => [status])),
  });
  return [
    fine('an empty line before the request', `\r\n${message('GET /healthz HTTP/1.1')}`),
    fine('the older version', 'GET /healthz HTTP/1.0\r\nHost: a\r\n\r\n'),
    fine('an absolute target', message('GET http://site.example/healthz HTTP/1.1')),
    fine('OPTIONS *', message('OPTIONS * HTTP/1.1'), 404, 204),
    fine('a path of dots', message('GET /../../etc/passwd HTTP/1.1'), 404),
    fine('a path of encoded dots', message('GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1'), 404),
    fine('two slashes', message('GET //healthz HTTP/1.1'), 404),
    fine('an upgrade to HTTP/2', message('GET /healthz HTTP/1.1', ['Upgrade: h2c', 'HTTP2-Settings: AA'])),
    fine('an upgrade to WebSocket', message('GET /healthz HTTP/1.1', ['Upgrade: websocket'])),
    fine('a method that nothing has', message('PROPFIND /healthz HTTP/1.1'), 405),
    fine('TRACE', message('TRACE /healthz HTTP/1.1'), 405),
    fine('a value that is not ASCII', message('GET /healthz HTTP/1.1', ['X: \xe9'])),
  ];
}
