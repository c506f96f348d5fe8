import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTENT } from '../support/articles.ts';
import { run } from '../support/command.ts';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { send } from '../support/http.ts';
import { realArticles, realFile } from '../support/real-data.ts';

const CLI = 'services/content/src/cli.ts';

/** Runs `content import` against a service, from text instead of a file. */
function importText(service: { url: string; key: string }, text: string, ...options: string[]) {
  return run([CLI, 'import', '-', '--url', service.url, ...options], {
    env: { CONTENT_API_KEY: service.key },
    input: text,
  });
}

/** Every published article, by way of the list. */
async function listAll(url: string): Promise<{ id: number; slug: string; title: string }[]> {
  const pages = [1, 2].map((page) => send(`${url}/api/articles?per_page=100&page=${page}`));
  return (await Promise.all(pages)).flatMap(({ body }) => body.data);
}

describe('the real articles', () => {
  let trusting: ContentFixture;
  beforeAll(async () => {
    trusting = await contentFixture({ CONTENT_HTML: 'trusted' });
  });
  afterAll(() => trusting.close());

  test('all go in with their excerpts shortened, and come back byte for byte at the id of their slug', async () => {
    const result = await run(
      [CLI, 'import', realFile('articles', 'articles.jsonl'), '--truncate', '--url', trusting.url],
      {
        env: { CONTENT_API_KEY: trusting.key },
      },
    );
    expect(result.stdout).toBe('92 created, 0 already there, 0 refused\n');
    expect(result.code).toBe(0);

    const listed = await listAll(trusting.url);
    expect(new Set(listed.map(({ slug }) => slug)).size).toBe(92);
    const details = await Promise.all(listed.map(({ id }) => send(`${trusting.url}/api/articles/${id}`)));
    const shown = details.map(({ body: { data } }) => [data.title, data.content, data.author]);
    const sent = realArticles().map(({ title, html, byline }) => [title, html, byline || 'Test']);
    const sorted = (articles: string[][]) => articles.map((article) => JSON.stringify(article)).sort();
    expect(sorted(shown)).toEqual(sorted(sent));

    const excerpts = new Map(realArticles().map(({ title, html, excerpt }) => [title + html, excerpt ?? '']));
    for (const { body } of details) {
      const whole = excerpts.get(body.data.title + body.data.content) ?? '';
      const kept = body.data.excerpt ?? '';
      expect(whole.startsWith(kept)).toBe(true);
      expect(kept === whole || /^\s/.test(whole.slice(kept.length))).toBe(true);
    }
  });

  test('make no duplicates when they are imported again', async () => {
    const again = await run(
      [CLI, 'import', realFile('articles', 'articles.jsonl'), '--truncate', '--url', trusting.url],
      {
        env: { CONTENT_API_KEY: trusting.key },
      },
    );
    expect(again.stdout).toBe('0 created, 92 already there, 0 refused\n');
    expect((await listAll(trusting.url)).length).toBe(92);
  });
});

describe('a service that checks its HTML', () => {
  let content: ContentFixture;
  beforeAll(async () => {
    content = await contentFixture();
  });
  afterAll(() => content.close());

  test('refuses the real articles that hold code or too long an excerpt, naming line, source and reason', async () => {
    const result = await run([CLI, 'import', realFile('articles', 'articles.jsonl'), '--url', content.url], {
      env: { CONTENT_API_KEY: content.key },
    });
    expect(result.code).toBe(1);
    const [count, ...refused] = result.stdout.trim().split('\n');
    expect(count).toBe('86 created, 0 already there, 6 refused');
    expect(refused.map((line) => line.slice(0, line.indexOf(')') + 1))).toEqual([
      expect.stringMatching(/^line 20 \(source .+\)$/),
      expect.stringMatching(/^line 32 \(source .+\)$/),
      'line 58 (source qq)',
      'line 74 (source table-style-attributes)',
      'line 85 (source webmd-1)',
      'line 86 (source webmd-2)',
    ]);
    expect(refused[0]).toContain('422 excerpt: must be at most 500 characters long');
    expect(refused[2]).toContain(
      '422 content can run code: event handler onmouseover on <span> at line 13, column 17',
    );
  });

  test('tells of every line that cannot be read, and goes on', async () => {
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

  test('stops at once for a key that is refused, and for a service that is not there', async () => {
    const line = JSON.stringify({ title: 'Never arrives', html: CONTENT });
    const wrong = await importText({ ...content, key: 'pk_wrong' }, line);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('the service refuses the key: 403');
    const missing = await run([CLI, 'import', 'no-such-file.jsonl'], {
      env: { CONTENT_API_KEY: content.key },
    });
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('no-such-file.jsonl');
    const keyless = await run([CLI, 'import', '-'], { env: { CONTENT_API_KEY: '' } });
    expect(keyless.stderr).toContain('give --key');
  });
});

test('a service that is busy or away for a moment is waited for', async () => {
  // The real limiter's window is a minute, so this one stands for it.
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
