import { createHash } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { get } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type GalleryFixture,
  galleryFixture,
  type RunningGallery,
  startGallery,
} from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { type Answering, type MediaHost, startMediaHost } from '../support/media-host.ts';
import { until } from '../support/until.ts';

const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };
const MIB = 2 ** 20;

/** The addresses of the tests' names; a name that is not here leads to the test's own server. */
const addresses = new Map<string, LookupAddress[]>([
  ['private.test', [LOOPBACK]],
  ['mixed.test', [{ address: '2001:200::1', family: 6 }, LOOPBACK]],
  ['metadata.test', [{ address: '169.254.169.254', family: 4 }]],
  ['mapped.test', [{ address: '::ffff:127.0.0.1', family: 6 }]],
  ['nat64.test', [{ address: '64:ff9b::7f00:1', family: 6 }]],
  ['nameless.test', []],
]);
const lookups: string[] = [];

let host: MediaHost;
let gallery: GalleryFixture;
/** The same, of a proxy that gives up soon. */
let impatient: RunningGallery;

beforeAll(async () => {
  const names = ['media.test', 'other.test', 'a.cdn.test'];
  host = await startMediaHost([...names, ...addresses.keys(), 'rebind.test']);
  const own = [...names, 'rebind.test', ...addresses.keys(), '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'];
  const allowed = own.filter((name) => name !== 'a.cdn.test').map((name) => `${name}:${host.port}`);
  const settings = {
    PROXY_ALLOWED_HOSTS: [...allowed, `*.cdn.test:${host.port}`, 'default-port.test', '127.0.0.1'].join(','),
    PROXY_PRIVATE_HOSTS: names.map((name) => `${name}:${host.port}`).join(','),
  };
  const proxy = { ca: host.ca, resolve };
  gallery = await galleryFixture(settings, { proxy: { ...proxy, firstByteMs: 120_000 } });
  impatient = await startGallery(gallery.settings, { proxy: { ...proxy, firstByteMs: 500 } });
});

afterAll(async () => {
  await impatient?.close();
  await gallery?.close();
  await host?.close();
});

afterEach(() => {
  host.answers.clear();
  host.requests.length = 0;
  lookups.length = 0;
});

async function resolve(hostname: string): Promise<LookupAddress[]> {
  lookups.push(hostname);
  if (hostname === 'rebind.test') {
    // Public when it is asked first, loopback from then on; nothing answers at the public address.
    return lookups.length === 1 ? [{ address: '2001:200::1', family: 6 }] : [LOOPBACK];
  }
  return addresses.get(hostname) ?? [LOOPBACK];
}

function mediaUrl(path: string, name = 'media.test'): string {
  return `https://${name}:${host.port}${path}`;
}

function proxied(url: string, headers: Record<string, string> = {}, more = '') {
  return gallery.ask(`/api/proxy?url=${encodeURIComponent(url)}${more}`, { headers });
}

/** Asks the proxy that gives up soon. */
function proxiedSoon(url: string) {
  const headers = { cookie: gallery.cookie };
  return send(`${impatient.url}/api/proxy?url=${encodeURIComponent(url)}`, { headers });
}

function answer(path: string, answering: Answering): string {
  host.answers.set(path, answering);
  return mediaUrl(path);
}

function sends(body: string | Buffer, headers: Record<string, string> = {}): Answering {
  const described = { 'content-type': 'image/png', 'content-length': Buffer.byteLength(body), ...headers };
  return (_request, response) => response.writeHead(200, described).end(body);
}

function redirects(location: string, status = 302): Answering {
  return (_request, response) => response.writeHead(status, { location }).end();
}

test('media is passed on with what describes it, and cannot run as a page', async () => {
  const url = answer('/a.png', sends('bytes', { etag: '"v1"', 'x-secret': 's', 'set-cookie': 'a=b' }));
  const { status, text, headers } = await proxied(url);
  expect([status, text]).toEqual([200, 'bytes']);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': '5',
    'cache-control': 'private, max-age=3600',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    etag: '"v1"',
  });
  expect([headers.get('x-secret'), headers.get('set-cookie')]).toEqual([null, null]);
});

test('neither the session nor anything else of the client reaches the host', async () => {
  let seen: NodeJS.Dict<string | string[]> = {};
  const url = answer('/a.png', (request, response) => {
    seen = request.headers;
    sends('x')(request, response);
  });
  await proxied(url, {
    referer: 'https://admin.example/',
    authorization: 'Bearer s',
    'x-forwarded-for': '1.2.3.4',
  });
  expect(Object.keys(seen).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
});

test.each([
  [
    'svg with a script',
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  ],
  ['video', 'video/mp4', 'film'],
  ['audio', 'audio/mpeg; x="y"', 'sound'],
])('%s is passed on as it is, in a sandbox', async (_, type, body) => {
  const { status, text, headers } = await proxied(answer('/it', sends(body, { 'content-type': type })));
  expect([status, text, headers.get('content-type')]).toEqual([200, body, type]);
  expect(headers.get('content-security-policy')).toBe('sandbox');
});

test.each([
  [undefined],
  [''],
  ['not a url'],
  ['/relative.png'],
  ['//media.test/a.png'],
  ['http://media.test/a.png'],
  ['ftp://media.test/a.png'],
  ['file:///etc/passwd'],
  ['data:image/png;base64,AAAA'],
  ['https://user@media.test/a.png'],
  ['https://user:secret@media.test/a.png'],
  ['https://:secret@media.test/a.png'],
  ['https://'],
  ['https://media.test:99999/'],
  [`https://media.test/${'a'.repeat(8192)}`],
])('url=%j is 400', async (url) => {
  const query = url === undefined ? '' : `?url=${encodeURIComponent(url)}`;
  const { status, body, text } = await gallery.ask(`/api/proxy${query}`);
  expect([status, body.code, body.success]).toEqual([400, 'invalid_request', false]);
  expect(text).not.toContain('secret');
});

test.each(['thumbnail=1', 'thumbnail=', 'size=5', 'url=https%3A%2F%2Fother.test%2F'])(
  '%s is 400',
  async (more) => {
    const { status, body } = await proxied(mediaUrl('/a.png'), {}, `&${more}`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  },
);

test('without a session it is 401', async () => {
  const url = encodeURIComponent(answer('/a.png', sends('x')));
  expect((await send(`${gallery.url}/api/proxy?url=${url}`)).status).toBe(401);
  expect(host.requests).toEqual([]);
});

/** URLs of hosts, ports and addresses that are not to be asked; `PORT` is the port of the test's server. */
const FORBIDDEN = [
  'https://unlisted.test:PORT/a.png',
  'https://media.test/a.png',
  'https://media.test:444/a.png',
  'https://default-port.test:PORT/a.png',
  'https://media.test.:PORT/a.png',
  'https://sub.media.test:PORT/a.png',
  'https://cdn.test:PORT/a.png',
  'https://media.test.evil.test:PORT/a.png',
  'https://evil.test:PORT/media.test',
  'https://media.test%2eevil.test:PORT/',
  'https://localhost:PORT/a.png',
  'https://127.0.0.1:PORT/a.png',
  'https://127.0.0.1/a.png',
  'https://2130706433:PORT/a.png',
  'https://0x7f.1:PORT/a.png',
  'https://0177.0.0.1:PORT/a.png',
  'https://127.1:PORT/a.png',
  'https://[::1]:PORT/a.png',
  'https://[::ffff:127.0.0.1]:PORT/a.png',
  'https://[0:0:0:0:0:ffff:7f00:1]:PORT/a.png',
  'https://private.test:PORT/a.png',
  'https://mixed.test:PORT/a.png',
  'https://metadata.test:PORT/a.png',
  'https://mapped.test:PORT/a.png',
  'https://nat64.test:PORT/a.png',
];

test.each(FORBIDDEN)('%s is 403, and nobody is asked', async (url) => {
  answer('/a.png', sends('x'));
  const { status, body } = await proxied(url.replace('PORT', String(host.port)));
  expect([status, body.code, body.success]).toEqual([403, 'forbidden', false]);
  expect(host.requests).toEqual([]);
});

test('a name whose address changes after the check leads to the address that was checked', async () => {
  answer('/a.png', sends('inside'));
  const { status } = await proxiedSoon(mediaUrl('/a.png', 'rebind.test'));
  expect([500, 504]).toContain(status);
  expect(lookups).toEqual(['rebind.test']);
  expect(host.requests).toEqual([]);
  // Asked again, the name leads inside, and that is refused.
  expect((await proxiedSoon(mediaUrl('/a.png', 'rebind.test'))).status).toBe(403);
  expect(host.requests).toEqual([]);
});

test('a subdomain of a listed wildcard is asked', async () => {
  answer('/a.png', sends('x'));
  expect((await proxied(mediaUrl('/a.png', 'a.cdn.test'))).status).toBe(200);
});

test('redirects are followed, three at most', async () => {
  answer('/end', sends('end'));
  answer('/3', redirects('/end', 308));
  answer('/2', redirects(mediaUrl('/3', 'other.test'), 307));
  answer('/1', redirects('//other.test:PORT/2'.replace('PORT', String(host.port)), 301));
  const { status, text } = await proxied(mediaUrl('/1'));
  expect([status, text]).toEqual([200, 'end']);
  const { status: tooMany, body } = await proxied(answer('/0', redirects('/1')));
  expect([tooMany, body.code]).toEqual([500, 'upstream_failed']);
});

test('a circle of redirects and a redirect to nowhere end', async () => {
  expect((await proxied(answer('/round', redirects('/round')))).status).toBe(500);
  const nowhere = answer('/nowhere', (_request, response) => response.writeHead(302).end());
  expect((await proxied(nowhere)).status).toBe(500);
});

test.each([
  ...FORBIDDEN,
  'http://media.test:PORT/a.png',
  'ftp://media.test/a.png',
  'https://user:secret@media.test:PORT/a.png',
  'https://',
])('a redirect to %s is 403', async (location) => {
  answer('/a.png', sends('x'));
  const { status, body } = await proxied(
    answer('/start', redirects(location.replace('PORT', String(host.port)))),
  );
  expect([status, body.code]).toEqual([403, 'forbidden']);
  expect(host.requests).toHaveLength(1);
});

test.each([
  ['text/html'],
  ['application/json'],
  ['application/octet-stream'],
  ['multipart/byteranges; boundary=x'],
  ['images/png'],
  ['image/'],
  ['text/html; image/png'],
  [undefined],
])('content of type %j is 400', async (type) => {
  const url = answer('/it', (_request, response) => {
    if (type !== undefined) response.setHeader('content-type', type);
    response.end('<p>');
  });
  const { status, body } = await proxied(url);
  expect([status, body.code]).toEqual([400, 'not_media']);
});

test.each([400, 401, 403, 404, 410, 429, 500, 503, 206, 304])(
  'a host that answers %i unasked is 500',
  async (answered) => {
    const url = answer('/it', (_request, response) => {
      response
        .writeHead(answered, { 'content-type': 'image/png' })
        .end(answered === 304 ? undefined : 'inner words');
    });
    const { status, body, text } = await proxied(url);
    expect([status, body.code]).toEqual([500, 'upstream_failed']);
    expect(body.message).toContain(String(answered));
    expect(text).not.toContain('inner words');
  },
);

test('hosts that are not there, break off or show another certificate are 500', async () => {
  expect((await proxied(mediaUrl('/', 'nameless.test'))).body.code).toBe('upstream_failed');
  const broken = answer('/broken', (request) => request.socket.destroy());
  expect((await proxied(broken)).body.code).toBe('upstream_failed');
  // The certificate names other hosts.
  expect((await proxied(mediaUrl('/', 'b.cdn.test'))).status).toBe(403);
  addresses.set('default-port.test', [LOOPBACK]);
  expect((await proxied('https://default-port.test/')).status).toBe(403);
});

test('a host that says nothing, and one that says nothing after its headers, are 504', async () => {
  const silent = answer('/silent', () => undefined);
  const headersOnly = answer('/headers', (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).flushHeaders();
  });
  const answers = await Promise.all([proxiedSoon(silent), proxiedSoon(headersOnly)]);
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
    [504, 'upstream_timeout'],
    [504, 'upstream_timeout'],
  ]);
});

test('a body that declares more than 50 MiB is 400, one of exactly 50 MiB passes', async () => {
  const body = Buffer.alloc(50 * MIB, 7);
  const passes = await fetch(
    `${gallery.url}/api/proxy?url=${encodeURIComponent(answer('/50', sends(body)))}`,
    {
      headers: { cookie: gallery.cookie },
    },
  );
  const received = Buffer.from(await passes.arrayBuffer());
  expect([passes.status, received.equals(body)]).toEqual([200, true]);
  const over = answer('/over', sends(Buffer.alloc(50 * MIB + 1)));
  const { status, body: problem } = await proxied(over);
  expect([status, problem.code]).toEqual([400, 'media_too_large']);
});

/** Sends without end, as fast as it is read; tells how much was taken and when the reader is gone. */
function endless() {
  const state = { sent: 0, closed: false };
  const answering: Answering = (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' });
    response.on('close', () => {
      state.closed = true;
    });
    const more = () => {
      while (!state.closed) {
        state.sent += MIB;
        if (!response.write(Buffer.alloc(MIB))) return void response.once('drain', more);
      }
    };
    more();
  };
  return { state, answering };
}

test('a body without end is cut at 50 MiB, and the host is let go', async () => {
  const { state, answering } = endless();
  const response = await fetch(
    `${gallery.url}/api/proxy?url=${encodeURIComponent(answer('/endless', answering))}`,
    {
      headers: { cookie: gallery.cookie },
    },
  );
  let received = 0;
  const reading = (async () => {
    for await (const chunk of response.body ?? []) received += chunk.length;
  })();
  await expect(reading).rejects.toThrow();
  expect(received).toBeLessThanOrEqual(50 * MIB);
  expect(received).toBeGreaterThan(40 * MIB);
  await until('the host is let go', () => state.closed);
});

test('a client that goes away stops the host, in the middle and before the first byte', async () => {
  const { state, answering } = endless();
  const logged = gallery.log.events().length;
  let waiting: boolean | undefined;
  const silent = answer('/silent', (_request, response) => {
    waiting = true;
    response.on('close', () => {
      waiting = false;
    });
  });
  for (const url of [answer('/endless', answering), silent]) {
    const request = get(`${gallery.url}/api/proxy?url=${encodeURIComponent(url)}`, {
      headers: { cookie: gallery.cookie },
    });
    request.on('error', () => undefined);
    if (url !== silent) await once(request, 'response');
    else await until('the host is asked', () => waiting);
    request.destroy();
  }
  await until('the host that sends is let go', () => state.closed);
  await until('the host that waits is let go', () => waiting === false);
  const { headers } = await proxied(answer('/after.png', sends('x')));
  const since = () => gallery.log.events().slice(logged);
  await until('what followed is logged', () =>
    since().some(({ requestId }) => requestId === headers.get('x-request-id')),
  );
  await until('the break is logged', () => since().some(({ msg }) => msg === 'response_broken_off'));
  expect(since().filter(({ msg }) => msg === 'request_failed')).toEqual([]);
  for (const secret of [gallery.cookie.split('=')[1] ?? '', '/endless']) {
    expect(gallery.log.text()).not.toContain(secret);
  }
  // The proxy held a few buffers for the client, not the body.
  expect(state.sent).toBeLessThan(50 * MIB);
});

test('a slow reader slows down the host instead of filling the memory', async () => {
  const { state, answering } = endless();
  const request = get(`${gallery.url}/api/proxy?url=${encodeURIComponent(answer('/endless', answering))}`, {
    headers: { cookie: gallery.cookie },
  });
  request.on('error', () => undefined);
  await once(request, 'response');
  let before = -1;
  await until('the host is held back', async () => {
    const stands = state.sent === before;
    before = state.sent;
    await new Promise((resolve) => setTimeout(resolve, 200));
    return stands && state.sent === before;
  });
  expect(state.sent).toBeLessThan(45 * MIB);
  request.destroy();
  await until('the host is let go', () => state.closed);
});

/** A host that knows ranges and validators. */
const knowing: Answering = (request, response) => {
  const body = '0123456789';
  const described = { 'content-type': 'video/mp4', etag: '"v1"', 'accept-ranges': 'bytes' };
  if (request.headers['if-none-match'] === '"v1"') return void response.writeHead(304, described).end();
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (first === undefined || last === undefined) return void response.writeHead(200, described).end(body);
  if (Number(first) >= body.length) {
    return void response.writeHead(416, { ...described, 'content-range': 'bytes */10' }).end();
  }
  const part = body.slice(Number(first), Number(last) + 1);
  const range = { 'content-range': `bytes ${first}-${last}/10`, 'content-length': part.length };
  return void response.writeHead(206, { ...described, ...range }).end(part);
};

test('a range passes through, with its answer', async () => {
  const url = answer('/film', knowing);
  const part = await proxied(url, { range: 'bytes=2-4' });
  expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10']);
  const outside = await proxied(url, { range: 'bytes=20-30' });
  expect([outside.status, outside.body.code]).toEqual([416, 'range_not_satisfiable']);
  expect(outside.headers.get('content-range')).toBe('bytes */10');
  const pieces = await proxied(url, { range: 'bytes=0-1,4-5' });
  expect([pieces.status, pieces.text]).toEqual([200, '0123456789']);
});

test('a validator passes through', async () => {
  const url = answer('/film', knowing);
  const { status, text, headers } = await proxied(url, { 'if-none-match': '"v1"' });
  expect([status, text, headers.get('etag')]).toEqual([304, '', '"v1"']);
  expect([headers.get('content-type'), headers.get('content-length')]).toEqual([null, null]);
  expect(headers.get('cache-control')).toBe('private, max-age=3600');
});

test('HEAD answers as GET without the body', async () => {
  const url = answer('/a.png', sends('bytes'));
  const { status, text, headers } = await gallery.ask(`/api/proxy?url=${encodeURIComponent(url)}`, {
    method: 'HEAD',
  });
  expect([status, text, headers.get('content-length')]).toEqual([200, '', '5']);
});

test('large media arrives byte for byte', async () => {
  const body = Buffer.alloc(10 * MIB);
  for (let index = 0; index < body.length; index += 4)
    body.writeUInt32LE((index * 2654435761) % 2 ** 32, index);
  const url = encodeURIComponent(answer('/large', sends(body)));
  const response = await fetch(`${gallery.url}/api/proxy?url=${url}`, {
    headers: { cookie: gallery.cookie },
  });
  const hash = createHash('sha256').update(Buffer.from(await response.arrayBuffer()));
  expect(hash.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
});

test('no log line contains the requested URL: a signed URL gives access to its target', async () => {
  const url = answer('/signed.png', sends('x'));
  for (const suffix of ['?X-Amz-Signature=0123abcd', '?X-Amz-Signature=0123abcd&x=http://']) {
    await proxied(url + suffix);
    await proxied(url.replace('media.test', 'unlisted.test') + suffix);
    await proxied(mediaUrl('/missing.png') + suffix);
    await proxied(mediaUrl('/missing.png', 'nameless.test') + suffix);
  }
  await until('the requests are logged', () => gallery.log.text().includes('/api/proxy'));
  expect(gallery.log.text()).not.toContain('0123abcd');
});
