import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

/** The folder of the manifests below the repository. */
const HOME = 'deploy/kubernetes';

/** Settings that one file has apart and the other within another one: a password is part of the address. */
const WITHIN: Record<string, string> = { PGPASSWORD: 'DATABASE_URL' };

/** A service of the Compose file, as far as it has a counterpart. */
interface ComposeService {
  command?: string[];
  environment?: Record<string, string | null>;
  healthcheck?: { test?: string[] };
  ports?: { target?: number }[];
  stop_grace_period?: string;
}

/** A manifest; only what is looked at. */
interface Manifest {
  kind: string;
  metadata: { name: string };
  spec?: {
    template?: { spec: PodSpec };
    ports?: { name: string; port: number; targetPort: string }[];
    selector?: Record<string, unknown>;
    rules?: { http: { paths: IngressPath[] } }[];
  };
  stringData?: Record<string, string>;
}

interface IngressPath {
  path: string;
  backend: { service: { name: string; port: { name: string } } };
}

interface PodSpec {
  enableServiceLinks?: boolean;
  terminationGracePeriodSeconds?: number;
  containers: Container[];
}

interface Container {
  command: string[];
  env?: { name: string; value: string }[];
  envFrom?: Record<'configMapRef' | 'secretRef', { name: string } | undefined>[];
  ports?: { name: string; containerPort: number }[];
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  startupProbe?: Probe;
}

interface Probe {
  httpGet?: { path: string; port: string };
}

interface Kustomization {
  configMapGenerator?: { name: string; literals?: string[] }[];
}

/** All of `deploy/kubernetes`. */
interface Kubernetes {
  manifests: Manifest[];
  /** Variables and their values by the name of the ConfigMap or Secret that holds them. */
  variables: Map<string, Map<string, string>>;
}

/**
 * Finds where the manifests below `deploy/kubernetes` and `docker-compose.yml` say different things: commands,
 * ports, probes and variables; and routes of the services that the Ingress does not lead to. Throws if a file
 * cannot be read.
 */
export async function kubernetesFaults(root: string): Promise<string[]> {
  const compose = parse(await readFile(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
  const services: Record<string, ComposeService> = compose.services;
  const kubernetes = await readKubernetes(join(root, HOME));
  const documented = await readFile(join(root, 'docs/configuration.md'), 'utf8');
  const ours = Object.entries(services).filter(([, { command }]) =>
    command?.some((word) => word.endsWith('.ts')),
  );
  const workloads = kubernetes.manifests.filter(({ spec }) => spec?.template !== undefined);
  return [
    ...workloads
      .filter(({ metadata }) => !ours.some(([name]) => name === metadata.name))
      .map(({ metadata }) => `${metadata.name}: docker-compose.yml has no such service`),
    ...ours.flatMap(([name, service]) => {
      const workload = workloads.find(({ metadata }) => metadata.name === name);
      const pod = workload?.spec?.template?.spec;
      const container = pod?.containers[0];
      if (pod === undefined || container === undefined)
        return [`${name}: ${HOME} has no workload of that name`];
      return [
        ...commandFaults(service, container),
        ...variableFaults(service, container, kubernetes, documented),
        ...portFaults(name, service, container, kubernetes),
        ...probeFaults(service, container),
        ...podFaults(service, pod, container),
      ].map((fault) => `${name}: ${fault}`);
    }),
    ...(await routeFaults(root, kubernetes)),
  ];
}

async function readKubernetes(home: string): Promise<Kubernetes> {
  const files = (await readdir(home, { recursive: true })).filter((file) => file.endsWith('.yaml')).sort();
  const manifests: Manifest[] = [];
  const variables = new Map<string, Map<string, string>>();
  const put = (holder: string, name: string, value: string) =>
    variables.set(holder, (variables.get(holder) ?? new Map<string, string>()).set(name, value));
  for (const file of files) {
    const text = await readFile(join(home, file), 'utf8');
    if (!file.endsWith('kustomization.yaml')) {
      manifests.push(...parseAllDocuments(text).map((document) => document.toJS() as Manifest));
      continue;
    }
    const { configMapGenerator = [] }: Kustomization = parse(text);
    for (const { name, literals = [] } of configMapGenerator) {
      variables.set(name, variables.get(name) ?? new Map());
      for (const literal of literals) put(name, ...(literal.split(/=(.*)/s, 2) as [string, string]));
    }
  }
  for (const { kind, metadata, stringData = {} } of manifests) {
    if (kind !== 'Secret') continue;
    for (const [name, value] of Object.entries(stringData)) put(metadata.name, name, value);
  }
  return { manifests, variables };
}

function commandFaults({ command = [] }: ComposeService, container: Container): string[] {
  const here = container.command.join(' ');
  const there = command.join(' ');
  return here === there ? [] : [`runs "${here}" and docker-compose.yml "${there}"`];
}

function variableFaults(
  { environment = {} }: ComposeService,
  container: Container,
  { variables }: Kubernetes,
  documented: string,
): string[] {
  const faults: string[] = [];
  const given = new Map((container.env ?? []).map(({ name, value }) => [name, value]));
  const secret = new Set<string>();
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    const holder = (configMapRef ?? secretRef)?.name ?? '';
    const held = variables.get(holder);
    if (held === undefined) faults.push(`takes variables from ${holder}, which nothing explains`);
    for (const [name, value] of held ?? []) {
      given.set(name, value);
      if (secretRef !== undefined) secret.add(name);
    }
  }
  for (const [name, value] of Object.entries(environment)) {
    const alias = given.has(name) ? name : (WITHIN[name] ?? name);
    const isFixed = value !== null && !value.includes('${');
    const isRequired = value?.includes(':?') === true;
    if ((isFixed || isRequired) && !given.has(alias)) faults.push(`is not given ${name}`);
    if (isFixed && given.has(name) && !secret.has(name) && given.get(name) !== value) {
      faults.push(`is given ${name}=${given.get(name)}, and in docker-compose.yml ${value}`);
    }
  }
  for (const name of given.keys()) {
    if (!documented.includes(`\`${name}\``)) faults.push(`is given ${name}, which is not a setting`);
  }
  return faults;
}

function portFaults(
  name: string,
  { environment = {}, ports = [] }: ComposeService,
  container: Container,
  { manifests }: Kubernetes,
): string[] {
  const wanted = [
    ...Object.entries(environment)
      .filter(([variable, value]) => /_PORT$/.test(variable) && /^\d+$/.test(value ?? ''))
      .map(([, value]) => Number(value)),
    ...ports.map(({ target }) => Number(target)),
  ];
  const port = container.ports?.find((one) => one.name === 'http')?.containerPort;
  const faults = wanted
    .filter((one) => one !== port)
    .map((one) => `listens on ${port}, and in docker-compose.yml on ${one}`);
  if (port === undefined) return faults;
  const service = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name);
  const published = service?.spec?.ports?.find((one) => one.name === 'http');
  if (published?.port === port && published.targetPort === 'http') return faults;
  return [...faults, `its Service does not lead to port ${port}`];
}

/** The port and the path of the URL in a health check. */
const PROBED = /127\.0\.0\.1:(\d+)(\/\w+)/;

function probeFaults({ healthcheck }: ComposeService, container: Container): string[] {
  if (healthcheck === undefined) return [];
  const [, port, path] = PROBED.exec(healthcheck.test?.join(' ') ?? '') ?? [];
  if (path === undefined) return ['its health check in docker-compose.yml names no URL to compare'];
  const { readinessProbe, livenessProbe, startupProbe } = container;
  const faults: string[] = [];
  if (readinessProbe?.httpGet?.path !== path) faults.push(`its readiness is not ${path}`);
  if (String(container.ports?.find(({ name }) => name === 'http')?.containerPort) !== port) {
    faults.push(`is probed on another port than ${port}`);
  }
  for (const probe of [livenessProbe, startupProbe]) {
    if (probe?.httpGet?.path !== '/healthz') faults.push('its liveness and start are not /healthz');
  }
  for (const probe of [readinessProbe, livenessProbe, startupProbe]) {
    if (probe?.httpGet?.port !== 'http') faults.push('a probe is not on the port named http');
  }
  return faults;
}

function podFaults(service: ComposeService, pod: PodSpec, { lifecycle }: Container): string[] {
  const faults: string[] = [];
  if (pod.enableServiceLinks !== false) {
    faults.push('enableServiceLinks must be false: it sets variables such as CONTENT_PORT');
  }
  const [, amount, unit] = /^(\d+)(s|m)$/.exec(service.stop_grace_period ?? '') ?? [];
  const needed = Number(amount ?? 0) * (unit === 'm' ? 60 : 1) + (lifecycle?.preStop?.sleep?.seconds ?? 0);
  if (lifecycle !== undefined && (pod.terminationGracePeriodSeconds ?? 30) < needed) {
    faults.push(`is killed after ${pod.terminationGracePeriodSeconds} s, and needs ${needed} s to end`);
  }
  return faults;
}

/** Lines of a service's table of routes. */
const ROUTE = /\[\s*'[A-Z]+',\s*'(\/[^']+)'/g;

/** Every route of every service must be led to that service, by the longest prefix. */
async function routeFaults(root: string, { manifests }: Kubernetes): Promise<string[]> {
  const paths = manifests
    .filter(({ kind }) => kind === 'Ingress')
    .flatMap(({ spec }) => spec?.rules ?? [])
    .flatMap(({ http }) => http.paths);
  const faults: string[] = [];
  for (const name of ['content', 'news-feed', 'gallery-admin']) {
    const app = await readFile(join(root, `services/${name}/src/app.ts`), 'utf8');
    const routes = [...app.matchAll(ROUTE)].map(([, route = '']) => route);
    if (routes.length === 0) faults.push(`${name}: its app.ts has no routes`);
    for (const route of new Set(routes)) {
      const to = paths
        .filter(({ path }) => route === path || route.startsWith(`${path}/`))
        .toSorted((one, other) => other.path.length - one.path.length)[0]?.backend.service;
      if (to?.name !== name) faults.push(`${name}: the Ingress leads ${route} to ${to?.name ?? 'nothing'}`);
    }
  }
  return faults;
}
