import { randomBytes } from 'node:crypto';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { SourceCode } from '@pressroom/common/failures/failure';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { editSource } from '@pressroom/news-feed/reading/sources';
import { pollSource } from '@pressroom/news-feed/work/poll-source';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { rss } from '../../support/feed-host.ts';
import { sourceJudge } from '../../support/plain-newsroom.ts';
import { type Desk, openDesk } from '../../support/polling.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterEach(() => desk.clear());
afterAll(() => desk.close());

const HOUR_MS = 3_600_000;

/** Seconds from `now` to the next poll of a source. */
async function waitOf(id: number): Promise<number> {
  const { next_poll_at } = await desk.source(id);
  return (next_poll_at.getTime() - desk.now.value.getTime()) / 1000;
}

test('an unchanged feed is asked conditionally, and less and less often', async () => {
  desk.host.set('/feed', (request, response) => {
    if (request.headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
    response.writeHead(200, { etag: '"1"', 'last-modified': 'Fri, 20 Nov 2026 00:00:00 GMT' });
    response.end(rss([{ guid: 'a' }]));
  });
  const id = await desk.add('/feed');
  await desk.poll(id);
  const waits = [await waitOf(id)];
  for (let round = 0; round < 3; round += 1) {
    expect(await desk.poll(id)).toEqual({ kind: 'unchanged' });
    waits.push(await waitOf(id));
  }
  expect(waits).toEqual([450, 675, 1013, 1520]);
  expect(desk.host.to('/feed')[1]?.headers).toMatchObject({
    'if-none-match': '"1"',
    'if-modified-since': 'Fri, 20 Nov 2026 00:00:00 GMT',
  });
});

test('what the source says about its pace is honoured', async () => {
  const updates = '<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>';
  desk.host.set('/period', { body: rss([{ guid: 'a' }], { channel: updates }) });
  desk.host.set('/ttl', { body: rss([{ guid: 'b' }], { channel: '<ttl>90</ttl>' }) });
  desk.host.set('/cache', {
    headers: { 'cache-control': 'public, max-age=7200', age: '1200' },
    body: rss([{ guid: 'c' }]),
  });
  desk.host.set('/limited', { status: 429, headers: { 'retry-after': '86400' } });
  const later = new Date(desk.now.value.getTime() + 5 * HOUR_MS).toUTCString();
  desk.host.set('/away', { status: 503, headers: { 'retry-after': later } });
  const waits: Record<string, number> = {};
  for (const path of ['/period', '/ttl', '/cache', '/limited', '/away']) {
    const id = await desk.add(path);
    await desk.poll(id);
    waits[path] = await waitOf(id);
  }
  expect(waits).toEqual({
    '/period': 21_600,
    '/ttl': 5400,
    '/cache': 6000,
    '/limited': 86_400,
    '/away': 5 * 3600,
  });
});

test('what the database does not take is a failure of its source, an outage is not', async () => {
  desk.host.set('/feed', { body: rss([{ guid: 'a' }]) });
  const id = await desk.add('/feed');
  const failsWith = async (code: string) => {
    await sql`
      create or replace function news.fail() returns trigger language plpgsql as
        ${sql.lit(`begin raise exception 'no place for it' using errcode = '${code}'; end`)}
    `.execute(desk.db);
    await sql`create or replace trigger fail before insert on news.source_entry execute function news.fail()`.execute(
      desk.db,
    );
  };
  try {
    await failsWith('57P03');
    await expect(desk.poll(id)).rejects.toThrow('no place for it');
    expect(await desk.source(id)).toMatchObject({ failures: 0, last_error: null });
    await failsWith('22003');
    const reason = 'what it sent cannot be stored: no place for it';
    expect(await desk.poll(id)).toEqual({ kind: 'failed', reason });
    expect(await desk.source(id)).toMatchObject({
      ...{ failures: 1, last_error: reason, last_error_code: 'source_unstorable' },
    });
    expect(await waitOf(id)).toBe(900);
  } finally {
    await sql`drop trigger fail on news.source_entry`.execute(desk.db);
    await sql`drop function news.fail()`.execute(desk.db);
  }
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 1 });
});

test('every content coding is undone, and every charset read', async () => {
  const latin1 = Buffer.from(
    rss([{ guid: 'latin', title: 'Größe' }]).replace('UTF-8', 'ISO-8859-1'),
    'latin1',
  );
  const gbk = Buffer.concat([
    Buffer.from('<?xml version="1.0" encoding="gb2312"?><rss version="2.0"><channel><title>x</title>'),
    Buffer.from('<item><link>https://source.example/gbk</link><title>'),
    Buffer.from([0xd0, 0xc2, 0xce, 0xc5]),
    Buffer.from('</title></item></channel></rss>'),
  ]);
  const utf16 = Buffer.from(
    `\ufeff${rss([{ guid: 'wide', title: '宽' }]).replace('UTF-8', 'UTF-16')}`,
    'utf16le',
  );
  // ISO-2022-JP: ASCII with sequences that begin with ESC, and so valid UTF-8, too.
  const japanese = (guid: string, encoding: string) =>
    Buffer.from(rss([{ guid, title: '\x1b$BF|K\\\x1b(B' }]).replace('UTF-8', encoding), 'latin1');
  const jis = { 'content-type': 'text/xml; charset=iso-2022-jp' };
  const wrong = { 'content-type': 'text/xml; charset=iso-8859-1' };
  const body = (guid: string) => Buffer.from(rss([{ guid, title: `Title ${guid} ü` }]));
  desk.host.set('/gzip', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(body('gzip')) });
  desk.host.set('/br', { headers: { 'content-encoding': 'br' }, body: brotliCompressSync(body('br')) });
  desk.host.set('/zstd', { headers: { 'content-encoding': 'zstd' }, body: zstdCompressSync(body('zstd')) });
  desk.host.set('/latin', { body: latin1 });
  desk.host.set('/gbk', { body: gbk });
  desk.host.set('/utf16', { body: utf16 });
  desk.host.set('/jis', { headers: jis, body: japanese('jis', 'UTF-8') });
  desk.host.set('/jis-xml', { body: japanese('jis-xml', 'ISO-2022-JP') });
  desk.host.set('/jis-wrong', { headers: jis, body: body('jis-wrong') });
  desk.host.set('/wrong', { headers: wrong, body: body('wrong') });
  const paths = ['/gzip', '/br', '/zstd', '/latin', '/gbk', '/utf16', '/wrong'];
  for (const path of [...paths, '/jis', '/jis-xml', '/jis-wrong']) {
    expect(await desk.poll(await desk.add(path)), path).toEqual({ kind: 'read', pending: 1 });
  }
  expect((await desk.items()).map(({ title }) => title).sort()).toEqual(
    [
      ...['Größe', '宽', '新闻', '日本', '日本'],
      ...['br', 'gzip', 'jis-wrong', 'wrong', 'zstd'].map((name) => `Title ${name} ü`),
    ].sort(),
  );
});

test('hostile and broken answers fail with their reason, and cost nothing else', async () => {
  const strict = desk.with({}, { maxBytes: 2 ** 20, totalMs: 1000 });
  const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
  const entities = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa">${Array.from(
    { length: 20 },
    (_, level) => `<!ENTITY a${level + 1} "${`&a${level || ''};`.repeat(10)}">`,
  ).join('')}]><rss version="2.0"><channel><title>&a20;</title></channel></rss>`;
  desk.host.set('/truncated', { body: rss([{ guid: 'a' }]).slice(0, 260) });
  desk.host.set('/empty', { body: '' });
  desk.host.set('/page', { headers: { 'content-type': 'text/html' }, body: '<p>Not a feed</p>' });
  desk.host.set('/bomb', { headers: { 'content-encoding': 'gzip' }, body: bomb });
  desk.host.set('/coding', { headers: { 'content-encoding': 'gzip' }, body: 'not gzip' });
  desk.host.set('/huge', (_request, response) => {
    response.writeHead(200);
    const more = () => {
      while (response.write(Buffer.alloc(65_536, ' '))) if (response.destroyed) return;
    };
    response.on('drain', more);
    more();
  });
  desk.host.set('/slow', (_request, response) => {
    response.writeHead(200).write('<');
    const timer = setInterval(() => response.write('r'), 100);
    response.on('close', () => clearInterval(timer));
  });
  desk.host.set('/private', { status: 302, headers: { location: 'http://10.0.0.1/feed' } });
  desk.host.set('/metadata', { status: 302, headers: { location: 'http://[::ffff:169.254.169.254]/' } });
  desk.host.set('/file', { status: 302, headers: { location: 'file:///etc/passwd' } });
  desk.host.set('/circle', { status: 302, headers: { location: '/circle' } });
  desk.host.set('/hangs-up', (request) => void request.socket.destroy());
  desk.host.set('/missing', { status: 404 });
  const html = { 'content-type': 'text/html' };
  const challenge = gzipSync('<title>Just a moment...</title>');
  const packed = { ...html, 'content-encoding': 'gzip' };
  desk.host.set('/challenge', { status: 403, headers: packed, body: challenge });
  desk.host.set('/bot', { headers: html, body: '<html><script id="anubis_challenge"></script>' });
  desk.host.set('/tracked', { status: 302, headers: { location: '/consent/?back=1' } });
  desk.host.set('/consent/?back=1', { headers: html, body: '<html><a href="/feed">Agree</a>' });
  desk.host.set('/members', { status: 401, headers: html, body: Buffer.alloc(2 ** 20, 'x') });
  desk.host.set('/blocked', { status: 403 });
  desk.host.set('/often', { status: 429 });
  const expected: Record<string, [RegExp, SourceCode]> = {
    '/empty': [/not a feed/, 'source_not_feed'],
    '/page': [/not a feed/, 'source_not_feed'],
    '/bomb': [/larger than 1 MiB/, 'source_too_large'],
    '/coding': [/not valid gzip/, 'source_encoding_wrong'],
    '/huge': [/larger than 1 MiB/, 'source_too_large'],
    '/slow': [/within 1 s/, 'source_too_slow'],
    '/private': [/10\.0\.0\.1 is not public/, 'source_not_public'],
    '/metadata': [/is not public/, 'source_not_public'],
    '/file': [/file: is not http/, 'source_redirects'],
    '/circle': [/more than 5 times/, 'source_redirects'],
    '/hangs-up': [/connection broke/, 'source_unreachable'],
    '/missing': [/status 404/, 'source_missing'],
    '/challenge': [/^Cloudflare .* \(status 403\)/, 'source_challenge'],
    '/bot': [/^Anubis/, 'source_challenge'],
    '/tracked': [/asks for consent, at/, 'source_consent_wall'],
    '/members': [/status 401/, 'source_needs_login'],
    '/blocked': [/status 403/, 'source_forbidden'],
    '/often': [/status 429/, 'source_rate_limited'],
  };
  for (const [path, [reason, code]] of Object.entries(expected)) {
    const id = await desk.add(path);
    expect(await strict.poll(id), path).toEqual({ kind: 'failed', reason: expect.stringMatching(reason) });
    const { last_error, last_error_code } = await desk.source(id);
    expect([last_error, last_error_code]).toEqual([expect.stringMatching(reason), code]);
  }
  // Whatever the parser makes of these, it answers at once and the worker goes on.
  desk.host.set('/entities', { body: entities });
  for (const path of ['/truncated', '/entities']) {
    expect(['failed', 'read']).toContain((await strict.poll(await desk.add(path))).kind);
  }
  expect((await desk.items()).every(({ title }) => title.length < 1000)).toBe(true);
});

test('a source is asked as it is set, and what is secret goes to no other host', async () => {
  const secrets = new SecretBox(randomBytes(32));
  const own = desk.with({ secrets });
  const elsewhere = desk.host.at('/other').replace('127.0.0.1', 'localhost');
  desk.host.set('/feed', { status: 302, headers: { location: elsewhere } });
  desk.host.set('/other', { status: 302, headers: { location: desk.host.at('/back') } });
  desk.host.set('/back', { body: rss([{ guid: 'a', pubDate: '2026-11-19 10:00' }]) });
  const id = await desk.add('/feed');
  const change = {
    ...{ userAgent: 'Reader/1.0', timeZone: 'America/Sao_Paulo', timeoutSeconds: 5 },
    basicAuth: { username: 'ada', password: 'sesame' },
    headers: [{ name: 'cookie', value: 'plan=full' }],
  };
  await expect(editSource(desk.db, id, change, desk.now.value)).rejects.toMatchObject({
    code: 'not_configured',
  });
  await editSource(desk.db, id, change, desk.now.value, { secrets });
  expect(await own.poll(id)).toEqual({ kind: 'read', pending: 1 });
  const [asked, other, back] = desk.host.requests.map(({ headers }) => headers);
  const secret = { authorization: `Basic ${btoa('ada:sesame')}`, cookie: 'plan=full' };
  expect(asked).toMatchObject({ 'user-agent': 'Reader/1.0', ...secret });
  expect(other).toMatchObject({ 'user-agent': 'Reader/1.0' });
  for (const name of Object.keys(secret)) expect(other).not.toHaveProperty(name);
  expect(back).toMatchObject(secret);
  expect(await desk.items()).toMatchObject([{ published_at: new Date('2026-11-19T13:00:00Z') }]);
  expect(JSON.stringify(await desk.source(id))).not.toMatch(/sesame|plan=full/);

  // Under another key nothing is sent rather than half of it.
  desk.host.requests.length = 0;
  const lost = await desk.with({ secrets: new SecretBox(randomBytes(32)) }).poll(id);
  expect(lost).toEqual({ kind: 'failed', reason: expect.stringMatching(/NEWS_SOURCES_KEY/) });
  expect([desk.host.requests, (await desk.source(id)).last_error_code]).toEqual([
    [],
    'source_secrets_unreadable',
  ]);
  desk.host.set('/feed', () => undefined);
  await editSource(desk.db, id, { timeoutSeconds: 1, headers: [], basicAuth: null }, desk.now.value);
  expect(await desk.poll(id)).toEqual({ kind: 'failed', reason: expect.stringMatching(/within 1 s/) });
});

test('a source that keeps failing is named and slowed down, and recovers at once', async () => {
  const id = await desk.add('/feed');
  const waits: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    await desk.poll(id);
    waits.push(await waitOf(id));
  }
  expect(waits).toEqual([900, 1800, 3600, 7200, 14_400, 28_800, 57_600, 86_400, 86_400]);
  expect(await desk.source(id)).toMatchObject({
    failures: 9,
    failing_since: new Date('2026-11-20T00:00:00Z'),
    last_error: 'it answered with status 404',
  });
  desk.host.set('/feed', { body: rss([{ guid: 'a' }]) });
  await desk.poll(id);
  expect(await desk.source(id)).toMatchObject({ failures: 0, failing_since: null, last_error: null });
  expect(await waitOf(id)).toBe(450);
});

test('a poll that was overtaken by an edit of the source keeps nothing', async () => {
  desk.host.set('/new', { body: rss([{ guid: 'new' }]) });
  const id = await desk.add('/old');
  desk.host.set('/old', (_request, response) => {
    editSource(desk.db, id, { url: desk.host.at('/new') }, desk.now.value).then(() =>
      response.writeHead(200).end(rss([{ guid: 'old' }])),
    );
  });
  expect(await desk.poll(id)).toEqual({ kind: 'skipped' });
  await desk.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'Title of new' }]);
});

test('a failing editor delays its entry alone, and the reason is kept', async () => {
  const faults = new Set(['Title of bad']);
  const doubtful = desk.with({
    judge: {
      ...sourceJudge,
      judge: async (submission, signal) => {
        if (faults.has(submission.title)) throw new Error('no opinion');
        return sourceJudge.judge(submission, signal);
      },
    },
  });
  desk.host.set('/feed', { body: rss([{ guid: 'good' }, { guid: 'bad' }]) });
  const id = await desk.add('/feed');
  await doubtful.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'Title of good' }]);
  const pending = await desk.db
    .selectFrom('news.source_entry')
    .select(['key', 'reason', 'state'])
    .select(sql<boolean>`retry_at > now() + interval '45 s'`.as('waits'))
    .where('state', '=', 'pending')
    .execute();
  // Longer than a lease lasts.
  expect(pending).toEqual([{ key: 'bad', reason: 'no opinion', state: 'pending', waits: true }]);
  faults.clear();
  await desk.db
    .updateTable('news.source_entry')
    .set({ retry_at: new Date(0) })
    .execute();
  await desk.poll(id);
  expect(await desk.items()).toHaveLength(2);
});

test('an entry that is corrected while its former version fails is tried at once', async () => {
  const { signal } = new AbortController();
  const correcting = desk.with({
    judge: {
      ...sourceJudge,
      judge: async (submission) => {
        if (submission.title !== 'Wrong') return sourceJudge.judge(submission, signal);
        desk.host.set('/feed', { body: rss([{ guid: 'a', title: 'Right' }]) });
        desk.now.value = (await desk.source(id)).next_poll_at;
        expect(await pollSource(desk.parts, id, signal)).toEqual({ kind: 'read', pending: 1 });
        throw new Error('no opinion');
      },
    },
  });
  desk.host.set('/feed', { body: rss([{ guid: 'a', title: 'Wrong' }]) });
  const id = await desk.add('/feed');
  await correcting.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'Right' }]);
});

test('a private host that is allowed is asked for sources that an editor gave such a host alone', async () => {
  const given = 'https://public.example/feed';
  desk.host.set('/feed', { body: rss([{ guid: 'a', link: desk.host.at('/page') }]) });
  desk.host.set('/page', {
    headers: { 'content-type': 'text/html' },
    body: `<article>${'<p>Nobody outside of this machine may read this.</p>'.repeat(20)}</article>`,
  });
  const id = await desk.add('/feed', { readPages: true });
  await desk.db.updateTable('news.source').set({ given_url: given }).where('id', '=', id).execute();
  expect(await desk.poll(id)).toEqual({
    kind: 'failed',
    reason: expect.stringMatching(/127\.0\.0\.1 is not public; .*NEWS_PRIVATE_HOSTS/),
  });
  expect(desk.host.requests).toEqual([]);
  // Its feed is public, but links to this machine.
  const { fetch } = desk.parts;
  const publicly = desk.with({ fetch: (url, headers, signal) => fetch(url, headers, signal, url) });
  await publicly.poll(id);
  expect(await desk.items()).toMatchObject([{ original_url: desk.host.at('/page'), summary: null }]);
  expect(desk.host.requests.map(({ path }) => path)).toEqual(['/feed']);
});

test('headers of many kilobytes are no obstacle', async () => {
  const headers = { 'content-security-policy': 'x'.repeat(40_000) };
  desk.host.set('/feed', { headers, body: rss([{ guid: 'a' }]) });
  expect(await desk.poll(await desk.add('/feed'))).toEqual({ kind: 'read', pending: 1 });
});

test('a source that says to whoever asks that nothing has changed has failed, and is asked afresh every day', async () => {
  desk.host.set('/never', { status: 304 });
  expect(await desk.poll(await desk.add('/never'))).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('304'),
  });
  let feed = rss([{ guid: 'a' }]);
  desk.host.set('/stuck', (request, response) => {
    if ('if-none-match' in request.headers) return void response.writeHead(304).end();
    response.writeHead(200, { etag: '"stuck"' }).end(feed);
  });
  const id = await desk.add('/stuck');
  await desk.poll(id);
  feed = rss([{ guid: 'a' }, { guid: 'b' }]);
  const began = desk.now.value.getTime();
  while (desk.now.value.getTime() - began < 2 * 24 * HOUR_MS) await desk.poll(id);
  expect((await desk.items()).map(({ title }) => title)).toEqual(['Title of a', 'Title of b']);
});
