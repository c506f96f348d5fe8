import { readFile } from 'node:fs/promises';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';

/** A manifest; only what is looked at. */
export interface Manifest {
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  spec?: {
    template?: PodTemplate;
    jobTemplate?: { spec: { template: PodTemplate } };
    ports?: { name: string; port: number; targetPort: string }[];
    selector?: Selector;
    podSelector?: Selector;
    rules?: { http: { paths: IngressPath[] } }[];
    ingress?: { ports?: { port: string | number }[] }[];
    egress?: EgressRule[];
    endpoints?: { port: string }[];
  };
  stringData?: Record<string, string>;
}

interface PodTemplate {
  metadata?: { labels?: Record<string, string> };
  spec: PodSpec;
}

/** Destinations that pods may connect to: anything on these ports without a `to`. */
interface EgressRule {
  ports?: { port: string | number }[];
  to?: { ipBlock?: { cidr: string; except?: string[] } }[];
}

/** Chooses by labels; a Service has the labels themselves instead. */
interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}

interface IngressPath {
  path: string;
  backend: { service: { name: string; port: { name: string } } };
}

export interface PodSpec {
  enableServiceLinks?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext?: { runAsUser?: number; runAsGroup?: number };
  affinity?: { podAntiAffinity?: { preferredDuringSchedulingIgnoredDuringExecution?: AffinityTerm[] } };
  initContainers?: Container[];
  containers: Container[];
}

/** Pods that a pod is kept away from. */
interface AffinityTerm {
  podAffinityTerm: { topologyKey: string; labelSelector: Selector };
}

export interface Container {
  name: string;
  command: string[];
  env?: Variable[];
  envFrom?: Record<'configMapRef' | 'secretRef', { name: string } | undefined>[];
  ports?: { name: string; containerPort: number }[];
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  startupProbe?: Probe;
  resources?: Record<'requests' | 'limits', Record<string, string> | undefined>;
}

/** A variable of a container: its value, or the key of a Secret that holds it. */
interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } };
}

interface Probe {
  httpGet?: { path: string; port: string };
}

/** Lines of a service's table of routes, and the other addresses of its description. */
const ROUTE = /(?:\[\s*'[A-Z]+',\s*|serveDescription\(app, )'(\/[^']+)'/g;

/** Paths that each service has for itself; no address leads to all three (docs/kubernetes.md). */
const OWN = ['/openapi.json'];

/** Ports on which anything answers, also at addresses outside the cluster. */
const WEB_PORTS = [80, 443];

/** Addresses at which clouds give credentials to whoever asks. */
const METADATA = ['169.254.169.254', 'fe80::a9fe:a9fe'];

/** Addresses of a private network, and of IPv6 those with one in them. */
const PRIVATE = [
  ...['10.1.2.3', '100.100.100.200', '127.0.0.1', '172.16.0.1', '172.31.255.254', '192.168.1.1'],
  ...['::1', 'fd00:ec2::254', '64:ff9b::a01:203', '2002:a01:203::1'],
];

/** The address that the newsroom's worker gives to hubs. */
const CALLBACK = /\/websub\//;

/**
 * Finds routes of the services and of the worker's callbacks that the Ingress does not lead to, ports that
 * it leads to and no NetworkPolicy opens, Services that Prometheus would not find, and private addresses that
 * a NetworkPolicy lets out to. Throws if a file cannot be read.
 */
export async function networkFaults(root: string, manifests: readonly Manifest[]): Promise<string[]> {
  return [
    ...(await routeFaults(root, manifests)),
    ...backendFaults(manifests),
    ...monitoringFaults(manifests),
    ...egressFaults(manifests),
  ];
}

function pathsOf(manifests: readonly Manifest[]): IngressPath[] {
  return manifests
    .filter(({ kind }) => kind === 'Ingress')
    .flatMap(({ spec }) => spec?.rules ?? [])
    .flatMap(({ http }) => http.paths);
}

/** Every route of every service must be led to that service, by the longest prefix. */
async function routeFaults(root: string, manifests: readonly Manifest[]): Promise<string[]> {
  const paths = pathsOf(manifests);
  const faults: string[] = [];
  const routesOf = new Map<string, string[]>();
  for (const name of ['content', 'news-feed', 'gallery-admin']) {
    const file = name === 'news-feed' ? 'api/app.ts' : 'app.ts';
    const app = await readFile(join(root, `services/${name}/src/${file}`), 'utf8');
    const routes = [...app.matchAll(ROUTE)].map(([, route = '']) => route);
    if (routes.length === 0) faults.push(`${name}: its app.ts has no routes`);
    routesOf.set(
      name,
      routes.filter((route) => !OWN.includes(route)),
    );
  }
  const asking = await readFile(join(root, 'services/news-feed/src/reading/websub.ts'), 'utf8');
  if (!CALLBACK.test(asking)) faults.push('newsroom: it gives hubs another address than /websub/');
  routesOf.set('newsroom', ['/websub/token']);
  routesOf.set('media', ['/media/key']);
  for (const [name, routes] of routesOf) {
    for (const route of new Set(routes)) {
      const to = paths
        .filter(({ path }) => route === path || route.startsWith(`${path}/`))
        .toSorted((one, other) => other.path.length - one.path.length)[0]?.backend.service;
      if (to?.name !== name) faults.push(`${name}: the Ingress leads ${route} to ${to?.name ?? 'nothing'}`);
    }
  }
  return faults;
}

/**
 * A backend that the Ingress names must be a port of that Service, and a NetworkPolicy must admit requests to
 * it.
 */
function backendFaults(manifests: readonly Manifest[]): string[] {
  const backends = pathsOf(manifests).map(
    ({ backend }) => `${backend.service.name} ${backend.service.port.name}`,
  );
  return [...new Set(backends)].flatMap((backend) => {
    const [name = '', port = ''] = backend.split(' ');
    const service = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name);
    const target = service?.spec?.ports?.find((one) => one.name === port)?.targetPort;
    if (target === undefined)
      return [`${name}: the Ingress leads to its port ${port}, which its Service lacks`];
    const labels = labelsOf(manifests, name);
    const isOpen = manifests.some(
      ({ kind, spec }) =>
        kind === 'NetworkPolicy' &&
        selects(spec?.podSelector, labels) &&
        spec?.ingress?.some(({ ports }) => ports?.some((one) => one.port === target)),
    );
    return isOpen ? [] : [`${name}: no NetworkPolicy opens its port ${target} to the Ingress`];
  });
}

/** A Service with a port named `metrics` must be one that a ServiceMonitor selects. */
function monitoringFaults(manifests: readonly Manifest[]): string[] {
  const monitors = manifests.filter(
    ({ kind, spec }) => kind === 'ServiceMonitor' && spec?.endpoints?.some(({ port }) => port === 'metrics'),
  );
  return manifests
    .filter(({ kind, spec }) => kind === 'Service' && spec?.ports?.some(({ name }) => name === 'metrics'))
    .filter(({ metadata }) => !monitors.some(({ spec }) => selects(spec?.selector, metadata.labels ?? {})))
    .map(({ metadata }) => `${metadata.name}: no ServiceMonitor selects its Service`);
}

/** No policy may let our pods out to a cloud's metadata, or on the ports of the web to a private address. */
function egressFaults(manifests: readonly Manifest[]): string[] {
  const pods = manifests
    .filter(({ spec }) => spec?.template !== undefined)
    .map(({ metadata }) => labelsOf(manifests, metadata.name));
  return manifests
    .filter(
      ({ kind, spec }) => kind === 'NetworkPolicy' && pods.some((one) => selects(spec?.podSelector, one)),
    )
    .flatMap(({ metadata, spec }) =>
      (spec?.egress ?? []).flatMap((rule) => {
        const isWeb = rule.ports?.some(({ port }) => WEB_PORTS.includes(Number(port))) ?? true;
        return [...METADATA, ...(isWeb ? PRIVATE : [])]
          .filter((address) => letsOut(rule, address))
          .map((address) => `${metadata.name}: its egress leads to ${address}`);
      }),
    );
}

function letsOut({ to }: EgressRule, address: string): boolean {
  if (to === undefined) return true;
  return to.some(
    ({ ipBlock }) =>
      ipBlock !== undefined && covers([ipBlock.cidr], address) && !covers(ipBlock.except ?? [], address),
  );
}

/** True if an address is in one of the networks. */
function covers(networks: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [prefix = '', bits] = network.split('/');
    // For a list, ::/0 has the addresses of IPv4, too.
    if (isIP(prefix) === isIP(address)) list.addSubnet(prefix, Number(bits), familyOf(prefix));
  }
  return list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** The labels of a workload's pods. */
function labelsOf(manifests: readonly Manifest[], name: string): Record<string, string> {
  const workload = manifests.find(
    ({ metadata, spec }) => metadata.name === name && spec?.template !== undefined,
  );
  return workload?.spec?.template?.metadata?.labels ?? {};
}

/** True if a selector chooses pods with these labels. */
export function selects(selector: Selector | undefined, labels: Record<string, string>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(
      ({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''),
    )
  );
}
