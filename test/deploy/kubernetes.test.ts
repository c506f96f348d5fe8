import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { NO_KUBERNETES_CLIENTS } from '../support/left-out-notes.ts';
import { skipUnless } from '../support/needed-programs.ts';

const ROOT = join(import.meta.dirname, '../..');
const OVERLAY = 'kubernetes/example/kustomization.yaml';

interface Rendered {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec?: { template?: Template } & Record<string, unknown>;
  data?: Record<string, string>;
}

interface Template {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: { containers: Container[]; initContainers?: Container[]; nodeSelector?: unknown };
}

interface Container {
  name: string;
  image: string;
  env?: { name: string; value?: string }[];
  envFrom?: unknown[];
}

let deploy: string;
beforeEach(async () => {
  deploy = await mkdtemp(join(tmpdir(), 'pressroom-deploy '));
  for (const folder of ['helm', 'kubernetes']) {
    await cp(join(ROOT, 'deploy', folder), join(deploy, folder), { recursive: true });
  }
});
afterEach(() => rm(deploy, { recursive: true, force: true }));

const found = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).error === undefined;
skipUnless(found, NO_KUBERNETES_CLIENTS);

function objectsOf(program: string, ...args: string[]): Rendered[] {
  const text = execFileSync(program, args, { cwd: deploy, encoding: 'utf8', stdio: 'pipe' });
  return parseAllDocuments(text).map((document) => document.toJS() as Rendered);
}

/** The objects of the overlay, after a change of its text. */
async function overlay(from = '', to = ''): Promise<Rendered[]> {
  const path = join(deploy, OVERLAY);
  const text = await readFile(path, 'utf8');
  const changed = text.replace(from, to);
  if (from !== '' && changed === text) throw new Error(`${OVERLAY} does not contain ${from}`);
  await writeFile(path, changed);
  try {
    return objectsOf('kubectl', 'kustomize', 'kubernetes/example');
  } finally {
    await writeFile(path, text);
  }
}

function named(objects: readonly Rendered[], kind: string, name: string): Rendered {
  const [one] = objects.filter((each) => each.kind === kind && each.metadata.name.startsWith(name));
  if (one === undefined) throw new Error(`no ${kind} ${name}`);
  return one;
}

const names = (objects: readonly Rendered[], kind: string) =>
  objects
    .filter((each) => each.kind === kind)
    .map(({ metadata }) => metadata.name)
    .sort();

describe('the overlay', () => {
  // What `kubectl apply` refuses is a Job that has the name of one that is there, and another pod.
  test.each([
    ['another image', 'newTag: "', 'newTag: "9.'],
    ['another store', 'S3_BUCKET=gallery', 'S3_BUCKET=pictures'],
    ['another setting of a service', 'SITE_LANGUAGE=en', 'SITE_LANGUAGE=de'],
  ])('never changes a Job with %s', async (_what, from, to) => {
    const before = await overlay();
    const after = await overlay(from, to);
    for (const name of ['migrate', 'bucket']) {
      const one = named(before, 'Job', name);
      const other = named(after, 'Job', name);
      expect(one.metadata.name === other.metadata.name).toBe(
        JSON.stringify(one.spec) === JSON.stringify(other.spec),
      );
    }
  });

  test('runs the Jobs again for another image, and for another setting only the one that reads it', async () => {
    const before = names(await overlay(), 'Job');
    const image = names(await overlay('newTag: "', 'newTag: "9.'), 'Job');
    expect(image.filter((name) => before.includes(name))).toEqual([]);
    const setting = names(await overlay('S3_BUCKET=gallery', 'S3_BUCKET=pictures'), 'Job');
    expect(setting.filter((name) => before.includes(name))).toEqual([expect.stringMatching(/^migrate-/)]);
  });

  test('has nothing that a cluster without operators does not know, and a ServiceMonitor on demand', async () => {
    expect(names(await overlay(), 'ServiceMonitor')).toEqual([]);
    const monitored = await overlay('# components:\n#   -', 'components:\n  -');
    expect(names(monitored, 'ServiceMonitor')).toEqual(['pressroom']);
  });
});
