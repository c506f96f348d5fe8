import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled, mustRun, runProgram } from '../conformance/support/programs.ts';
import { pythonPrograms } from '../conformance/support/python.ts';
import { manifestFiles } from './kubernetes.ts';

/** The oldest and the newest Kubernetes that the manifests are held against. */
const VERSIONS = ['1.30', '1.37'];

const REQUIREMENTS = join(import.meta.dirname, 'kubernetes-requirements.txt');

const CHART = 'deploy/helm';

/** Everything that the chart can be given. */
const VALUES = join(import.meta.dirname, 'kubernetes-values.yaml');

/** Kinds of other projects, which Kubernetes has no schemas of. */
const FOREIGN =
  /Couldn't find schema for kind (ServiceMonitor|PrometheusRule|Cluster|ObjectStore|ScheduledBackup) with api version/;

/**
 * Holds the manifests against the schemas of Kubernetes: each file, and the chart as Helm renders it. Without
 * Python or Helm it reports what it leaves out; in CI a missing Python is a fault.
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
  const files = await manifestFiles(root);
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-kubernetes-'));
  try {
    const faults: string[] = [];
    if (spawnSync('helm', ['version'], { stdio: 'ignore' }).status === 0) {
      const rendered = join(folder, 'chart.yaml');
      const args = ['template', 'pressroom', CHART, '--values', VALUES];
      await writeFile(rendered, await mustRun('helm', args, { cwd: root, timeoutMs: 60_000 }));
      files.push(rendered);
      faults.push(...(await chartFaults(root)));
    } else {
      report('left out: the chart as Helm renders it: helm is not on the PATH');
    }
    const programs = await pythonPrograms(REQUIREMENTS);
    return [...faults, ...(await validate(join(programs, 'kubernetes-validate'), files))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs Helm's own check of the chart. */
async function chartFaults(root: string): Promise<string[]> {
  const { code, out, err } = await runProgram('helm', ['lint', '--strict', CHART, '--values', VALUES], {
    cwd: root,
    timeoutMs: 60_000,
  });
  return code === 0 ? [] : `${out}\n${err}`.split('\n').filter((line) => /^(\[|Error)/.test(line));
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
