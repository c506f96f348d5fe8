import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startMedia } from '../test/support/allowed-media.ts';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { type Collected, Collection } from './httplint/collection.ts';
import { collectContent, collectGallery, collectNews } from './httplint/exchanges.ts';
import { REASONS } from './httplint/reasons.ts';
import { mustRun } from './support/programs.ts';
import { pythonPrograms } from './support/python.ts';
import { SERVICES, Stack } from './support/stack.ts';

const LINT = join(import.meta.dirname, 'httplint', 'lint.py');

interface Remark {
  exchange: string;
  level: 'BAD' | 'WARN';
  note: string;
  subject: string;
  summary: string;
}

/** Low enough for one address to reach; every other exchange comes from its own address. */
const LIMITS = { CONTENT_RATE_LIMIT: '100', NEWS_RATE_LIMIT: '100', DENY_CIDRS: '203.0.113.0/24' };

/** The answers of every operation and status as httplint (of REDbot) sees them. */
export const httplint: ConformanceCheck = {
  name: 'httplint',
  about: 'checks every operation and status against the HTTP standards',
  needs: ['python3'],
  run: checkAnswers,
};

async function checkAnswers(note: (line: string) => void): Promise<Verdict> {
  const programs = await pythonPrograms();
  await using media = await startMedia();
  await using stack = await Stack.open({
    ...LIMITS,
    ...media.settings,
    CONTENT_HOOKS_KEY: randomBytes(32).toString('base64'),
  });
  const collection = new Collection(stack);
  await collectNews(collection);
  await collectGallery(collection, media.host);
  await collectContent(collection, stack.key);
  const descriptions = await describe(stack);
  await stack.stopDatabase();
  await collection.away();

  const findings = new Findings();
  for (const [what, fault] of uncovered(collection.exchanges, descriptions)) findings.add(what, fault);
  const remarks = await lint(programs, collection.exchanges);
  const unexplained = remarks.filter((remark) => !isExplained(remark));
  for (const { name } of collection.exchanges) {
    if (unexplained.every(({ exchange }) => exchange !== name)) findings.add(name, undefined);
  }
  for (const [kind, alike] of Map.groupBy(unexplained, ({ level, note: kind }) => `${level} ${kind}`)) {
    findings.add(kind, describeRemarks(alike));
  }
  for (const reason of REASONS) {
    const times = remarks.filter((remark) => reason.note === remark.note).length;
    const never = `httplint no longer reports ${reason.note}; remove it from the list`;
    findings.add(`reason for ${reason.note}`, times === 0 ? never : undefined);
  }
  note(`  ${collection.exchanges.length} answers, ${remarks.length} warnings, accepted or not`);
  return findings.verdict;
}

function isExplained({ level, note, exchange }: Remark): boolean {
  return level === 'WARN' && REASONS.some((reason) => reason.note === note && reason.where.test(exchange));
}

/** One kind of remark, with the answers it applies to. */
function describeRemarks(alike: readonly Remark[]): string {
  const [first] = alike;
  const names = [...new Set(alike.map(({ exchange }) => exchange))];
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return `${first?.summary} (${first?.subject}) in ${names.slice(0, 3).join('; ')}${more}`;
}

async function lint(programs: string, exchanges: readonly Collected[]): Promise<Remark[]> {
  const input = exchanges.map((exchange) => `${JSON.stringify(exchange)}\n`).join('');
  const out = await mustRun(join(programs, 'python'), [LINT], { input, timeoutMs: 120_000 });
  const lines = out.split('\n').filter((line) => line !== '');
  return lines.map((line): Remark => JSON.parse(line));
}

/** Operations by service, each with the statuses in its description. */
type Descriptions = Map<string, Map<string, string[]>>;

async function describe(stack: Stack): Promise<Descriptions> {
  const descriptions: Descriptions = new Map();
  for (const service of SERVICES) {
    const { paths } = await (await fetch(`${stack.urls[service]}/openapi.json`)).json();
    const operations = new Map<string, string[]>();
    for (const [path, methods] of Object.entries<Record<string, { responses: object }>>(paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        operations.set(`${method.toUpperCase()} ${path}`, Object.keys(responses));
      }
    }
    descriptions.set(service, operations);
  }
  return descriptions;
}

/** Statuses that requests cannot cause unless something internal is broken. */
const UNREACHABLE = ['500'];

/** Every operation must be requested, and every status must be seen once in its service. */
function* uncovered(exchanges: readonly Collected[], descriptions: Descriptions) {
  for (const [service, operations] of descriptions) {
    const own = exchanges.filter((exchange) => exchange.service === service);
    for (const operation of operations.keys()) {
      const asked = own.some((exchange) => exchange.operation === operation);
      yield [`${service} ${operation}`, asked ? undefined : 'it is never requested'] as const;
    }
    const statuses = new Set([...operations.values()].flat());
    for (const status of statuses) {
      if (UNREACHABLE.includes(status)) continue;
      const seen = own.some((exchange) => String(exchange.status) === status);
      yield [`${service} ${status}`, seen ? undefined : 'described but never seen'] as const;
    }
  }
}
