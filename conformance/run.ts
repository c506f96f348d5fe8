import { performance } from 'node:perf_hooks';
import type { ConformanceCheck, Verdict } from './check.ts';
import { feedCorpora } from './feed-corpora.ts';
import { feeds } from './feeds.ts';
import { hostileSources } from './hostile-sources.ts';
import { httplint } from './httplint.ts';
import { mcp } from './mcp.ts';
import { openapiLint } from './openapi-lint.ts';
import { pagePictures } from './page-pictures.ts';
import { rawSockets } from './raw-sockets.ts';
import { rawSocketsProxy } from './raw-sockets-proxy.ts';
import { s3Stores } from './s3-stores.ts';
import { schemathesis } from './schemathesis.ts';
import { ssrf } from './ssrf.ts';
import { exitOnSignals } from './support/ending.ts';
import { isInstalled } from './support/programs.ts';

const CHECKS: readonly ConformanceCheck[] = [
  openapiLint,
  s3Stores,
  rawSocketsProxy,
  schemathesis,
  mcp,
  hostileSources,
  rawSockets,
  httplint,
  feeds,
  feedCorpora,
  pagePictures,
  ssrf,
];

/** Checks that run at a time: most wait for limits to pass, so the longest begin first. */
const LANES = 2;

/** The checks that the command line names, or all of them. Throws if it names an unknown one. */
function chosen(names: readonly string[]): readonly ConformanceCheck[] {
  const unknown = names.filter((name) => !CHECKS.some((check) => check.name === name));
  if (unknown.length > 0) {
    const known = CHECKS.map(({ name }) => name).join(', ');
    throw new Error(`unknown check ${unknown.join(', ')}; choose from ${known}`);
  }
  return names.length === 0 ? CHECKS : CHECKS.filter(({ name }) => names.includes(name));
}

/** Runs a check, or reports what it lacks: a developer's machine skips the check, CI fails. */
async function runCheck(check: ConformanceCheck, note: (line: string) => void): Promise<Verdict> {
  const missing = check.needs.filter((tool) => !isInstalled(tool));
  if (missing.length === 0) {
    return check.run(note).catch((error: unknown) => ({
      passed: 0,
      faults: [`it stopped with an error: ${error instanceof Error ? error.stack : String(error)}`],
    }));
  }
  const sentence = `${missing.join(' and ')} not found on the PATH`;
  if (process.env.CI === 'true') return { passed: 0, faults: [sentence] };
  console.log(`left out: ${check.name} (${check.about}): ${sentence}`);
  return { passed: 0, faults: [] };
}

exitOnSignals();
process.setMaxListeners(50);
let passed = 0;
let failed = 0;
const waiting = chosen(process.argv.slice(2)).values();
const lane = async () => {
  for (const check of waiting) {
    const started = performance.now();
    const notes: string[] = [];
    const verdict = await runCheck(check, (line) => notes.push(line));
    passed += verdict.passed;
    failed += verdict.faults.length;
    for (const line of notes) console.log(line);
    for (const fault of verdict.faults) console.log(`FAIL  ${check.name}: ${fault}`);
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(`${check.name}: ${verdict.passed} passed, ${verdict.faults.length} failed (${seconds} s)`);
  }
};
await Promise.all(Array.from({ length: LANES }, lane));
console.log(`conformance: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
