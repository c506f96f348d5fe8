import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { kubernetesFaults } from './kubernetes.ts';

const ROOT = join(import.meta.dirname, '..');

const FILES = [
  'docker-compose.yml',
  'deploy/Dockerfile',
  'deploy/helm',
  'deploy/kubernetes',
  'deploy/probe',
  'docs/configuration.md',
  'services/content/src/app.ts',
  'services/news-feed/src/api/app.ts',
  'services/gallery-admin/src/app.ts',
  'services/news-feed/src/reading/websub.ts',
];

const BASE = 'deploy/helm/base';
const SETTINGS = 'deploy/helm/settings.yaml';

let copy: string;
beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), 'pressroom-check-'));
  for (const file of FILES) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file), { recursive: true });
  }
});
afterEach(() => rmSync(copy, { recursive: true }));

/** Changes a file of the copy; throws when the text is not in it. */
function change(file: string, from: string | RegExp, to: string): void {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${file} does not contain ${from}`);
  writeFileSync(path, changed);
}

test('the repository has no faults', async () => {
  expect(await kubernetesFaults(ROOT)).toEqual([]);
});

test.each<[string, string, string | RegExp, string, string]>([
  ['a command', `${BASE}/content.yaml`, 'src/main.ts', 'src/start.ts', 'content: runs "node'],
  [
    'a port',
    `${BASE}/news-feed.yaml`,
    'containerPort: 4001',
    'containerPort: 4007',
    'news-feed: listens on 4007',
  ],
  [
    'the port of a Service',
    `${BASE}/content.yaml`,
    'port: 4003\n',
    'port: 80\n',
    'content: its Service does not lead',
  ],
  [
    'a probe',
    `${BASE}/content.yaml`,
    'path: /readyz',
    'path: /ready',
    'content: its readiness is not /readyz',
  ],
  ['the liveness', `${BASE}/content.yaml`, /path: \/healthz/g, 'path: /readyz', 'content: its liveness'],
  ['a fixed variable', SETTINGS, 'HOST: 0.0.0.0', 'HOST: 127.0.0.1', 'content: is given HOST=127.0.0.1'],
  [
    'a missing variable',
    'deploy/kubernetes/secrets.example.yaml',
    /^ {2}SETTINGS_KEY.*\n/m,
    '',
    'gallery-admin: is not given SETTINGS_KEY',
  ],
  ['an unknown variable', SETTINGS, 'METRICS_PORT', 'METRIC_PORT', 'content: is given METRIC_PORT'],
  [
    'a missing Secret',
    `${BASE}/migrate.yaml`,
    'name: pressroom-owner',
    'name: other',
    'migrate: takes password from other',
  ],
  [
    'another name for an optional key of a Secret',
    `${BASE}/media.yaml`,
    'key: SETTINGS_KEY_PREVIOUS',
    'key: SETTINGS_KEY_FORMER',
    'media: takes SETTINGS_KEY_FORMER from pressroom-gallery, which nothing explains',
  ],
  [
    'a missing key of a Secret',
    'deploy/kubernetes/secrets.example.yaml',
    /^ {2}CONTENT_DATABASE_PASSWORD.*\n/m,
    '',
    'content: takes CONTENT_DATABASE_PASSWORD from pressroom-roles, which nothing explains',
  ],
  [
    'the role of a service',
    SETTINGS,
    'postgres://pressroom_content@pressroom-postgres-rw',
    'postgres://pressroom@pressroom-postgres-rw',
    'content: works as pressroom by DATABASE_URL, and in docker-compose.yml as pressroom_content',
  ],
  [
    'the role of a service on the standbys',
    SETTINGS,
    'postgres://pressroom_news_feed@pressroom-postgres-ro',
    'postgres://pressroom@pressroom-postgres-ro',
    'news-feed: works as pressroom by DATABASE_READ_URL',
  ],
  [
    'the password of another role',
    `${BASE}/content.yaml`,
    'CONTENT_DATABASE_PASSWORD',
    'NEWS_FEED_DATABASE_PASSWORD',
    'content: takes DATABASE_PASSWORD from NEWS_FEED_DATABASE_PASSWORD',
  ],
  [
    'a Secret of others',
    `${BASE}/content.yaml`,
    'name: pressroom-redis',
    'name: pressroom-roles',
    'content: is given the secret NEWS_FEED_DATABASE_PASSWORD',
  ],
  [
    'a container that is missing',
    `${BASE}/migrate.yaml`,
    'name: roles\n',
    'name: migrations\n',
    'roles: deploy/helm/base has no container of that name',
  ],
  [
    'service links',
    `${BASE}/content.yaml`,
    'enableServiceLinks: false',
    'enableServiceLinks: true',
    'content: enableServiceLinks',
  ],
  [
    'the time to end',
    `${BASE}/content.yaml`,
    'terminationGracePeriodSeconds: 45',
    'terminationGracePeriodSeconds: 12',
    'content: is killed after 12 s',
  ],
  [
    'the name of a workload',
    `${BASE}/migrate.yaml`,
    'name: migrate\n  labels',
    'name: migration\n  labels',
    'migration: docker-compose.yml has no such service',
  ],
  [
    'a route',
    `${BASE}/ingress.yaml`,
    'path: /api/categories',
    'path: /api/category',
    'content: the Ingress leads /api/categories to nothing',
  ],
  [
    'the address of the description',
    `${BASE}/ingress.yaml`,
    'path: /openapi-v1.json',
    'path: /openapi-v2.json',
    'news-feed: the Ingress leads /openapi-v1.json to nothing',
  ],
  [
    'the path of callbacks',
    `${BASE}/ingress.yaml`,
    'path: /websub',
    'path: /hubs',
    'newsroom: the Ingress leads /websub/token to nothing',
  ],
  [
    'the port of callbacks',
    `${BASE}/newsroom.yaml`,
    /4004/g,
    '4005',
    'newsroom: is given NEWS_CALLBACK_PORT=4005, and in docker-compose.yml 4004',
  ],
  [
    'a port that the Ingress names',
    `${BASE}/ingress.yaml`,
    'name: callbacks',
    'name: hubs',
    'newsroom: the Ingress leads to its port hubs, which its Service lacks',
  ],
  [
    'a port that no policy opens',
    `${BASE}/network-policies.yaml`,
    'port: callbacks',
    'port: hubs',
    'newsroom: no NetworkPolicy opens its port callbacks to the Ingress',
  ],
  [
    'a Service that is not monitored',
    `${BASE}/service-monitor.yaml`,
    'component: service',
    'component: other',
    'content: no ServiceMonitor selects its Service',
  ],
  [
    'the user',
    `${BASE}/migrate.yaml`,
    'runAsUser: 10001',
    'runAsUser: 1000',
    'roles: runs as 1000:10001, and the image is for 10001',
  ],
  [
    'the image’s user',
    'deploy/Dockerfile',
    'useradd --uid 10001',
    'useradd --uid 10002',
    'content: runs as 10001:10001, and the image is for 10002',
  ],
  ['the command of a CronJob', `${BASE}/backup.yaml`, '"--once"', '"--now"', 'backup: runs "node'],
  [
    'what a CronJob is given',
    `${BASE}/backup.yaml`,
    'value: /backups',
    'value: /tmp',
    'backup: is given BACKUP_DIR=/tmp',
  ],
  [
    'the limit of files',
    `${BASE}/bucket.yaml`,
    'ephemeral-storage: 256Mi',
    'hugepages-2Mi: 256Mi',
    'bucket: its limits name no ephemeral-storage',
  ],
  [
    'the node of replicas',
    `${BASE}/newsroom.yaml`,
    'topologyKey: kubernetes.io/hostname',
    'topologyKey: topology.kubernetes.io/zone',
    'newsroom: nothing keeps its replicas on different nodes',
  ],
  [
    'a way out to a private network',
    `${BASE}/network-policies.yaml`,
    / +- 172\.16\.0\.0\/12\n/g,
    '',
    'newsroom: its egress leads to 172.31.255.254',
  ],
  [
    'a way out to private networks of IPv6',
    `${BASE}/network-policies.yaml`,
    /cidr: 2000::\/3/g,
    'cidr: ::/0',
    'media: its egress leads to fd00:ec2::254',
  ],
  [
    'a way out to metadata',
    `${BASE}/network-policies.yaml`,
    / +except:\n +- 169\.254\.0\.0\/16\n/,
    '',
    'databases: its egress leads to 169.254.169.254',
  ],
  [
    'a way out to everything',
    `${BASE}/network-policies.yaml`,
    /egress:\n +- to:\n +- ipBlock:.*?ports:/gs,
    'egress:\n    - ports:',
    'media: its egress leads to 10.1.2.3',
  ],
])('finds %s that differs', async (_what, file, from, to, fault) => {
  change(file, from, to);
  const faults = await kubernetesFaults(copy);
  expect(
    faults.some((line) => line.startsWith(fault)),
    faults.join('\n'),
  ).toBe(true);
});

test('finds what has changed in docker-compose.yml alone', async () => {
  change('docker-compose.yml', 'services/content/src/main.ts', 'services/content/src/serve.ts');
  expect(await kubernetesFaults(copy)).toEqual([expect.stringMatching(/^content: runs "node/)]);
});
