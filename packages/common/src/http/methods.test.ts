import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { noSuchRoute, watchMethods } from './create-server.ts';
import type { Server } from './operation.ts';

/** The methods of a service with a few routes, one of them in its own scope. */
async function allowedMethods() {
  const app = fastify() as unknown as Server;
  const allowed = watchMethods(app);
  const answer = async () => 'ok';
  app.get('/api/articles', answer);
  app.post('/api/articles', answer);
  app.put('/api/articles/:id', answer);
  app.delete('/api/articles/:id', answer);
  app.route({ method: ['GET', 'PATCH'], url: '/api/a.b', handler: answer });
  app.get('/docs/*', answer);
  app.get('/feed/:category.xml', answer);
  await app.register(
    async (scope) => {
      scope.get('/stories/:id/:part', answer);
    },
    { prefix: '/api/v1' },
  );
  await app.ready();
  return allowed;
}

test('a path has the methods of every route that it matches', async () => {
  const allowed = await allowedMethods();
  expect(allowed('/api/articles')).toEqual(['GET', 'HEAD', 'POST']);
  expect(allowed('/api/articles/17')).toEqual(['DELETE', 'PUT']);
  expect(allowed('/api/a.b')).toEqual(['GET', 'HEAD', 'PATCH']);
  expect(allowed('/docs/static/index.css')).toEqual(['GET', 'HEAD']);
  expect(allowed('/feed/policy-standard.xml')).toEqual(['GET', 'HEAD']);
  expect(allowed('/api/v1/stories/abc/reports')).toEqual(['GET', 'HEAD']);
});

test.each([
  '/',
  '/api',
  '/api/articles/',
  '/feed/policy-standard',
  '/api/articles/1/2',
  '/api/axb',
  '/API/articles',
  '/api/v1/stories/abc',
  '/stories/abc/reports',
  '/docsx',
])('%s has none', async (path) => {
  expect((await allowedMethods())(path)).toEqual([]);
});

test('a path without methods is 404, one with others 405 and says which', () => {
  expect(noSuchRoute([])).toMatchObject({ status: 404, code: 'not_found' });
  expect(noSuchRoute(['GET', 'HEAD'])).toMatchObject({
    status: 405,
    code: 'method_not_allowed',
    detail: 'this path supports only GET, HEAD',
    headers: { allow: 'GET, HEAD' },
  });
});
