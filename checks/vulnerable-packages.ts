import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** An advisory as `pnpm audit --json` reports it: the members that are read here. */
interface Advisory {
  readonly module_name: string;
  readonly severity: string;
  readonly title: string;
  readonly url: string;
  readonly patched_versions: string;
  readonly findings: readonly { readonly version: string }[];
}

/**
 * Finds the packages of the lockfile with vulnerabilities that are known to the registry, of severity `high`
 * or worse (`SECURITY.md`). Reports nothing if no registry answers.
 * @param registry asked in place of the one that pnpm is configured for
 */
export async function vulnerablePackages(root: string, registry?: string): Promise<string[]> {
  const report = await audit(root, {
    ...process.env,
    // Without a network the answer is the same at once.
    pnpm_config_fetch_retries: '0',
    ...(registry !== undefined && { pnpm_config_registry: registry }),
  });
  return Object.values(report?.advisories ?? {}).map(
    ({ module_name: name, findings, severity, title, url, patched_versions: patched }) =>
      `${name} ${findings.map(({ version }) => version).join(', ')}: ${severity}: ${title} (${url}); patched in ${patched}`,
  );
}

/** Returns pnpm's report; undefined if the registry did not answer. */
function audit(
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<{ advisories?: Record<string, Advisory> } | undefined> {
  const args = ['audit', '--json', '--audit-level', 'high', '--ignore-registry-errors'];
  return new Promise((resolve, reject) => {
    // Exits with 1 where it has found something.
    execFile(join(root, 'node_modules/.bin/pnpm'), args, { cwd: root, env }, (error, stdout, stderr) => {
      if (stdout.startsWith('{')) resolve(JSON.parse(stdout));
      else if (error === null) resolve(undefined);
      else reject(new Error(stderr || stdout || error.message));
    });
  });
}
