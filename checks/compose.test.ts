import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { composeFaults } from './compose.ts';

const SOUND: Record<string, string> = {
  'docker-compose.yml': `
x-service: &service
  build: { context: ., dockerfile: deploy/Dockerfile }
services:
  database:
    image: postgres:18
    environment: { PASSWORD: "\${PASSWORD:?}", LEVEL: "\${LEVEL:-info}" }
    healthcheck: { test: [CMD, "true"] }
    volumes: ["data:/data", "\${LEVEL:-others}:/others", "./deploy:/etc/deploy:ro", "/run/host:/run/host"]
  migrate:
    <<: *service
    command: [node, src/migrate.ts]
    depends_on: { database: { condition: service_healthy } }
  web:
    <<: *service
    command: [node, src/main.ts]
    networks: [front]
    restart: always
    depends_on: { migrate: { condition: service_completed_successfully } }
volumes:
  data:
  others:
networks:
  front:
`,
  '.env.example': 'PASSWORD=\n# LEVEL=info\n',
  'deploy/Dockerfile': 'FROM a\nCOPY package.json ./\nCOPY --parents src/*.ts ./\nCOPY --from=b /gone ./\n',
  'package.json': '{}',
  'src/main.ts': '',
  'src/migrate.ts': '',
};

/** The faults of the valid repository after `edit` has replaced texts, or removed the file (''). */
async function faultsAfter(file: string, edit: (text: string) => string): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'compose-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [path, text] of Object.entries(SOUND)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), path === file ? edit(text) : text);
  }
  return composeFaults(root);
}

const COMPOSE = 'docker-compose.yml';

test('a service that is not given one of its settings is a fault, and so is a secret without its file', async () => {
  const faults = await faultsAfter(COMPOSE, (text) =>
    text.replace('web:\n', 'gallery-admin:\n    environment: { ADMIN_PASSWORD: , S3_REGION: }\n'),
  );
  expect(faults).toContain('gallery-admin: is not given ADMIN_PASSWORD_FILE');
  expect(faults).toContain('gallery-admin: is not given S3_BUCKET');
  expect(faults).not.toContain('gallery-admin: is not given S3_REGION');
});

test('a file whose every reference is provided has no faults', async () => {
  expect(await faultsAfter(COMPOSE, (text) => text)).toEqual([]);
});

test.each([
  [COMPOSE, '{ database: {', '{ db: {', 'migrate: depends on db, which is not a service'],
  [
    COMPOSE,
    'healthcheck: { test: [CMD, "true"] }',
    '',
    'migrate: waits for database to be healthy, which has no healthcheck',
  ],
  [
    COMPOSE,
    'command: [node, src/migrate.ts]',
    'restart: always',
    'web: waits for migrate to complete, which is always restarted',
  ],
  [COMPOSE, '"data:/data", ', '', 'the volume data is declared but not used by any service'],
  [COMPOSE, '"data:/data"', '"data:/data", "d:/d"', 'database: uses the volume d, which is not declared'],
  [COMPOSE, 'networks: [front]', '', 'the network front is declared but not used by any service'],
  [COMPOSE, '[front]', '[front, back]', 'web: is on the network back, which is not declared'],
  [COMPOSE, './deploy:', './conf:', 'database: mounts ./conf, which does not exist'],
  [COMPOSE, 'src/main.ts', 'src/server.ts', 'web: runs src/server.ts, which does not exist'],
  ['.env.example', '# LEVEL=info', '', 'reads LEVEL, which .env.example does not explain'],
  [
    'deploy/Dockerfile',
    'COPY package.json',
    'COPY lock.yaml package.json',
    'deploy/Dockerfile: copies lock.yaml, which does not exist',
  ],
  [
    'deploy/Dockerfile',
    'src/*.ts',
    'source/*.ts',
    'deploy/Dockerfile: copies source/*.ts, which does not exist',
  ],
])('in %s, %j made %j is a fault', async (file, from, to, fault) => {
  expect(await faultsAfter(file, (text) => text.replace(from, to))).toEqual([fault]);
});

test('a missing Dockerfile is reported for each service built from it', async () => {
  const faults = await faultsAfter(COMPOSE, (text) => text.replace('deploy/Dockerfile', 'Dockerfile'));
  expect(faults).toEqual([
    'migrate: is built from Dockerfile, which does not exist',
    'web: is built from Dockerfile, which does not exist',
  ]);
});
