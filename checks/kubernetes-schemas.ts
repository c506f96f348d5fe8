import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled, mustRun, runProgram } from '../conformance/support/programs.ts';
import { pythonPrograms } from '../conformance/support/python.ts';

/** The oldest and the newest Kubernetes that the manifests are held against. */
const VERSIONS = ['1.30', '1.37'];

/** kubernetes-validate and what it needs. */
const REQUIREMENTS = join(import.meta.dirname, 'kubernetes-requirements.txt');

/** Kinds of other projects, which Kubernetes has no schemas of. */
const FOREIGN = /Couldn't find schema for kind (ServiceMonitor|Cluster|ObjectStore|ScheduledBackup) with api version/;

/**
 * Holds the manifests below `deploy/kubernetes` against the schemas of Kubernetes: each file, and the example
 * as Kustomize renders it. Without Python it reports what it leaves out, and so it does without `kubectl`,
 * which renders; in CI a missing Python is a fault.
 */
export async function kubernetesSchemaFaults(
  root: string,
  report: (line: string) => void = console.log,
): Promise<string[]> {
  if (!isInstalled('python3')) {
    const sentence = 'python3 not found on the PATH, with which kubernetes-validate holds the manifests';
    if (process.env.CI === 'true') return [sentence];
    report(`left out: kubernetes schemas: ${sentence}`);
    return [];
  }
  const home = join(root, 'deploy', 'kubernetes');
  const files = await manifestsOf(home);
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-kubernetes-'));
  try {
    if (isKubectlInstalled()) {
      const rendered = join(folder, 'rendered.yaml');
      await writeFile(rendered, await render(join(home, 'example')));
      files.push(rendered);
    } else {
      report('left out: the rendered example: kubectl not found on the PATH');
    }
    const programs = await pythonPrograms(REQUIREMENTS);
    return await validate(join(programs, 'kubernetes-validate'), files);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function manifestsOf(home: string): Promise<string[]> {
  const files = await readdir(home, { recursive: true });
  return files
    .filter((file) => file.endsWith('.yaml') && !file.endsWith('kustomization.yaml'))
    .sort()
    .map((file) => join(home, file));
}

function isKubectlInstalled(): boolean {
  return spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;
}

function render(folder: string): Promise<string> {
  return mustRun('kubectl', ['kustomize', folder], { timeoutMs: 60_000 });
}

async function validate(program: string, files: readonly string[]): Promise<string[]> {
  const faults: string[] = [];
  for (const version of VERSIONS) {
    const { code, out, err } = await runProgram(program, ['--strict', '-k', version, ...files], {
      timeoutMs: 120_000,
    });
    const lines = `${out}\n${err}`.split('\n');
    const found = lines.filter((line) => /^(ERROR|FATAL|WARN)/.test(line) && !FOREIGN.test(line));
    faults.push(...found);
    if (code !== 0 && found.length === 0) faults.push(`kubernetes-validate ended with ${code}: ${err}`);
    if (!out.includes('passed for resource')) faults.push(`nothing was validated against ${version}`);
  }
  return faults;
}
