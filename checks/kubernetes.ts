import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { type Container, type Manifest, networkFaults, type PodSpec } from './kubernetes-network.ts';
import { type ComposeService, podFaults, userOf } from './kubernetes-pods.ts';
import { variableFaults } from './kubernetes-variables.ts';

/** The chart's manifests. */
const BASE = 'deploy/helm/base';

/** Files that an operator fills in. */
const EXAMPLES = 'deploy/kubernetes';

/** The example of what the chart is given. */
const VALUES = `${EXAMPLES}/values.example.yaml`;

/** Services of the Compose file that a cluster does not need, by name, and why. */
const COMPOSE_ALONE: Record<string, string> = {
  settings: 'reads the .env file, which a cluster does not have',
};

/** By the name of a ConfigMap. */
type Settings = Record<string, Record<string, string>>;

interface Kubernetes {
  manifests: Manifest[];
  /** Variables and their values by the name of the ConfigMap or Secret that holds them. */
  variables: Map<string, Map<string, string>>;
}

/**
 * Finds where the chart's manifests and `docker-compose.yml` say different things (commands, ports, probes,
 * variables), and routes of the services that the Ingress does not lead to. Throws if a file
 * cannot be read.
 */
export async function kubernetesFaults(root: string): Promise<string[]> {
  const compose = parse(await readFile(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
  const services: Record<string, ComposeService> = compose.services;
  const kubernetes = await readKubernetes(root);
  const ours = Object.entries(services).filter(
    ([name, { command }]) => !(name in COMPOSE_ALONE) && command?.some((word) => word.endsWith('.ts')),
  );
  const names = [
    ...kubernetes.manifests.filter(({ spec }) => spec?.template).map(({ metadata }) => metadata.name),
    ...containersOf(kubernetes).map(({ container }) => container.name),
  ];
  return [
    ...[...new Set(names)]
      .filter((name) => !ours.some(([service]) => service === name))
      .map((name) => `${name}: docker-compose.yml has no such service`),
    ...(
      await Promise.all(
        ours.map(([name, service]) =>
          serviceFaults(root, [name, isCronJob(name, kubernetes) ? once(service) : service], kubernetes),
        ),
      )
    ).flat(),
    ...(await networkFaults(root, kubernetes.manifests)),
  ];
}

/** Every container of the manifests with its pod; those that prepare a pod, too. */
function containersOf({ manifests }: Kubernetes): { pod: PodSpec; container: Container }[] {
  return manifests.flatMap(({ spec }) => {
    const pod = spec?.template?.spec;
    if (pod === undefined) return [];
    return [...(pod.initContainers ?? []), ...pod.containers].map((container) => ({ pod, container }));
  });
}

/** Compares a service of the Compose file with the container of its name. */
async function serviceFaults(
  root: string,
  [name, service]: [string, ComposeService],
  kubernetes: Kubernetes,
): Promise<string[]> {
  const found = containersOf(kubernetes).find(({ container }) => container.name === name);
  if (found === undefined) return [`${name}: ${BASE} has no container of that name`];
  const { pod, container } = found;
  const documented = await readFile(join(root, 'docs/configuration.md'), 'utf8');
  return [
    ...commandFaults(service, container),
    ...variableFaults(container, service.environment ?? {}, { held: kubernetes.variables, documented }),
    ...portFaults(name, service, container, kubernetes),
    ...(await probeFaults(root, service, container)),
    ...podFaults(service, pod, container, await userOf(root)),
  ].map((fault) => `${name}: ${fault}`);
}

export async function manifestFiles(root: string): Promise<string[]> {
  const found = await Promise.all(
    [BASE, EXAMPLES].map(async (home) => {
      const files = await readdir(join(root, home));
      return files.sort().map((file) => join(root, home, file));
    }),
  );
  return found.flat().filter((file) => file !== join(root, VALUES));
}

async function readKubernetes(root: string): Promise<Kubernetes> {
  const read = (file: string) => readFile(file, 'utf8');
  const texts = await Promise.all((await manifestFiles(root)).map(read));
  const manifests = texts.flatMap((text) =>
    parseAllDocuments(text).map((document) => withTemplate(document.toJS())),
  );
  const own: Settings = parse(await read(join(root, 'deploy/helm/settings.yaml')));
  const { settings: given }: { settings: Settings } = parse(await read(join(root, VALUES)));
  const variables = new Map(
    Object.entries(own).map(([name, data]) => [name, new Map(Object.entries({ ...data, ...given[name] }))]),
  );
  for (const { kind, metadata, stringData = {} } of manifests) {
    if (kind === 'Secret') variables.set(metadata.name, new Map(Object.entries(stringData)));
  }
  return { manifests, variables };
}

function isCronJob(name: string, { manifests }: Kubernetes): boolean {
  return manifests.some(({ kind, metadata }) => kind === 'CronJob' && metadata.name === name);
}

/** A CronJob's pods, where other workloads have theirs. */
function withTemplate(manifest: Manifest): Manifest {
  const template = manifest.spec?.jobTemplate?.spec.template;
  return template === undefined ? manifest : { ...manifest, spec: { ...manifest.spec, template } };
}

/** Turns a service into the container of a CronJob: it works once, without a port. */
function once({ command = [], environment, ...service }: ComposeService): ComposeService {
  const { HOST, METRICS_PORT, ...rest } = environment ?? {};
  return { ...service, command: [...command, '--once'], environment: rest, healthcheck: undefined };
}

function commandFaults({ command = [] }: ComposeService, container: Container): string[] {
  const here = container.command.join(' ');
  const there = command.join(' ');
  return here === there ? [] : [`runs "${here}" and docker-compose.yml "${there}"`];
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
  const open = (container.ports ?? []).map(({ containerPort }) => containerPort);
  const faults = wanted
    .filter((one) => !open.includes(one))
    .map((one) => `listens on ${open.join(' and ')}, and in docker-compose.yml on ${one}`);
  const service = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name);
  for (const { name: target, containerPort } of container.ports ?? []) {
    const leads = service?.spec?.ports?.some(
      ({ port, targetPort }) => targetPort === target && port === containerPort,
    );
    if (!leads) faults.push(`its Service does not lead to port ${containerPort}`);
  }
  return faults;
}

/** The port and the path of a URL in a health check, or the port that a program of `deploy` is given. */
const PROBED = /127\.0\.0\.1:(?<port>\d+)(?<path>\/\w+)|(?<program>deploy\/\S+) (?<given>\d+)/;

async function probed(
  root: string,
  { test = [] }: { test?: string[] },
): Promise<{ port: string; path: string }> {
  const { port = '', path = '', program, given = '' } = PROBED.exec(test.join(' '))?.groups ?? {};
  if (program === undefined) return { port, path };
  const [asked = ''] = /\/(readyz|healthz)\b/.exec(await readFile(join(root, program), 'utf8')) ?? [];
  return { port: given, path: asked };
}

async function probeFaults(
  root: string,
  { healthcheck }: ComposeService,
  container: Container,
): Promise<string[]> {
  if (healthcheck === undefined) return [];
  const { port, path } = await probed(root, healthcheck);
  if (path === '') return ['its health check in docker-compose.yml names no path to compare'];
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
