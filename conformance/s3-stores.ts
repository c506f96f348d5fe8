import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { LACKS, type Lack } from './s3-stores/lacks.ts';
import { buildStore, STORE_KINDS, type StoreKind, startStore } from './s3-stores/store.ts';
import { ROOT, runProgram } from './support/programs.ts';

/** The folders of the tests that run on every store. */
const FOLDERS = ['test/object-store/s3', 'test/gallery'];

/** Tests in these folders that ask nothing of a store, or nothing that the others do not ask of it. */
const WITHOUT_STORE = new Set([
  ...['description.test.ts', 'listing-xml.test.ts', 'login-flood.test.ts', 'session.test.ts'],
  ...['proxy.test.ts', 'proxy-thumbnails.test.ts', 'proxy-thumbnails.real.test.ts'],
  ...['operations-killed.test.ts', 'operations-repeated.test.ts', 'uploads-repeated.test.ts'],
]);

/** The time limit for the tests of one store, in ms. */
const TIME_LIMIT = 1_800_000;

/** The tests of object stores on stores that other people have written. */
export const s3Stores: ConformanceCheck = {
  name: 's3-stores',
  about: 'the tests of object stores and of the gallery on MinIO and versitygw',
  needs: ['go'],
  run: checkStores,
};

async function checkStores(note: (line: string) => void): Promise<Verdict> {
  const findings = new Findings();
  // Go uses every core for a build; the tests wait most of the time.
  const programs = new Map<StoreKind, string>();
  for (const kind of STORE_KINDS) programs.set(kind, await buildStore(kind));
  await Promise.all(
    [...programs].map(async ([kind, program]) => {
      await using store = await startStore(kind, program);
      for (const { name, fault } of compare(await runTests(store.env), LACKS[kind.name])) {
        findings.add(`${kind.name}: ${name}`, fault);
      }
      const reasons = new Set(LACKS[kind.name].map(({ why }) => why));
      for (const why of reasons) note(`  ${kind.name} lacks: ${why}`);
    }),
  );
  return findings.verdict;
}

export interface Ended {
  file: string;
  name: string;
  /** Undefined when it passed. */
  fault: string | undefined;
}

/** The members of vitest's JSON report that are read. */
interface Report {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

async function testFiles(): Promise<string[]> {
  const files = await Promise.all(
    FOLDERS.map(async (folder) => {
      const names = await readdir(join(ROOT, folder));
      const chosen = names.filter((name) => name.endsWith('.test.ts') && !WITHOUT_STORE.has(name));
      return chosen.map((name) => `${folder}/${name}`);
    }),
  );
  return files.flat();
}

async function runTests(env: Record<string, string>): Promise<Ended[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-s3-'));
  const file = join(folder, 'report.json');
  try {
    const reporter = ['--reporter=json', `--outputFile.json=${file}`];
    const vitest = join(ROOT, 'node_modules', '.bin', 'vitest');
    const args = ['run', '--project', 'default', ...(await testFiles()), ...reporter];
    const { err } = await runProgram(vitest, args, { env, timeoutMs: TIME_LIMIT });
    const report = await readFile(file, 'utf8').catch(() => undefined);
    if (report === undefined) throw new Error(`the tests ended without a report: ${err.slice(-2000)}`);
    return endsOf(JSON.parse(report));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function endsOf({ testResults }: Report): Ended[] {
  return testResults.flatMap(({ name: path, status, message, assertionResults }) => {
    const file = relative(ROOT, path);
    const ends = assertionResults
      .filter((test) => test.status === 'passed' || test.status === 'failed')
      .map(({ fullName, status: end, failureMessages }): Ended => {
        const fault = end === 'passed' ? undefined : (failureMessages[0] ?? 'failed').split('\n')[0];
        return { file, name: fullName, fault };
      });
    const isBroken = status === 'failed' && ends.every(({ fault }) => fault === undefined);
    return isBroken ? [...ends, { file, name: 'the file', fault: message }] : ends;
  });
}

/** Compares with what is known, both ways: a test that is listed has to fail, another to pass. */
export function* compare(
  ends: readonly Ended[],
  lacks: readonly Lack[],
): Generator<{ name: string; fault: string | undefined }> {
  for (const { file, name, fault } of ends) {
    const known = lacks.some((lack) => isOf(lack, file, name));
    const listed = 'it is listed as a gap of the store but passes; remove it from the list';
    if (known) yield { name: `${file} > ${name}`, fault: fault === undefined ? listed : undefined };
    else yield { name: `${file} > ${name}`, fault };
  }
  for (const lack of lacks) {
    const exists = ends.some(({ file, name }) => isOf(lack, file, name));
    yield {
      name: `${lack.file} > ${lack.test}`,
      fault: exists ? undefined : 'it is listed, but no such test was run',
    };
  }
}

function isOf({ file: listedFile, test }: Lack, file: string, name: string): boolean {
  return listedFile === file && (typeof test === 'string' ? test === name : test.test(name));
}
