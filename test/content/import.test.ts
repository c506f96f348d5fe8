import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ARTICLES, articleLines, LONG_EXCERPTS, PLAIN_ARTICLES, RUNNING_CODE } from '../fixtures/articles.ts';
import { run } from '../support/command.ts';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { CONTENT } from '../support/content-client.ts';
import { expectImported, importText, listPublished } from '../support/content-import.ts';

const CLI = 'services/content/src/cli.ts';

test('a service that trusts its writers accepts every article unchanged except for shortened excerpts, and none twice', async () => {
  const trusting = await contentFixture({ CONTENT_HTML: 'trusted' });
  onTestFinished(trusting.close);
  const first = await importText(trusting, articleLines(ARTICLES), '--truncate');
  expect(first).toMatchObject({
    code: 0,
    stdout: `${ARTICLES.length} created, 0 already there, 0 refused\n`,
  });
  await expectImported(trusting.url, ARTICLES);

  const again = await importText(trusting, articleLines(ARTICLES), '--truncate');
  expect(again.stdout).toBe(`0 created, ${ARTICLES.length} already there, 0 refused\n`);
  await expectImported(trusting.url, ARTICLES);
});

describe('a service that checks its HTML', () => {
  let content: ContentFixture;
  beforeAll(async () => {
    content = await contentFixture();
  });
  afterAll(() => content.close());

  test('refuses articles that run code or whose excerpt is too long, and names line, source and reason', async () => {
    const { code, stdout } = await importText(content, articleLines(ARTICLES));
    const [count, ...refusals] = stdout.trim().split('\n');
    const bad = [...LONG_EXCERPTS.map((one) => ({ ...one, reason: 'excerpt: ' })), ...RUNNING_CODE];
    expect([code, count]).toEqual([
      1,
      `${PLAIN_ARTICLES.length} created, 0 already there, ${bad.length} refused`,
    ]);
    expect(refusals).toEqual(
      bad.map(({ source, reason }, index) =>
        expect.stringMatching(
          new RegExp(`^line ${PLAIN_ARTICLES.length + index + 1} \\(source ${source}\\).*422.*${reason}`),
        ),
      ),
    );
    await expectImported(content.url, PLAIN_ARTICLES);
  });

  test('reports every line that cannot be read, and continues', async () => {
    const good = JSON.stringify({ source: 'a', title: 'Readable', html: CONTENT });
    const text = ['{"title": 1}', 'no JSON', '', '[]', good].join('\n');
    const result = await importText(content, text);
    expect(result.code).toBe(1);
    expect(result.stdout.trim().split('\n')).toEqual([
      '1 created, 0 already there, 3 refused',
      expect.stringMatching(/^line 1: title: /),
      'line 2: the line is not JSON',
      expect.stringMatching(/^line 4: line: /),
    ]);
  });

  test('imports a draft as a draft, with every member, and nothing whose members it would lose', async () => {
    const draft = {
      title: 'An imported draft',
      html: CONTENT,
      is_published: false,
      featured_image: 'https://a.example/a.jpg',
      alt_text: 'A picture',
      canonical_url: 'https://a.example/draft',
      slug: 'its-old-address',
    };
    const dated = {
      title: 'Ten years old',
      html: CONTENT,
      published_at: '2016-01-01T00:00:00Z',
    };
    const text = [draft, dated].map((one) => JSON.stringify(one)).join('\n');
    const { stdout } = await importText(content, text);
    expect(stdout.trim().split('\n')).toEqual([
      '1 created, 0 already there, 1 refused',
      expect.stringMatching(/^line 2: published_at: cannot be imported/),
    ]);
    const drafts = await content.client.send('/api/articles?status=draft');
    expect(drafts.body.data).toHaveLength(1);
    const { html, ...members } = draft;
    expect(await content.client.detail(drafts.body.data[0].id)).toMatchObject(members);
    expect(await listPublished(content.url)).not.toContainEqual(
      expect.objectContaining({ title: dated.title }),
    );
  });

  test('stops at once if the key is rejected or the service is unreachable', async () => {
    const line = JSON.stringify({ title: 'Never arrives', html: CONTENT });
    const wrong = await importText({ ...content, key: 'pk_wrong' }, line);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('the service rejects the key: 403');
    const missing = await run([CLI, 'import', 'no-such-file.jsonl'], {
      env: { CONTENT_API_KEY: content.key },
    });
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('no-such-file.jsonl');
    const keyless = await run([CLI, 'import', '-'], { env: { CONTENT_API_KEY: '' } });
    expect(keyless.stderr).toContain('pass --key');
  });
});

test('waits for a service that is briefly busy or unavailable', async () => {
  // The real limiter's window is a minute, so this one replaces it.
  const answers = [429, 503, 201];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(answers.shift() ?? 500, { 'retry-after': '1' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const line = JSON.stringify({ title: 'Patient', html: CONTENT });
  const result = await importText({ url: `http://127.0.0.1:${port}`, key: 'any' }, line);
  expect(result.stdout).toBe('1 created, 0 already there, 0 refused\n');
  expect(answers).toEqual([]);
  server.close();
});
