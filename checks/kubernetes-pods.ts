import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Container, type PodSpec, selects } from './kubernetes-network.ts';

/** A service of the Compose file, as far as it has a counterpart. */
export interface ComposeService {
  command?: string[];
  environment?: Record<string, string | null>;
  healthcheck?: { test?: string[] } | undefined;
  ports?: { target?: number }[];
  stop_grace_period?: string;
}

/** Users below are those of machines, whose files a container could reach as its own. */
const LEAST_USER = 10_000;

/** The user of the image, by whom its files are written. Throws if `deploy/Dockerfile` cannot be read. */
export async function userOf(root: string): Promise<number> {
  const dockerfile = await readFile(join(root, 'deploy/Dockerfile'), 'utf8');
  return Number(/useradd --uid (\d+)/.exec(dockerfile)?.[1]);
}

/**
 * Finds what a pod would do to its node or its replicas: another user than the image's, files without a
 * limit, replicas on one node, and an end that comes too early.
 */
export function podFaults(
  service: ComposeService,
  pod: PodSpec,
  { name, lifecycle, readinessProbe, resources }: Container,
  user: number,
): string[] {
  const faults: string[] = [];
  if (pod.enableServiceLinks !== false) {
    faults.push('enableServiceLinks must be false: it sets variables such as CONTENT_PORT');
  }
  const { runAsUser, runAsGroup } = pod.securityContext ?? {};
  if (runAsUser !== user || runAsGroup !== user || user < LEAST_USER) {
    faults.push(`runs as ${runAsUser}:${runAsGroup}, and the image is for ${user}, from ${LEAST_USER} on`);
  }
  for (const amount of ['requests', 'limits'] as const) {
    if (resources?.[amount]?.['ephemeral-storage'] === undefined) {
      faults.push(`its ${amount} name no ephemeral-storage`);
    }
  }
  if (readinessProbe !== undefined && !isSpread(name, pod)) {
    faults.push('nothing keeps its replicas on different nodes');
  }
  const [, amount, unit] = /^(\d+)(s|m)$/.exec(service.stop_grace_period ?? '') ?? [];
  const needed = Number(amount ?? 0) * (unit === 'm' ? 60 : 1) + (lifecycle?.preStop?.sleep?.seconds ?? 0);
  if (lifecycle !== undefined && (pod.terminationGracePeriodSeconds ?? 30) < needed) {
    faults.push(`is killed after ${pod.terminationGracePeriodSeconds} s, and needs ${needed} s to end`);
  }
  return faults;
}

function isSpread(name: string, { affinity }: PodSpec): boolean {
  const terms = affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.some(
    ({ podAffinityTerm: { topologyKey, labelSelector } }) =>
      topologyKey === 'kubernetes.io/hostname' && selects(labelSelector, { 'app.kubernetes.io/name': name }),
  );
}
