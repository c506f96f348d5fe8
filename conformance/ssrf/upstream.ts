import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A hostile answer from an allowed host, as bytes, and what the client may get of it. */
export interface HostileAnswer {
  name: string;
  /** Writes arbitrary bytes on the connection. */
  answer(socket: Socket, request: IncomingMessage): void;
  /** The statuses that the client may get. */
  statuses: readonly number[];
  thumbnail?: boolean;
}

const IMAGE = 'Content-Type: image/png';

function says(name: string, statuses: readonly number[], ...parts: (string | Buffer)[]): HostileAnswer {
  return {
    name,
    statuses,
    answer: (socket) => {
      for (const part of parts) socket.write(part, 'latin1');
      socket.end();
    },
  };
}

function head(status: string, ...lines: string[]): string {
  return `HTTP/1.1 ${status}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
}

function media(
  name: string,
  statuses: readonly number[],
  lines: string[],
  body: string | Buffer,
): HostileAnswer {
  return says(name, statuses, head('200 OK', 'Connection: close', ...lines), body);
}

function redirect(location: string): HostileAnswer {
  return says(
    `a redirect to ${location}`,
    [403, 500],
    head('302 Found', `Location: ${location}`, 'Content-Length: 0'),
  );
}

/** A PNG whose header declares many pixels. */
function pngOf(width: number, height: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const start = Buffer.from('\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR', 'latin1');
  return Buffer.concat([start, size, Buffer.from('\x08\x06\x00\x00\x00\x00\x00\x00\x00', 'latin1')]);
}

/** Answers that try to reach internal hosts, run scripts, fill the memory or hold a connection. */
export const HOSTILE_ANSWERS: readonly HostileAnswer[] = [
  ...[
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/',
    'http://name.test/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_x',
    '//127.0.0.1/',
    'https://2130706433/',
    'https://user:pass@name.test/',
    'data:image/png;base64,AA',
    'javascript:alert(1)',
    '\\\\127.0.0.1\\',
    '/again',
  ].map(redirect),
  says('a redirect without a target', [500], head('302 Found', 'Content-Length: 0')),
  media('a page', [400], ['Content-Type: text/html'], '<script>alert(1)</script>'),
  media('a page that says it is an image too', [400], ['Content-Type: text/html, image/png'], '<script>'),
  media('no media type', [400], [], 'x'),
  media('two media types', [200, 400, 500], [IMAGE, 'Content-Type: text/html'], '<script>alert(1)</script>'),
  media('a media type with a line break', [400, 500], ['Content-Type: image/png\r\n X: y'], 'x'),
  media(
    'a cookie and permissions',
    [200],
    [IMAGE, 'Set-Cookie: gallery_session=x', 'Access-Control-Allow-Origin: *'],
    'x',
  ),
  media(
    'headers of security turned off',
    [200],
    [
      IMAGE,
      'Content-Security-Policy: default-src *',
      'X-Content-Type-Options: no',
      'Refresh: 0;url=//evil.test',
    ],
    'x',
  ),
  media('a length over the limit', [400], [IMAGE, 'Content-Length: 99999999999'], 'x'),
  media('a length that is not a number', [500], [IMAGE, 'Content-Length: x'], 'x'),
  media('two lengths', [500], [IMAGE, 'Content-Length: 1', 'Content-Length: 2'], 'xx'),
  media(
    'a length and chunks',
    [500],
    [IMAGE, 'Content-Length: 1', 'Transfer-Encoding: chunked'],
    '0\r\n\r\n',
  ),
  media('an invalid chunk', [500], [IMAGE, 'Transfer-Encoding: chunked'], 'zz\r\n'),
  media('a body that breaks off before its first byte', [500], [IMAGE, 'Content-Length: 10'], ''),
  media('an encoding', [200, 400, 500], [IMAGE, 'Content-Encoding: gzip'], gzipSync('x')),
  says('no HTTP', [500], 'SSH-2.0-OpenSSH\r\n'),
  says('nothing', [500]),
  says('an endless head', [500], `HTTP/1.1 200 OK\r\n${`X: ${'a'.repeat(1000)}\r\n`.repeat(1000)}\r\n`),
  says('an informational answer alone', [500, 504], head('103 Early Hints', 'Link: </a>')),
  says(
    'a switch of protocols',
    [500],
    head('101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'),
  ),
  says('the content of nothing', [500], head('204 No Content')),
  says(
    'a part that nobody asked for',
    [500],
    head('206 Partial Content', IMAGE, 'Content-Range: bytes 0-0/9', 'Content-Length: 1'),
    'x',
  ),
  says(
    'its own words in an error',
    [500],
    head('500 <script>', 'Content-Type: text/html', 'Content-Length: 8'),
    '<script>',
  ),
  {
    ...media('an image of 10,000 megapixels', [400, 200], [IMAGE], pngOf(100_000, 100_000)),
    thumbnail: true,
  },
  {
    ...media('an invalid image', [200], [IMAGE], Buffer.from('\x89PNG\r\n\x1a\nnot', 'latin1')),
    thumbnail: true,
  },
  {
    ...media(
      'an SVG that reads files',
      [200],
      ['Content-Type: image/svg+xml'],
      '<svg xmlns:x="http://www.w3.org/1999/xlink"><image x:href="file:///etc/passwd"/></svg>',
    ),
    thumbnail: true,
  },
  {
    ...media('a page that says it is a thumbnail', [400, 200], [IMAGE], '<script>alert(1)</script>'),
    thumbnail: true,
  },
  { name: 'silence', statuses: [504], answer: () => undefined },
  {
    name: 'a head that drips',
    statuses: [504, 500],
    answer: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('X: y\r\n'), 100);
      socket.on('close', () => clearInterval(timer));
    },
  },
];
