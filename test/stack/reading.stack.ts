import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ask } from './stack.ts';

const PUBLIC_READS = [
  '/api/articles',
  '/api/categories',
  '/api/v1/items',
  '/api/v1/hot-topics',
  '/api/v1/dailies',
  '/api/v1/selected/snapshot',
  '/api/v1/codex-resets',
];

describe.each(PUBLIC_READS)('%s', (path) => {
  test('is public JSON with a validator, and 304 to those who have it', async () => {
    const { status, headers } = await ask(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('cache-control')).toMatch(/^public, /);
    expect(headers.get('x-request-id')).toBeTruthy();
    const again = await ask(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('answers HEAD without a body', async () => {
    const { status, text } = await ask(path, { method: 'HEAD' });
    expect([status, text]).toEqual([200, '']);
  });

  test('refuses a parameter that it does not have', async () => {
    const { status, body } = await ask(`${path}?unheard=of`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });
});

test.each([
  ['/api/articles/999999999', 404, 'not_found'],
  ['/api/articles/none', 400, 'invalid_request'],
  ['/api/v1/nothing', 404, 'not_found'],
  ['/api/v1/selected/changes?cursor=none', 409, 'snapshot_required'],
  ['/api/gallery?json=1', 401, 'unauthorized'],
  ['/api/settings/buckets', 401, 'unauthorized'],
  ['/nothing', 404, 'not_found'],
])('%s is the problem document %i %s', async (path, expected, code) => {
  const { status, headers, body } = await ask(path);
  expect([status, body.code]).toEqual([expected, code]);
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(body.requestId).toBe(headers.get('x-request-id'));
});

test('whoever claims other addresses is counted as the one that connects', async () => {
  const left: number[] = [];
  for (let number = 1; number <= 12; number += 1) {
    // Each is another URL, so that no cache answers.
    const { headers } = await ask(`/api/v1/items?limit=${number}&q=${randomUUID()}`, {
      headers: { 'x-forwarded-for': `203.0.113.${number}`, 'x-real-ip': `203.0.113.${number}` },
    });
    left.push(Number(headers.get('x-ratelimit-remaining')));
  }
  // Replicas without a common Redis count by themselves, so the lowest is what matters.
  expect(Math.min(...left)).toBeLessThan(Math.max(...left));
});

test('without a key nothing can be written', async () => {
  for (const path of ['/api/articles', '/api/categories', '/api/upload', '/api/gallery/delete']) {
    expect((await ask(path, { method: 'POST', json: {} })).status, path).toBe(401);
  }
});

test.each(['content', 'news-feed', 'gallery-admin'])(
  '%s has its reference and its description',
  async (name) => {
    expect((await ask(`/${name}/docs`)).text).toContain('<!doctype html>');
    expect((await ask(`/${name}/openapi.json`)).body.openapi).toMatch(/^3\.1/);
  },
);
