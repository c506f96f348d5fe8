import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN } from '../test/support/gallery-account.ts';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { type Asked, EXCEPTIONS, staleness } from './schemathesis/exceptions.ts';
import { runProgram } from './support/programs.ts';
import { pythonPrograms } from './support/python.ts';
import { DESCRIBED, type DescribedName, Stack } from './support/stack.ts';

/** The number of examples for each operation in each phase. */
const EXAMPLES = process.env.CONFORMANCE_EXAMPLES ?? '30';

/** The same seed makes the same requests, as far as the answers do not differ; `random` draws one. */
const SEED = process.env.CONFORMANCE_SEED ?? '1';

/** Time limit of one service, in ms, on a machine that does other things too. */
const TIME_LIMIT = 900_000;

/** Timeout of one answer, in seconds: no verdict on the speed. */
const ANSWER_SECONDS = '120';

const HOOKS = join(import.meta.dirname, 'schemathesis', 'hooks.py');

interface Trial {
  programs: string;
  stack: Stack;
  service: DescribedName;
  url: string;
  session: string;
  /** The `TOML` settings with the parameters of each operation. */
  settings: string;
  folder: string;
}

/** Requests that Schemathesis generates from the descriptions: valid and invalid, single and in chains. */
export const schemathesis: ConformanceCheck = {
  name: 'schemathesis',
  about: 'property-based requests from the descriptions of the services and the newsroom',
  needs: ['python3'],
  run: checkDescriptions,
};

async function checkDescriptions(note: (line: string) => void): Promise<Verdict> {
  const programs = await pythonPrograms();
  await using stack = await Stack.open();
  const session = (await stack.login()).split('=')[1] ?? '';
  const settings = await settingsOf(stack, session);
  const folder = await mkdtemp(join(tmpdir(), 'conformance-schemathesis-'));
  const findings = new Findings();
  try {
    for (const service of DESCRIBED) {
      const url = await stack.urlOf(service);
      const trial = { programs, stack, service, url, session, settings: settings[service], folder };
      for (const exception of EXCEPTIONS.filter(({ services }) => services.includes(service))) {
        const ask = (asked: Asked) => send(trial, asked);
        findings.add(`${service}, exception "${exception.reason}"`, await staleness(exception, ask));
      }
      findings.add(service, await faultOf(trial, note));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return findings.verdict;
}

/** Sends a request of an example with the credentials that Schemathesis has. */
async function send(
  { stack, service, url, session }: Trial,
  { method, path, json, headers = {}, anonymous = false }: Asked,
) {
  const credentials = {
    'news-feed': {},
    'gallery-admin': { cookie: `gallery_session=${session}` },
    content: { 'x-api-key': stack.key },
    newsroom: { 'x-api-key': stack.deskKey },
  };
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(anonymous ? {} : credentials[service]),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  return { status: response.status, body: await response.json().catch(() => undefined) };
}

/** Runs all phases and checks over one service; undefined when nothing was wrong, else what was. */
async function faultOf(trial: Trial, note: (line: string) => void): Promise<string | undefined> {
  const { programs, stack, service, url, session, folder } = trial;
  const config = join(folder, `${service}.toml`);
  const used = join(folder, `${service}.used`);
  await writeFile(config, trial.settings);
  await writeFile(used, '');
  const exceptions = join(folder, `${service}.exceptions`);
  await writeFile(
    exceptions,
    JSON.stringify(EXCEPTIONS.filter(({ services }) => services.includes(service))),
  );
  const seed = SEED === 'random' ? String(Math.floor(Math.random() * 1e9)) : SEED;
  const { code, out, err } = await runProgram(
    join(programs, 'st'),
    [
      ...['--config-file', config, 'run', `${url}/openapi.json`],
      ...[
        '--checks',
        'all',
        '--max-examples',
        EXAMPLES,
        '--seed',
        seed,
        '--continue-on-failure',
        '--request-timeout',
        ANSWER_SECONDS,
        '--suppress-health-check',
        'all',
        '--generation-database',
        'none',
        '--output-sanitize',
        'false',
        '--no-color',
        // A stream of events has no end.
        '--exclude-operation-id',
        'followPresence',
      ],
    ],
    {
      cwd: folder,
      env: {
        SCHEMATHESIS_HOOKS: HOOKS,
        PYTHONDONTWRITEBYTECODE: '1',
        COLUMNS: '200',
        CONFORMANCE_EXCEPTIONS: exceptions,
        CONFORMANCE_USED: used,
        CONFORMANCE_SESSION: session,
        CONFORMANCE_LOGIN_URL: `${stack.urls['gallery-admin']}/api/login`,
        CONFORMANCE_LOGIN_BODY: JSON.stringify(ADMIN),
      },
      timeoutMs: TIME_LIMIT,
    },
  );
  for (const [reason, times] of await tally(used)) note(`  ${service}: excepted ${times} times: ${reason}`);
  note(
    `  ${service}: ${/^\s*\d+ generated.*$/m.exec(out)?.[0].trim() ?? 'nothing generated'} (seed ${seed})`,
  );
  if (code === 0) return undefined;
  if (code === null) return `not done after ${TIME_LIMIT / 1000} s (seed ${seed})`;
  return `Schemathesis found faults (seed ${seed})\n${out.slice(out.indexOf('= FAILURES'))}\n${err}`;
}

async function tally(file: string): Promise<Map<string, number>> {
  const reasons = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const times = new Map<string, number>();
  for (const reason of reasons) times.set(reason, (times.get(reason) ?? 0) + 1);
  return times;
}

async function settingsOf(stack: Stack, session: string): Promise<Record<DescribedName, string>> {
  const story = await firstStory(stack);
  const item = await itemOf(stack);
  return {
    'news-feed': [
      '[[operations]]',
      'include-path = "/api/v1/stories/{publicId}"',
      '[operations.parameters]',
      `publicId = ["${story}"]`,
    ].join('\n'),
    'gallery-admin': ['[auth.openapi.session]', `api_key = "${session}"`].join('\n'),
    content: [
      '[auth.openapi.apiKey]',
      `api_key = "${stack.key}"`,
      '[auth.openapi.bearer]',
      `bearer = "${stack.key}"`,
    ].join('\n'),
    newsroom: [
      '[auth.openapi.deskKey]',
      `api_key = "${stack.deskKey}"`,
      ...existing('items', item),
      ...existing('stories', story),
    ].join('\n'),
  };
}

/** The name of a story in the sample data. */
async function firstStory(stack: Stack): Promise<string> {
  const response = await fetch(`${stack.urls['news-feed']}/api/v1/hot-topics`);
  const text = await response.text();
  const [, story] = /\/stories\/([^"/]+)"/.exec(text) ?? [];
  if (story === undefined) throw new Error(`none of the sample's hot topics has a story: ${text}`);
  return story;
}

/** The settings by which the operations on one item or story find one that exists. */
function existing(kind: string, id: string): string[] {
  return [
    '[[operations]]',
    `include-path-regex = '^/api/${kind}/\\{id\\}'`,
    '[operations.parameters]',
    `id = "${id}"`,
  ];
}

/** The id of an item of the sample. Of sources it has none: one is added, which gets the id 1. */
async function itemOf(stack: Stack): Promise<string> {
  const url = await stack.urlOf('newsroom');
  const headers = { 'x-api-key': stack.deskKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: 'https://source.example/feed.xml' });
  await fetch(`${url}/api/sources`, { method: 'POST', headers, body });
  const { items } = await (await fetch(`${url}/api/items?limit=1`, { headers })).json();
  return items[0].id;
}
