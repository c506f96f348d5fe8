import { connect as connectHttp2 } from 'node:http2';
import { securityHeaders } from '@pressroom/common/http/create-server';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../support/http.ts';
import { needsNginx } from '../support/needs-nginx.ts';
import { type RunningProxy, startProxy } from '../support/proxy.ts';
import { exchange, parseAnswer, type RawAnswer } from '../support/raw-http.ts';

needsNginx();

const DOMAIN = 'site.example';
const SUBDOMAINS = 'max-age=31536000; includeSubDomains';

let plain: RunningProxy | undefined;
let named: RunningProxy | undefined;
let port: number;

beforeAll(async () => {
  port = await findFreePort();
  plain = await startProxy({});
  named = await startProxy({ DOMAIN, TLS_LISTEN: `127.0.0.1:${port}` });
});

afterAll(async () => {
  await plain?.close();
  await named?.close();
});

/** Sends bytes, after which the proxy closes the connection. */
async function answerTo(text: string, url = plain?.url ?? ''): Promise<RawAnswer> {
  return parseAnswer(await exchange(url, text)).answer;
}

const get = (path: string, host = DOMAIN) =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

/** An answer over HTTP/2, in which `:path` may be anything. */
function answerOverHttp2(path: string): Promise<{ headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`https://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
      servername: DOMAIN,
    });
    session.on('error', reject);
    const stream = session.request({ ':path': path, ':authority': DOMAIN }).setEncoding('utf8');
    let body = '';
    let headers = {};
    stream.on('response', (received) => {
      headers = received;
    });
    stream.on('data', (chunk: string) => {
      body += chunk;
    });
    stream.on('end', () => {
      session.close();
      resolve({ headers, body });
    });
    stream.on('error', reject).end();
  });
}

describe('what the proxy cannot read or does not do is a problem document', () => {
  test.each([
    ['a path with NUL', get('/%00'), 400],
    ['a path that is not percent-encoded', get('/%zz'), 400],
    ['a path above the root', get('/../../x'), 400],
    ['a target of 17 kB', get(`/${'a'.repeat(17_000)}`), 414],
    ['headers of 20 kB', get(`/ HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\nY:`), 431],
    ['CONNECT', 'CONNECT site.example:443 HTTP/1.1\r\nHost: site.example\r\n\r\n', 400],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: site.example\r\n\r\n', 400],
    ['TRACE', get('/docs').replace('GET', 'TRACE'), 405],
    ['an unknown encoding', get('/docs HTTP/1.1\r\nTransfer-Encoding: gzip\r\nY:'), 501],
    ['another version', 'GET / HTTP/3.0\r\nHost: site.example\r\n\r\n', 505],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
  ])('%s', async (_what, text, status) => {
    const { headers, body, ...answer } = await answerTo(text);
    expect([answer.status, headers['content-type']]).toEqual([status, 'application/problem+json']);
    expect(JSON.parse(body)).toMatchObject({ status, success: false, requestId: headers['x-request-id'] });
    if (status === 405) expect(headers.allow).toMatch(/^GET, /);
  });

  test.each([
    ['', 400],
    ['/%00', 400],
    ['/nothing', 404],
  ])('the path %j over HTTP/2', async (path, status) => {
    const { headers, body } = await answerOverHttp2(path);
    expect([headers[':status'], headers['content-type']]).toEqual([status, 'application/problem+json']);
    expect(JSON.parse(body).status).toBe(status);
  });

  test.each([
    ['POST', '/docs'],
    ['DELETE', '/openapi.json?a'],
    ['OPTIONS', '/healthz'],
  ])('%s of the page %s, which can only be read', async (method, path) => {
    const { status, headers, body } = await send(`${plain?.url}${path}`, { method });
    expect([status, body.code, headers.get('allow')]).toEqual([405, 'method_not_allowed', 'GET, HEAD']);
  });

  test('the method and the path of what was refused are logged', async () => {
    const id = `logged-${process.pid}`;
    await send(`${plain?.url}/nothing?secret`, { method: 'DELETE', headers: { 'x-request-id': id } });
    const line = (await plain?.logged(id)) ?? '';
    expect(JSON.parse(line)).toMatchObject({ method: 'DELETE', path: '/nothing', status: 404 });
  });
});

describe('security headers', () => {
  test.each(['/docs', '/openapi.json', '/healthz', '/nothing', '/api/articles', '/%00'])(
    'the answer to %s, which is the proxy’s own, has those of the services',
    async (path) => {
      expect((await answerTo(get(path))).headers).toMatchObject(securityHeaders());
    },
  );

  test.each([
    [DOMAIN, '/docs'],
    [`store.${DOMAIN}`, '/'],
    [`content.${DOMAIN}`, '/api/articles'],
  ])('with a domain, %s%s says that every name below it is https only', async (host, path) => {
    const { headers } = await answerTo(get(path, host), named?.url);
    expect(headers['strict-transport-security']).toBe(SUBDOMAINS);
    expect((await answerOverHttp2(path)).headers['strict-transport-security']).toBe(SUBDOMAINS);
  });
});

describe('plain http with a domain', () => {
  test.each([
    DOMAIN,
    `content.${DOMAIN}`,
    `news-feed.${DOMAIN}`,
    `gallery-admin.${DOMAIN}`,
    `store.${DOMAIN}`,
  ])('leads to https at %s', async (host) => {
    const { status, headers } = await answerTo(get('/a?b=c', host), named?.url);
    expect([status, headers.location]).toEqual([308, `https://${host}/a?b=c`]);
  });

  test.each(['evil.example', `evil.${DOMAIN}`, `${DOMAIN}.evil.example`, '127.0.0.1'])(
    'leads nowhere at %s, which is none of its names',
    async (host) => {
      const { status, headers, body } = await answerTo(get('/a', host), named?.url);
      expect([status, headers.location, JSON.parse(body).status]).toEqual([421, undefined, 421]);
    },
  );
});
