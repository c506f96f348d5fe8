import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { NO_HELM } from '../support/left-out-notes.ts';
import { skipUnless } from '../support/needed-programs.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Rendered {
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
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

skipUnless(spawnSync('helm', ['version'], { stdio: 'ignore' }).error === undefined, NO_HELM);

/** The objects of the chart with these values. */
async function chart(values: object = {}): Promise<Rendered[]> {
  const path = join(deploy, 'values.json');
  await writeFile(path, JSON.stringify(values));
  const args = ['template', 'pressroom', 'helm', '--namespace', 'pressroom', '--values', path];
  const text = execFileSync('helm', args, { cwd: deploy, encoding: 'utf8', stdio: 'pipe' });
  return parseAllDocuments(text).map((document) => document.toJS() as Rendered);
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

const containersOf = ({ spec }: Rendered) => [
  ...(spec?.template?.spec.initContainers ?? []),
  ...(spec?.template?.spec.containers ?? []),
];

describe('files for kubectl, without hooks of Helm', () => {
  async function files(values: object = {}): Promise<Rendered[]> {
    const example = parse(await readFile(join(deploy, 'kubernetes/values.example.yaml'), 'utf8'));
    const settings = { ...example.settings, ...(values as { settings?: object }).settings };
    return chart({ ...example, ...values, settings, helmHooks: false });
  }
  const image = { image: { repository: 'pressroom', tag: '9.8.7' } };
  const store = { settings: { bucket: { S3_BUCKET: 'pictures' } } };

  // `kubectl apply` refuses a Job with the name of another one and a different pod.
  test.each([
    ['another image', image],
    ['another store', store],
    ['another setting of a service', { settings: { content: { SITE_LANGUAGE: 'de' } } }],
    ['more memory', { workloads: { migrate: { resources: { limits: { memory: '1Gi' } } } } }],
  ])('never changes a Job with %s', async (_what, values) => {
    const before = await files();
    const after = await files(values);
    for (const name of ['migrate', 'bucket']) {
      const one = named(before, 'Job', name);
      const other = named(after, 'Job', name);
      expect(one.metadata.annotations).toBeUndefined();
      expect(one.metadata.name === other.metadata.name).toBe(
        JSON.stringify(one.spec) === JSON.stringify(other.spec),
      );
    }
  });

  test('run the Jobs again for another image, and for another setting only the one that reads it', async () => {
    const before = names(await files(), 'Job');
    expect(names(await files(image), 'Job').filter((name) => before.includes(name))).toEqual([]);
    const kept = names(await files(store), 'Job').filter((name) => before.includes(name));
    expect(kept).toEqual([expect.stringMatching(/^migrate-/)]);
  });

  // If a list or a union lacks what the API server adds, kubectl takes it for changed.
  test('name what the API server would add', async () => {
    for (const { kind, metadata, spec = {} } of await files()) {
      const where = `${kind} ${metadata.name}`;
      if (kind === 'Deployment') expect(spec.strategy, where).toMatchObject({ type: 'RollingUpdate' });
      if (kind !== 'NetworkPolicy') continue;
      const rules = [spec.ingress, spec.egress].flat() as ({ ports?: object[] } | undefined)[];
      for (const port of rules.flatMap((rule) => rule?.ports ?? [])) {
        expect(port, where).toHaveProperty('protocol');
      }
    }
  });
});

describe('the chart', () => {
  test('has nothing that a cluster without operators does not know', async () => {
    const kinds = (await chart()).map(({ kind }) => kind);
    expect(kinds).not.toContain('ServiceMonitor');
    expect(kinds).not.toContain('PrometheusRule');
  });

  test('runs its Jobs as hooks, which need nothing that the release brings', async () => {
    for (const name of ['migrate', 'bucket']) {
      const job = named(await chart(), 'Job', name);
      expect(job.metadata.annotations).toEqual({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation',
      });
      expect(JSON.stringify(job)).not.toContain('configMapRef');
    }
    const [migrate] = containersOf(named(await chart({ database: { host: 'db' } }), 'Job', 'migrate'));
    expect(migrate?.env).toContainEqual({
      name: 'DATABASE_URL',
      value: 'postgres://pressroom@db:5432/pressroom',
    });
  });

  test('replaces the pods that read a setting when it changes, and no others', async () => {
    const checksums = (objects: readonly Rendered[]) =>
      objects
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ metadata, spec }) => [metadata.name, JSON.stringify(spec?.template)]);
    const before = new Map(checksums(await chart()) as [string, string][]);
    const after = checksums(await chart({ settings: { bucket: { S3_BUCKET: 'pictures' } } }));
    expect(after.flatMap(([name = '', template]) => (before.get(name) === template ? [] : [name]))).toEqual([
      'gallery-admin',
      'media',
    ]);
  });

  test('puts addresses, image and Ingress where they are read', async () => {
    const objects = await chart(
      parse(await readFile(join(ROOT, 'checks/kubernetes-values.yaml'), 'utf8')) as object,
    );
    const images = objects.flatMap(containersOf).map(({ image }) => image);
    expect(new Set(images)).toEqual(new Set(['localhost:5000/pressroom:9.8.7']));
    const backup = JSON.stringify(named(objects, 'CronJob', 'backup'));
    expect(backup).toContain('"image":"localhost:5000/pressroom-backup:9.8.7"');
    expect(named(objects, 'ConfigMap', 'content').data).toMatchObject({
      DATABASE_URL: 'postgres://pressroom_content@db.example.com:6432/pressroom?sslmode=verify-full',
      DATABASE_READ_URL: '',
    });
    expect(named(objects, 'ConfigMap', 'pressroom').data).toMatchObject({
      HOST: '0.0.0.0',
      REDIS_URL: 'redis://valkey:6380',
      CONTENT_RATE_LIMIT: '100',
      CACHE_BYTES: '33554432',
    });
    expect(named(objects, 'Ingress', 'pressroom').spec).toMatchObject({
      ingressClassName: 'nginx',
      rules: [{ host: 'pressroom.example.com' }],
      tls: [{ hosts: ['pressroom.example.com'], secretName: 'pressroom-tls' }],
    });
    expect(JSON.stringify(objects)).not.toMatch(/metadata.name":"(traefik|monitoring)"/);
    expect(named(objects, 'NetworkPolicy', 'databases').spec).toMatchObject({
      egress: [{ ports: [{ port: 6432 }, { port: 6380 }] }],
    });
    expect(named(objects, 'Deployment', 'newsroom').spec?.replicas).toBe(3);
    expect(named(objects, 'HorizontalPodAutoscaler', 'content').spec).toMatchObject({
      minReplicas: 3,
      maxReplicas: 6,
    });
    expect(named(objects, 'Deployment', 'content').spec?.template?.spec.nodeSelector).toEqual({
      'kubernetes.io/arch': 'amd64',
    });
    expect(named(objects, 'ServiceMonitor', 'pressroom')).toBeDefined();
    expect(named(objects, 'PersistentVolumeClaim', 'backups').spec).toMatchObject({
      storageClassName: 'fast',
      resources: { requests: { storage: '20Gi' } },
    });
  });

  test.each([
    [{}, 'postgres://pressroom_content@pressroom-postgres-ro:5432/pressroom'],
    [{ readHost: '' }, ''],
    [{ host: 'db' }, ''],
    [{ host: 'db', readHost: 'standby' }, 'postgres://pressroom_content@standby:5432/pressroom'],
  ])('reads with %j from %j', async (database, address) => {
    const { data } = named(await chart({ database }), 'ConfigMap', 'content');
    expect(data?.DATABASE_READ_URL).toBe(address);
  });

  test('has the alerts of Compose about the services, on demand', async () => {
    expect(names(await chart(), 'PrometheusRule')).toEqual([]);
    const prometheusRule = { enabled: true, labels: { release: 'prometheus' } };
    const { metadata, spec } = named(await chart({ prometheusRule }), 'PrometheusRule', 'pressroom');
    expect(metadata.labels).toMatchObject(prometheusRule.labels);
    const alerts = parse(await readFile(join(ROOT, 'deploy/monitoring/alerts.yml'), 'utf8'));
    expect(spec).toEqual({ groups: alerts.groups.slice(0, 1) });
    // A cluster has none of the exporters, whose absence is an alert in Compose.
    expect(JSON.stringify(spec)).not.toMatch(/pg_up|node_filesystem|probe_ssl|ExporterDown/);
  });

  test('passes on what other software reads', async () => {
    const content = { NODE_OPTIONS: '--trace-warnings', HTTPS_PROXY: 'http://proxy:3128', TZ: 'UTC' };
    const { data } = named(await chart({ settings: { content } }), 'ConfigMap', 'content');
    expect(data).toMatchObject(content);
  });

  test('lets the namespaces in that it is given, whatever their names', async () => {
    const networkPolicies = { ingressNamespace: 'monitoring', monitoringNamespace: '1234' };
    const objects = await chart({ networkPolicies });
    const sources = (name: string) => JSON.stringify(named(objects, 'NetworkPolicy', name).spec?.ingress);
    expect(sources('requests')).toContain('"kubernetes.io/metadata.name":"monitoring"');
    expect(sources('metrics')).toContain('"kubernetes.io/metadata.name":"1234"');
  });

  test('lets a workload reach what it is given, and no other', async () => {
    const rule = {
      to: [
        {
          namespaceSelector: { matchLabels: { team: 'site' } },
          podSelector: { matchLabels: { app: 'web' } },
        },
        { ipBlock: { cidr: '10.20.0.7/32' } },
      ],
      ports: [{ port: 8080, protocol: 'TCP' }],
    };
    const plain = names(await chart(), 'NetworkPolicy');
    const networkPolicies = { egress: { content: [rule], backup: [rule] } };
    const objects = await chart({ networkPolicies });
    const added = names(objects, 'NetworkPolicy').filter((name) => !plain.includes(name));
    expect(added).toEqual(['egress-backup', 'egress-content']);
    const labels = named(objects, 'Deployment', 'content').spec?.template?.metadata.labels;
    const { spec } = named(objects, 'NetworkPolicy', 'egress-content');
    expect(spec).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': labels?.['app.kubernetes.io/name'] } },
      policyTypes: ['Egress'],
      egress: [rule],
    });
    expect(
      names(await chart({ networkPolicies: { ...networkPolicies, enabled: false } }), 'NetworkPolicy'),
    ).toEqual([]);
  });

  test('knows each workload and each group of settings by its name', async () => {
    const schema = JSON.parse(await readFile(join(deploy, 'helm/values.schema.json'), 'utf8'));
    const known = (group: string) => Object.keys(schema.properties[group].properties).sort();
    const objects = await chart();
    const workloads = ['Deployment', 'Job', 'CronJob'].flatMap((kind) => names(objects, kind));
    expect(known('workloads')).toEqual(workloads.sort());
    const { egress } = schema.properties.networkPolicies.properties;
    expect(Object.keys(egress.properties).sort()).toEqual(workloads);
    expect(known('settings')).toEqual(names(objects, 'ConfigMap'));
  });

  test.each([
    [{ database: { hots: 'db' } }, 'hots'],
    [{ settings: { contents: {} } }, 'contents'],
    [{ settings: { content: { site_name: 'News' } } }, 'site_name'],
    [{ settings: { backup: { BACKUP_KEEP_DAY: 7 } } }, 'settings.backup.BACKUP_KEEP_DAY is not a setting'],
    [{ workloads: { conten: {} } }, 'conten'],
    [{ redis: { url: 'valkey:6379' } }, 'url'],
    [{ networkPolicies: { egress: { content: [{ ports: [{ port: 443 }] }] } } }, "'to'"],
    [{ networkPolicies: { egress: { content: [{ to: [{ podSelector: {} }] }] } } }, "'ports'"],
    [{ image: { repository: 'pressroom:0.1.0' } }, 'repository'],
    [{ ingress: { tlsSecret: 'tls' } }, 'host'],
  ])('refuses %j', async (values, named) => {
    await expect(chart(values)).rejects.toThrow(named);
  });
});
