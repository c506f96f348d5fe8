import { gzipSync } from 'node:zlib';
import { Embeds, mayBeFramed } from '@pressroom/content/embeds/embeds';
import { PROVIDERS } from '@pressroom/content/embeds/providers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { FeedHost, heldAnswers } from '../support/feed-host.ts';

let host: FeedHost;
let fixture: ContentFixture;

beforeAll(async () => {
  host = await FeedHost.start();
  const providers = PROVIDERS.map((provider) => ({ ...provider, endpoint: at(`/oembed/${provider.name}`) }));
  const embeds = new Embeds({ providers, privateHosts: ['localhost'], mostMs: 3000 });
  fixture = await contentFixture({}, embeds);
});
afterEach(() => host.clear());
afterAll(async () => {
  await fixture.close();
  await host.close();
});

/** The address of a page of the host, by the name that may be private. */
const at = (path: string) => host.at(path).replace('127.0.0.1', 'localhost');

const ask = (url: string) => fixture.client.send(`/api/embeds?url=${encodeURIComponent(url)}`);

const html = (body: string | Buffer, headers: Record<string, string> = {}) => ({
  headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  body,
});

test('a film becomes a frame of its provider, named by its oEmbed, whose HTML goes nowhere', async () => {
  const body = JSON.stringify({
    title: 'The tide',
    author_name: 'Ada',
    thumbnail_url: 'https://i.ytimg.com/vi/a1/hq.jpg',
    html: '<script>alert(1)</script><iframe src="https://evil.example/"></iframe>',
  });
  const page = 'https://www.youtube.com/watch?v=a1&t=42s';
  const asked = `/oembed/YouTube?url=${encodeURIComponent(page)}&format=json`;
  host.set(asked, { headers: { 'content-type': 'application/json' }, body });
  const { status, body: answer, text } = await ask(page);
  expect([status, answer.data]).toEqual([
    200,
    {
      url: page,
      provider: 'YouTube',
      frame: {
        src: 'https://www.youtube-nocookie.com/embed/a1?start=42',
        title: 'The tide',
        width: 640,
        height: 360,
      },
      card: {
        url: page,
        title: 'The tide',
        site: 'YouTube',
        text: 'Ada',
        picture: 'https://i.ytimg.com/vi/a1/hq.jpg',
      },
    },
  ]);
  expect(text).not.toMatch(/script|evil/);
  // Known for a while: the provider is not asked again.
  await ask(page);
  expect(host.requests).toHaveLength(1);
});

test('any other page becomes a card of its Open Graph, in its own encoding', async () => {
  const page = Buffer.concat([
    Buffer.from('<html><head><meta charset="gbk"><title>x</title><meta property="og:title" content="'),
    // 潮汐, in GBK.
    Buffer.from([0xb3, 0xb1, 0xcf, 0xab]),
    Buffer.from(
      ' &lt;script&gt; > &amp;"><meta content=Tides name=description><meta property=og:site_name content="The Pier">' +
        '<meta property="og:image" content="https://cdn.example/a.jpg?a&amp;b"><meta property="og:title" content="no">',
    ),
  ]);
  host.set('/gbk', html(gzipSync(page), { 'content-type': 'text/html', 'content-encoding': 'gzip' }));
  expect((await ask(at('/gbk'))).body.data).toEqual({
    url: at('/gbk'),
    provider: null,
    frame: null,
    card: {
      url: at('/gbk'),
      title: '潮汐 <script> > &',
      site: 'The Pier',
      text: 'Tides',
      picture: 'https://cdn.example/a.jpg?a&b',
    },
  });
});

test('what a page has in comments and scripts, it does not say', async () => {
  const hidden = '<meta property="og:title" content="Hidden">';
  const body = `<!-- ${hidden} --><script>'${hidden}'</script><title>The &amp;amp; tide</title>${hidden}`;
  host.set('/hidden', html(body.replace(/Hidden">$/, 'Shown">')));
  host.set('/titled', html(`<!-- ${hidden} --><title>The &amp;amp; tide</title>`));
  const titleOf = async (path: string) => (await ask(at(path))).body.data.card.title;
  expect([await titleOf('/hidden'), await titleOf('/titled')]).toEqual(['Shown', 'The &amp; tide']);
});

test('an endless page with an endless title is read at its beginning alone', async () => {
  host.set('/endless', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    const write = () => {
      while (response.write(`<title>${'long '.repeat(10_000)}`));
    };
    response.on('drain', write);
    write();
  });
  const { card } = (await ask(at('/endless'))).body.data;
  expect([card.title.length, card.title.endsWith('long…')]).toEqual([expect.any(Number), true]);
  expect(card.title.length).toBeLessThanOrEqual(300);
});

test.each([
  ['embed_not_public', 'http://127.0.0.1:1/'],
  ['embed_not_public', 'http://[::ffff:169.254.169.254]/latest/meta-data'],
  ['embed_not_public', () => at('/inside')],
  ['embed_unreachable', () => at('/elsewhere')],
  ['embed_unreachable', () => at('/circle')],
  ['embed_unreachable', 'https://youtube.com.evil.invalid/watch?v=1'],
  ['embed_not_page', () => at('/file')],
  ['embed_answers_error', () => at('/none')],
  ['embed_answers_error', 'https://vimeo.com/1'],
  ['embed_too_slow', () => at('/slow')],
])('what cannot be embedded says why: %s, %s', async (code, address) => {
  host.set('/inside', { status: 302, headers: { location: host.at('/secret') } });
  host.set('/secret', html('<title>Secret</title>'));
  host.set('/elsewhere', { status: 302, headers: { location: 'file:///etc/passwd' } });
  host.set('/circle', { status: 301, headers: { location: '/circle' } });
  host.set('/file', { headers: { 'content-type': 'application/pdf' }, body: '%PDF' });
  host.set('/slow', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write('<title>Slow');
  });
  const { status, body } = await ask(typeof address === 'string' ? address : address());
  expect([status, body.code]).toEqual([422, code]);
  expect(host.to('/secret')).toEqual([]);
});

test.each(['', 'file:///etc/passwd', 'javascript:alert(1)', 'https://ada:secret@a.example/', 'nothing'])(
  'only web addresses are asked: %j',
  async (address) => {
    expect((await ask(address)).status).toBe(400);
  },
);

test('links to other sites that do not answer are named, by HEAD and else by GET', async () => {
  const answers = (status: number) => ({ status });
  host.set('/found', answers(200));
  host.set('/moved', { status: 301, headers: { location: '/found' } });
  host.set(
    '/no-head',
    (request, response) => void response.writeHead(request.method === 'HEAD' ? 405 : 200).end(),
  );
  host.set('/gone', answers(410));
  host.set('/refused', answers(403));
  host.set('/broken', answers(500));
  host.set('/inside', { status: 302, headers: { location: host.at('/secret') } });
  host.set('/circle', { status: 301, headers: { location: '/circle' } });
  const urls = [
    ...[at('/found'), at('/moved'), at('/no-head'), 'mailto:ada@a.example', '/own', 'javascript:alert(1)'],
    ...[at('/none'), at('/gone'), at('/broken'), 'http://127.0.0.1:1/', 'http://[::ffff:169.254.169.254]/'],
    ...[at('/inside'), at('/circle'), at('/refused'), 'https://ada:secret@a.example/'],
    ...['http://localhost:1/', 'https://nowhere.invalid/'],
  ];
  const { status, body } = await fixture.client.post('/api/articles/links/external', { urls });
  const found = body.data.map(({ url, fault }: Record<string, string>) => [url, fault]);
  expect([status, found]).toEqual([
    200,
    [
      ...[
        [at('/none'), 'missing'],
        [at('/gone'), 'missing'],
        [at('/broken'), 'unanswered'],
      ],
      ...['http://127.0.0.1:1/', 'http://[::ffff:169.254.169.254]/', at('/inside'), at('/circle')].map(
        (url) => [url, 'unchecked'],
      ),
      ...[
        [at('/refused'), 'unchecked'],
        ['https://ada:secret@a.example/', 'unchecked'],
      ],
      ...[
        ['http://localhost:1/', 'unanswered'],
        ['https://nowhere.invalid/', 'unanswered'],
      ],
    ],
  ]);
  expect([host.to('/found').length, host.to('/no-head').length, host.to('/secret')]).toEqual([2, 2, []]);
});

test('other sites are asked for 120 links at once', async () => {
  const held = heldAnswers();
  const urls = Array.from({ length: 30 }, (_, index) => at(`/held?${index}`));
  for (const url of urls) host.set(url.slice(at('').length), held.hold);
  const check = () => fixture.client.post('/api/articles/links/external', { urls });
  const checks = [check(), check(), check(), check()];
  await expect.poll(() => held.open.length).toBe(120);
  const { status, body } = await check();
  expect([status, body.reason]).toEqual([503, 'busy']);
  while (held.open.length > 0) held.answerOne();
  for (const { status: done, body: answer } of await Promise.all(checks))
    expect([done, answer.data]).toEqual([200, []]);
});

test('more links than a question may have are refused', async () => {
  const ask = async (urls: unknown) =>
    (await fixture.client.post('/api/articles/links/external', { urls })).status;
  expect([await ask([]), await ask(Array(31).fill('/')), await ask('/')]).toEqual([200, 422, 422]);
});

test.each([
  [{}, true],
  [{ 'x-frame-options': 'SAMEORIGIN' }, false],
  [{ 'content-security-policy': "default-src 'self'; Frame-Ancestors 'none'" }, false],
  [{ 'content-security-policy': "frame-ancestors *, frame-ancestors 'self' https://a.example" }, false],
  [{ 'content-security-policy': "default-src 'none'; frame-ancestors https: http:" }, true],
])('a page with the headers %j may be framed: %s', (headers, expected) => {
  const url = new URL('https://page.example/');
  expect(mayBeFramed({ url, headers, body: Buffer.alloc(0) })).toBe(expected);
  expect(mayBeFramed({ url: new URL('http://page.example/'), headers, body: Buffer.alloc(0) })).toBe(false);
});
