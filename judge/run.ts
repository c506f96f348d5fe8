import { performance } from 'node:perf_hooks';
import { feedCorpora } from './feed-corpora.ts';
import { feeds } from './feeds.ts';
import { hostileSources } from './hostile-sources.ts';
import { httplint } from './httplint.ts';
import type { Judge, Verdict } from './judge.ts';
import { openapiLint } from './openapi-lint.ts';
import { pagePictures } from './page-pictures.ts';
import { rawSockets } from './raw-sockets.ts';
import { rawSocketsProxy } from './raw-sockets-proxy.ts';
import { s3Stores } from './s3-stores.ts';
import { schemathesis } from './schemathesis.ts';
import { ssrf } from './ssrf.ts';
import { exitOnSignals } from './support/ending.ts';
import { isInstalled } from './support/programs.ts';

const JUDGES: readonly Judge[] = [
  openapiLint,
  schemathesis,
  httplint,
  feeds,
  feedCorpora,
  rawSockets,
  rawSocketsProxy,
  pagePictures,
  ssrf,
  hostileSources,
  s3Stores,
];

/** The judges that the command line names, or all of them. Throws if it names an unknown one. */
function chosen(names: readonly string[]): readonly Judge[] {
  const unknown = names.filter((name) => !JUDGES.some((judge) => judge.name === name));
  if (unknown.length > 0) {
    const known = JUDGES.map(({ name }) => name).join(', ');
    throw new Error(`unknown judge ${unknown.join(', ')}; choose from ${known}`);
  }
  return names.length === 0 ? JUDGES : JUDGES.filter(({ name }) => names.includes(name));
}

/** Runs a judge, or reports what it lacks: a developer's machine skips the judge, CI fails. */
async function hear(judge: Judge): Promise<Verdict> {
  const missing = judge.needs.filter((tool) => !isInstalled(tool));
  if (missing.length === 0) {
    return judge.run(console.log).catch((error: unknown) => ({
      passed: 0,
      faults: [`it stopped with an error: ${error instanceof Error ? error.stack : String(error)}`],
    }));
  }
  const sentence = `${missing.join(' and ')} not found on the PATH`;
  if (process.env.CI === 'true') return { passed: 0, faults: [sentence] };
  console.log(`left out: ${judge.name} (${judge.about}): ${sentence}`);
  return { passed: 0, faults: [] };
}

exitOnSignals();
process.setMaxListeners(50);
let passed = 0;
let failed = 0;
for (const judge of chosen(process.argv.slice(2))) {
  const started = performance.now();
  const verdict = await hear(judge);
  passed += verdict.passed;
  failed += verdict.faults.length;
  for (const fault of verdict.faults) console.log(`FAIL  ${judge.name}: ${fault}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${judge.name}: ${verdict.passed} passed, ${verdict.faults.length} failed (${seconds} s)`);
}
console.log(`judge: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
