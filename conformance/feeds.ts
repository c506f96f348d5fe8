import { join } from 'node:path';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { mustRun } from './support/programs.ts';
import { pythonPrograms } from './support/python.ts';
import { Stack } from './support/stack.ts';

const PARSE = join(import.meta.dirname, 'feeds', 'parse.py');

/** The address that the feeds name as their own. */
const ADDRESS = 'https://api.pressroom.example';

/** Feeds with content in the sample data. */
const FEEDS = ['', '/all', '/dailies'];

/** What feedparser calls each format, by the ending of the path. */
const VERSIONS = { xml: 'rss20', atom: 'atom10' } as const;

/** What `parse.py` writes about a feed. */
interface Parsed {
  name: string;
  version: string;
  fault: string | null;
  self: string | null;
  entries: { id: string | null; title: string | null; link: string | null; dated: boolean }[];
}

/** A feed as `parse.py` reads it. */
interface Fetched {
  name: string;
  type: string;
  /** In base64. */
  body: string;
}

/** The feeds as feedparser, which many readers are built on, sees them. */
export const feeds: ConformanceCheck = {
  name: 'feeds',
  about: 'reads the RSS and Atom feeds with feedparser',
  needs: ['python3'],
  run: checkFeeds,
};

async function checkFeeds(): Promise<Verdict> {
  const programs = await pythonPrograms();
  await using stack = await Stack.open({ SITE_API_URL: ADDRESS });
  const fetched: Fetched[] = [];
  const titles = new Map<string, string[]>();
  for (const base of FEEDS) {
    for (const ending of Object.keys(VERSIONS)) {
      fetched.push(await fetchFeed(stack, `${base}/feed.${ending}`));
    }
    // The third format is plain JSON: what it says is what the others have to say.
    const response = await fetch(`${stack.urls['news-feed']}${base}/feed.json`);
    const { items }: { items: { title: string }[] } = await response.json();
    titles.set(
      base,
      items.map(({ title }) => title),
    );
  }
  const input = fetched.map((feed) => `${JSON.stringify(feed)}\n`).join('');
  const out = await mustRun(join(programs, 'python'), [PARSE], { input, timeoutMs: 60_000 });
  const findings = new Findings();
  for (const line of out.trim().split('\n')) {
    const parsed: Parsed = JSON.parse(line);
    for (const [what, fault] of faultsOf(parsed, titles)) findings.add(`${parsed.name}, ${what}`, fault);
  }
  return findings.verdict;
}

async function fetchFeed(stack: Stack, path: string): Promise<Fetched> {
  const response = await fetch(`${stack.urls['news-feed']}${path}`);
  const body = Buffer.from(await response.arrayBuffer()).toString('base64');
  return { name: path, type: response.headers.get('content-type') ?? '', body };
}

function* faultsOf({ name, version, fault, self, entries }: Parsed, titles: Map<string, string[]>) {
  const [base = '', ending = ''] = name.split('/feed.');
  const expected = Object.entries(VERSIONS).find(([known]) => known === ending)?.[1];
  yield ['well-formed', fault ?? undefined] as const;
  yield ['its format', version === expected ? undefined : `it is ${version}`] as const;
  yield ['its own address', self === `${ADDRESS}${name}` ? undefined : `it is ${self}`] as const;
  const shown = entries.map(({ title }) => title);
  const isWhole = shown.length > 0 && JSON.stringify(shown) === JSON.stringify(titles.get(base));
  yield ['the titles of the JSON feed', isWhole ? undefined : JSON.stringify(shown)] as const;
  const ids = new Set(entries.map(({ id }) => id));
  yield ['ids', ids.size === entries.length && !ids.has(null) ? undefined : 'they are not unique'] as const;
  const undated = entries.filter(({ dated, link }) => !dated || link === null);
  yield ['dates and links', undated.length === 0 ? undefined : JSON.stringify(undated)] as const;
}
