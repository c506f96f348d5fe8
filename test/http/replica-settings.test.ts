import { afterEach, beforeEach, expect, test } from 'vitest';
import { Child } from '../support/child.ts';
import { createTestDatabase, PATIENT, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let replicas: Child[];

beforeEach(async () => {
  database = await createTestDatabase();
  replicas = [];
});
afterEach(async () => {
  for (const replica of replicas) await replica.end();
  await database.drop();
});

const SERVICES = {
  content: { main: 'services/content/src/main.ts', port: 'CONTENT_PORT' },
  'news-feed': { main: 'services/news-feed/src/main.ts', port: 'NEWS_FEED_PORT' },
};

/** Starts a replica, which listens to the others from then on. */
async function start(service: keyof typeof SERVICES, settings: Record<string, string>): Promise<Child> {
  const { main, port } = SERVICES[service];
  const env = { DATABASE_URL: database.url, [port]: '0', SITE_URL: 'https://news.example', ...PATIENT };
  const replica = Child.run(main, { ...env, ...settings });
  replicas.push(replica);
  await replica.event('service_listening');
  return replica;
}

test.each<[keyof typeof SERVICES, Record<string, string>]>([
  ['content', { CONTENT_ARTICLE_PATH: '/read/{slug}', SITE_NAME: 'Other' }],
  ['news-feed', { SITE_NAME: 'Other', SITE_STORY_PATH: '/story/{id}' }],
])('replicas of %s that would answer differently name the settings, each once', async (service, other) => {
  const first = await start(service, {});
  await start(service, {});
  const differing = await start(service, other);
  const warning = { level: 'warn', settings: Object.keys(other) };
  expect(await differing.event('replica_settings_differ')).toMatchObject(warning);
  expect(await first.event('replica_settings_differ')).toMatchObject(warning);
  const warnings = first.events.filter(({ msg }) => msg === 'replica_settings_differ');
  expect(warnings).toHaveLength(1);
});
