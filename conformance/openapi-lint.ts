import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { npmPrograms } from './support/npm.ts';
import { runProgram } from './support/programs.ts';
import { DESCRIBED, Stack } from './support/stack.ts';

const SETTINGS = join(import.meta.dirname, 'openapi-lint');

/** The time limit for one run of a linter, in ms. */
const TIME_LIMIT = 120_000;

/** A linter's remark about a description. */
interface Remark {
  isError: boolean;
  rule: string;
  text: string;
}

/** A linter: its arguments for a file, and a parser for its JSON. */
interface Linter {
  name: string;
  arguments(file: string): string[];
  read(out: string): Remark[];
}

const LINTERS: readonly Linter[] = [
  {
    name: 'redocly',
    arguments: (file) => ['lint', file, '--format', 'json', '--config', join(SETTINGS, 'redocly.yaml')],
    read: (out) =>
      JSON.parse(out).problems.map(
        (problem: {
          severity: string;
          ruleId: string;
          message: string;
          location: { pointer?: string }[];
        }) => ({
          isError: problem.severity === 'error',
          rule: problem.ruleId,
          text: `${problem.message} ${problem.location[0]?.pointer ?? ''}`,
        }),
      ),
  },
  {
    name: 'spectral',
    arguments: (file) => [
      'lint',
      file,
      '--format',
      'json',
      '--quiet',
      '--ruleset',
      join(SETTINGS, 'spectral.yaml'),
    ],
    read: (out) =>
      JSON.parse(out).map((result: { severity: number; code: string; message: string; path: string[] }) => ({
        isError: result.severity === 0,
        rule: result.code,
        text: `${result.message} ${result.path.join('/')}`,
      })),
  },
];

/** The descriptions as Redocly and Spectral see them. */
export const openapiLint: ConformanceCheck = {
  name: 'openapi-lint',
  about: 'Redocly and Spectral over the descriptions of the services and the newsroom',
  needs: [],
  run: checkDescriptions,
};

async function checkDescriptions(note: (line: string) => void): Promise<Verdict> {
  const home = await npmPrograms('openapi-lint');
  await using stack = await Stack.open();
  const findings = new Findings();
  for (const service of DESCRIBED) {
    const file = join(home, `${service}.json`);
    await writeFile(file, await (await fetch(`${await stack.urlOf(service)}/openapi.json`)).text());
    for (const linter of LINTERS) {
      const remarks = await lint(home, linter, file);
      const errors = remarks.filter(({ isError }) => isError);
      const warnings = new Set(remarks.filter(({ isError }) => !isError).map(({ rule }) => rule));
      if (warnings.size > 0) note(`  ${service}: ${linter.name} warns of ${[...warnings].sort().join(', ')}`);
      const lines = errors.map(({ rule, text }) => `\n      ${rule}: ${text}`);
      findings.add(
        `${service}, ${linter.name}`,
        errors.length === 0 ? undefined : `errors:${lines.join('')}`,
      );
    }
  }
  return findings.verdict;
}

async function lint(home: string, linter: Linter, file: string): Promise<Remark[]> {
  const program = join(home, 'node_modules', '.bin', linter.name);
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { code, out, err } = await runProgram(program, linter.arguments(file), {
    cwd: home,
    env,
    timeoutMs: TIME_LIMIT,
  });
  try {
    return linter.read(out);
  } catch {
    throw new Error(`${linter.name} ended with ${code} and did not print JSON: ${out}${err}`);
  }
}
