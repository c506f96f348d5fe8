import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeDocument } from '@pressroom/common/html/decode';
import { parseFeed } from '@pressroom/news-feed/reading/parse-feed';
import { REAL_DATA_DIR } from '../test/support/real-data.ts';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { DIFFERENCES } from './feed-corpora/differences.ts';
import { differencesOf, type SeenFeed } from './feed-corpora/same-feed.ts';
import { mustRun } from './support/programs.ts';
import { pythonPrograms } from './support/python.ts';

const READ = join(import.meta.dirname, 'feed-corpora', 'read.py');

/** Feeds as published, and feeds that parsers are tested with. */
const CORPORA = ['feeds', 'odd-feeds/feedparser', 'odd-feeds/gofeed'];

/** The address that every feed is read from. */
const ADDRESS = 'https://feed.example/';

/** Compares the newsroom's reading of 569 feeds with feedparser's. */
export const feedCorpora: ConformanceCheck = {
  name: 'feed-corpora',
  about: 'reads odd and real feeds as the newsroom does, beside feedparser',
  needs: ['python3'],
  run: checkCorpora,
};

async function checkCorpora(note: (line: string) => void): Promise<Verdict> {
  const findings = new Findings();
  if (!CORPORA.every((folder) => existsSync(join(REAL_DATA_DIR, folder)))) {
    note(`  left out: ${REAL_DATA_DIR} has no feeds; REAL_DATA_DIR says where they are`);
    return findings.verdict;
  }
  const python = join(await pythonPrograms(), 'python');
  const names = CORPORA.flatMap((folder) =>
    readdirSync(join(REAL_DATA_DIR, folder)).map((name) => `${folder}/${name}`),
  );
  const input = names.map((name) => {
    const body = readFileSync(join(REAL_DATA_DIR, name)).toString('base64');
    return `${JSON.stringify({ name, address: ADDRESS, body })}\n`;
  });
  const out = await mustRun(python, [READ], { input: input.join(''), timeoutMs: 120_000 });
  let same = 0;
  for (const line of out.trim().split('\n')) {
    const seen: SeenFeed = JSON.parse(line);
    const found = differencesOf(seen, readHere(seen));
    const known = DIFFERENCES.find(({ feeds }) => feeds.includes(seen.name));
    if (found.length === 0) same += 1;
    findings.add(seen.name, faultOf(found, known?.reason));
  }
  note(
    `  ${same} of ${names.length} feeds are read as feedparser does, the others differ for the reasons listed`,
  );
  return findings.verdict;
}

/** Reads the same bytes as the newsroom; undefined if it refuses them. */
function readHere({ body }: SeenFeed) {
  try {
    return parseFeed(decodeDocument(Buffer.from(body, 'base64'), undefined), ADDRESS);
  } catch {
    return undefined;
  }
}

/** A difference without a reason is a fault, and so is a reason without a difference. */
function faultOf(found: readonly string[], reason: string | undefined): string | undefined {
  if (found.length > 0) return reason === undefined ? found.join('\n    ') : undefined;
  return reason === undefined
    ? undefined
    : `it is read as feedparser does; take it from the list (${reason})`;
}
