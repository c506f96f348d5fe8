import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Service } from './services.ts';

/** How the check of a service's settings prints each fault. */
const FAULT = /^ {2}(\S.*)$/;

/**
 * What is wrong with the settings of the services, a line for each variable: each service's own program checks them,
 * all at the same time. What this start makes up itself is among `env`.
 */
export async function configurationFaults(
  services: readonly Service[],
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const checks = services.flatMap(({ check }) => (check === undefined ? [] : [check]));
  const faults = await Promise.all(checks.map((command) => faultsOf(command, root, env)));
  return [...new Set(faults.flat())];
}

async function faultsOf(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const check = spawn(process.execPath, [...command], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [printed, [code]] = await Promise.all([text(check.stderr), once(check, 'exit')]);
  if (code === 0) return [];
  const lines = printed.split('\n').flatMap((line) => FAULT.exec(line)?.[1] ?? []);
  return lines.length > 0 ? lines : [printed.trim() || `${command.join(' ')} ended with ${code}`];
}
