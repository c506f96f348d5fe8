import { readVocabulary } from '@pressroom/news-feed/config';
import { Importer, type ImportTally, importLineReader } from '@pressroom/news-feed/editing/importer';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { transactWithRetries } from '@pressroom/news-feed/transactions';
import type { Kysely } from 'kysely';
import { type CommandResult, run } from './command.ts';

const CLI = 'services/news-feed/src/cli.ts';

/** Runs `pnpm newsroom …` as its own process on a database. */
export function newsroom(
  databaseUrl: string,
  args: string[],
  input: string | Uint8Array = '',
): Promise<CommandResult> {
  return run([CLI, ...args], { env: { DATABASE_URL: databaseUrl }, input });
}

/** An item's line with what it must have, made up from `name`, and what `members` says. */
export function itemLine(name: string, members: object = {}): object {
  return {
    type: 'item',
    id: name,
    title: `Title of ${name}`,
    source: { name: 'Source' },
    links: { original: `https://source.example/${encodeURIComponent(name)}` },
    publishedAt: '2026-11-20T00:00:00.000Z',
    ...members,
  };
}

/** Imports lines in this process and returns what has become of them. */
export async function tryLines(
  db: Kysely<NewsTables>,
  lines: readonly (object | string)[],
  now = new Date(),
): Promise<ImportTally> {
  const read = importLineReader(readVocabulary({}));
  const importer = new Importer({
    read,
    runWork: (work) => transactWithRetries(db, work),
    packs: [],
    now: () => now,
  });
  for (const [index, line] of lines.entries()) {
    await importer.add(typeof line === 'string' ? line : JSON.stringify(line), index + 1);
  }
  return importer.finish();
}

/** Imports lines in this process. Throws when one is refused. */
export async function importLines(
  db: Kysely<NewsTables>,
  lines: readonly object[],
  now?: Date,
): Promise<void> {
  const { refused } = await tryLines(db, lines, now);
  if (refused.length > 0) throw new Error(JSON.stringify(refused));
}
