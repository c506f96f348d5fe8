import { type Case, explained, kept, message } from './case.ts';

/** Requests that a proxy cannot read or does not serve, and the status of each. */
export function unserved(): Case[] {
  const one = (name: string, text: string, status: number): Case => ({
    name,
    pieces: [text],
    due: explained(status),
  });
  return [
    one('a path with NUL', message('GET /%00 HTTP/1.1'), 400),
    one('a path that is not percent-encoded', message('GET /%zz HTTP/1.1'), 400),
    one('a path cut off within an escape', message('GET /% HTTP/1.1'), 400),
    one('a path above the root', message('GET /../../x HTTP/1.1'), 400),
    one('an encoded path above the root', message('GET /%2e%2e/x HTTP/1.1'), 400),
    one('a target of 17 kB', message(`GET /${'a'.repeat(17_000)} HTTP/1.1`), 414),
    one('a query of 17 kB', message(`GET /?${'a'.repeat(17_000)} HTTP/1.1`), 414),
    one('a header of 17 kB', message('GET / HTTP/1.1', [`X: ${'a'.repeat(17_000)}`]), 431),
    one('CONNECT', message('CONNECT site.example:443 HTTP/1.1'), 400),
    one('OPTIONS *', message('OPTIONS * HTTP/1.1'), 400),
    one('TRACE', message('TRACE /api/articles HTTP/1.1'), 405),
    one('another encoding', message('GET /docs HTTP/1.1', ['Transfer-Encoding: gzip']), 501),
    one('a later version', message('GET /docs HTTP/3.0'), 505),
    one('no Host', 'GET /docs HTTP/1.1\r\nConnection: close\r\n\r\n', 400),
    one('a path of the proxy alone', message('GET /.problem/400 HTTP/1.1'), 404),
    one('too long a body', message('POST /api/login HTTP/1.1', ['Content-Length: 99999999']), 413),
    one('a TLS handshake', `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${kept('GET / HTTP/1.1')}`, 400),
  ];
}
