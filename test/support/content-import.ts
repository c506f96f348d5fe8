import { expect } from 'vitest';
import type { ArticleFixture } from '../fixtures/articles.ts';
import { type CommandResult, run } from './command.ts';
import type { ContentFixture } from './content.ts';
import { send } from './http.ts';

/** Runs a command of content's on the database of a service. */
export function contentCli(
  { database }: Pick<ContentFixture, 'database'>,
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<CommandResult> {
  return run(['services/content/src/cli.ts', ...args], {
    env: { DATABASE_URL: database.url, ...env },
    input,
  });
}

/** Runs `content import` on the database of a service, from text instead of a file. */
export function importText(
  service: Pick<ContentFixture, 'database'>,
  input: string,
  ...options: string[]
): Promise<CommandResult> {
  return contentCli(service, ['import', '-', '--author', 'Test', ...options], { input });
}

/** Like {@link importText}, with scripts and all. */
export function importTrusted(
  service: Pick<ContentFixture, 'database'>,
  input: string,
  ...options: string[]
): Promise<CommandResult> {
  const env = { CONTENT_HTML: 'trusted' };
  return contentCli(service, ['import', '-', '--author', 'Test', ...options], { input, env });
}

/** Every published article of a service, as its list has it. */
export async function listPublished(url: string): Promise<{ id: number; slug: string; title: string }[]> {
  const articles: { id: number; slug: string; title: string }[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await send(`${url}/api/articles?per_page=100&page=${page}`);
    if (body.data.length === 0) return articles;
    articles.push(...body.data);
  }
}

/**
 * Expects that a service has exactly these articles: byte for byte but for the white space of bylines, at the
 * id of their own slug, and with excerpts that end at a word where they were too long.
 */
export async function expectImported(url: string, sent: readonly ArticleFixture[]): Promise<void> {
  const listed = await listPublished(url);
  expect(new Set(listed.map(({ slug }) => slug)).size).toBe(sent.length);
  const details = await Promise.all(listed.map(({ id }) => send(`${url}/api/articles/${id}`)));
  const shown = details.map(({ body: { data } }) => [data.title, data.content, data.author]);
  const expected = sent.map(({ title, html, byline }) => [
    title,
    html,
    byline?.replaceAll(/\s+/g, ' ').trim() || 'Test',
  ]);
  const sorted = (articles: string[][]) => articles.map((one) => JSON.stringify(one)).sort();
  expect(sorted(shown)).toEqual(sorted(expected));

  const excerpts = new Map(sent.map(({ title, html, excerpt }) => [title + html, excerpt ?? '']));
  for (const { body } of details) {
    const whole = excerpts.get(body.data.title + body.data.content) ?? '';
    const kept = body.data.excerpt ?? '';
    expect([...kept].length).toBeLessThanOrEqual(500);
    expect(whole.startsWith(kept)).toBe(true);
    expect(kept === whole || /^\s/.test(whole.slice(kept.length))).toBe(true);
  }
}
