import { join } from 'node:path';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { mustRun } from './support/programs.ts';
import { pythonPrograms } from './support/python.ts';
import { type ServiceName, SITE, Stack } from './support/stack.ts';

const PARSE = join(import.meta.dirname, 'feeds', 'parse.py');
const VALIDATE = join(import.meta.dirname, 'sitemaps', 'validate.py');

const ADDRESS = 'https://api.pressroom.example';

/** Feeds with content in the sample data, each with its service and the address that it names as its own. */
const FEEDS: Readonly<Record<string, { service: ServiceName; address: string }>> = {
  '': { service: 'news-feed', address: ADDRESS },
  '/all': { service: 'news-feed', address: ADDRESS },
  '/dailies': { service: 'news-feed', address: ADDRESS },
  '/articles': { service: 'content', address: SITE },
};

/** Feedparser's names of the formats, by the ending of the path. */
const VERSIONS = { xml: 'rss20', atom: 'atom10' } as const;

/** The output of `parse.py` about a feed. */
interface Parsed {
  name: string;
  version: string;
  fault: string | null;
  self: string | null;
  entries: (Shown & { id: string | null; link: string | null; dated: boolean })[];
}

/** The members of an entry that every feed format has. */
interface Shown {
  title: string | null;
  picture: string | null;
  tags: string[];
}

/** The output of `validate.py` about a sitemap. */
interface Validated {
  name: string;
  fault: string | null;
}

/** A document as the programs read it. */
interface Fetched {
  name: string;
  type: string;
  /** In base64. */
  body: string;
}

/** The feeds as feedparser, which many readers are built on, sees them. */
export const feeds: ConformanceCheck = {
  name: 'feeds',
  about: 'reads the RSS and Atom feeds with feedparser, and validates the sitemaps',
  needs: ['python3'],
  run: checkFeeds,
};

async function checkFeeds(): Promise<Verdict> {
  const programs = await pythonPrograms();
  await using stack = await Stack.open({ SITE_API_URL: ADDRESS });
  const fetched: Fetched[] = [];
  const shown = new Map<string, Shown[]>();
  for (const [base, { service }] of Object.entries(FEEDS)) {
    for (const ending of Object.keys(VERSIONS)) {
      fetched.push(await fetchDocument(stack, service, `${base}/feed.${ending}`));
    }
    // The third format is plain JSON: what it says is what the others have to say.
    const response = await fetch(`${stack.urls[service]}${base}/feed.json`);
    const { items }: { items: { title: string; image?: string; tags?: string[] }[] } = await response.json();
    shown.set(
      base,
      items.map(({ title, image: picture = null, tags = [] }) => ({ title, picture, tags })),
    );
  }
  const read = async <Seen>(program: string, documents: Fetched[]): Promise<Seen[]> => {
    const input = documents.map((document) => `${JSON.stringify(document)}\n`).join('');
    const out = await mustRun(join(programs, 'python'), [program], { input, timeoutMs: 60_000 });
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const findings = new Findings();
  for (const { name, fault } of await read<Validated>(VALIDATE, await fetchSitemaps(stack))) {
    findings.add(`${name}, its schema`, fault ?? undefined);
  }
  for (const parsed of await read<Parsed>(PARSE, fetched)) {
    for (const [what, fault] of faultsOf(parsed, shown)) findings.add(`${parsed.name}, ${what}`, fault);
  }
  return findings.verdict;
}

/** The index of the sitemap, the files that it names, and the sitemap for news. */
async function fetchSitemaps(stack: Stack): Promise<Fetched[]> {
  const index = await fetchDocument(stack, 'content', '/sitemap.xml');
  const names = Buffer.from(index.body, 'base64').toString();
  const files = [...names.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc = '']) => loc.replace(SITE, ''));
  const all = [...files, '/news-sitemap.xml'].map((path) => fetchDocument(stack, 'content', path));
  return [index, ...(await Promise.all(all))];
}

async function fetchDocument(stack: Stack, service: ServiceName, path: string): Promise<Fetched> {
  const response = await fetch(`${stack.urls[service]}${path}`);
  const body = Buffer.from(await response.arrayBuffer()).toString('base64');
  return { name: path, type: response.headers.get('content-type') ?? '', body };
}

function* faultsOf({ name, version, fault, self, entries }: Parsed, shown: Map<string, Shown[]>) {
  const [base = '', ending = ''] = name.split('/feed.');
  const expected = Object.entries(VERSIONS).find(([known]) => known === ending)?.[1];
  yield ['well-formed', fault ?? undefined] as const;
  yield ['its format', version === expected ? undefined : `it is ${version}`] as const;
  yield ['its own address', self === `${FEEDS[base]?.address}${name}` ? undefined : `it is ${self}`] as const;
  const seen = JSON.stringify(entries.map(({ title, picture, tags }) => ({ title, picture, tags })));
  const isWhole = entries.length > 0 && seen === JSON.stringify(shown.get(base));
  yield ['the titles, pictures and tags of the JSON feed', isWhole ? undefined : seen] as const;
  const ids = new Set(entries.map(({ id }) => id));
  yield ['ids', ids.size === entries.length && !ids.has(null) ? undefined : 'they are not unique'] as const;
  const undated = entries.filter(({ dated, link }) => !dated || link === null);
  yield ['dates and links', undated.length === 0 ? undefined : JSON.stringify(undated)] as const;
}
