import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFunctions } from '@pressroom/common/database/functions';
import { MIGRATIONS, migrate } from '@pressroom/common/database/migrations';
import pg from 'pg';
import { startThrowaway } from '../test/support/throwaway-postgres.ts';

/** The page, from the repository's root. */
const PAGE = 'docs/writes.md';

const HEAD = `# What a write sets off

The triggers of each table, in the order in which they run, with the files of the trigger and of its function. A trigger
may have a condition, which its file says. Read from PostgreSQL's \`pg_trigger\` by \`pnpm writes\`, and compared by \`pnpm check\`.
`;

const FIXED = `
## Functions of migrations

Columns and indexes are computed by them, so a change of one is a migration, which computes them anew:
`;

/** Writes the page. Throws if the database has a trigger that no file makes. */
export async function writeWrites(root: string): Promise<void> {
  const { page, faults } = await generate();
  if (faults.length > 0) throw new Error(faults.join('\n'));
  await writeFile(join(root, PAGE), page);
}

/** Triggers that no file makes, and a page that differs from the database. */
export async function writesFaults(root: string): Promise<string[]> {
  const { page, faults } = await generate();
  const same = page === (await readFile(join(root, PAGE), 'utf8'));
  return same ? faults : [...faults, `${PAGE}: differs from the database; run \`pnpm writes\``];
}

interface Trigger {
  readonly table: string;
  readonly name: string;
  readonly function: string;
  /** Bits of `pg_trigger`: 1 each row, 2 before, 4 insert, 8 delete, 16 update, 32 truncate. */
  readonly type: number;
  /** Columns of an `update of`. */
  readonly columns: readonly string[];
}

const EVENTS = [
  ['insert', 4],
  ['update', 16],
  ['delete', 8],
  ['truncate', 32],
] as const;

const MOMENTS = ['before the statement', 'before each row', 'after each row', 'after the statement'] as const;

async function generate(): Promise<{ page: string; faults: string[] }> {
  const { statements } = await readFunctions(MIGRATIONS);
  // The list's paths lead from one folder of the root, as the page's links do.
  const files = new Map(statements.map(({ object, path }) => [object, path]));
  const { triggers, functions } = await readDatabase();
  const faults = triggers
    .map(({ name, table }) => `trigger ${name} on ${table}`)
    .filter((object) => !files.has(object))
    .map((object) => `${object}: no file of migrations/functions.json makes it`);
  const tables = [...new Set(triggers.map(({ table }) => table))].sort();
  const sections = tables.map((table) =>
    section(
      table,
      triggers.filter((trigger) => trigger.table === table),
      files,
    ),
  );
  const fixed = functions.filter((name) => !files.has(`function ${name}`)).map((name) => `\`${name}\``);
  return { page: `${HEAD}${sections.join('')}${FIXED}${fixed.join(', ')}.\n`, faults };
}

function section(table: string, triggers: readonly Trigger[], files: ReadonlyMap<string, string>): string {
  const link = (text: string, object: string) => `[\`${text}\`](${files.get(object)})`;
  const shown = ({ name, columns, function: called }: Trigger, event: string) => {
    const of = event === 'update' && columns.length > 0 ? ` (of ${columns.join(', ')})` : '';
    return `${link(name, `trigger ${name} on ${table}`)}${of} → ${link(called, `function ${called}`)}`;
  };
  const rows = EVENTS.flatMap(([event, bit]) =>
    MOMENTS.map((moment, place) => {
      const found = triggers.filter((trigger) => trigger.type & bit && momentOf(trigger) === place);
      const sorted = found.sort((a, b) => (a.name < b.name ? -1 : 1));
      const cell = sorted.map((trigger) => shown(trigger, event)).join('<br>');
      return cell && `| ${event} | ${moment} | ${cell} |\n`;
    }),
  ).join('');
  return `\n## ${table}\n\n| Event | When | Trigger → function |\n|---|---|---|\n${rows}`;
}

function momentOf({ type }: Trigger): number {
  const [isRow, isBefore] = [(type & 1) !== 0, (type & 2) !== 0];
  if (isBefore) return isRow ? 1 : 0;
  return isRow ? 2 : 3;
}

async function readDatabase() {
  await using server = await startThrowaway({ fsync: 'off', full_page_writes: 'off' });
  await migrate(server.url);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    const { rows: triggers } = await client.query<Trigger>(`
      select format('%s.%s', relnamespace::regnamespace, relname) as "table", tgname as name, tgtype as type,
        format('%s.%s', pronamespace::regnamespace, proname) as function,
        array(select attname::text from pg_attribute where attrelid = tgrelid and attnum = any(tgattr)) as columns
      from pg_trigger join pg_class on pg_class.oid = tgrelid join pg_proc on pg_proc.oid = tgfoid
      where not tgisinternal`);
    const { rows: functions } = await client.query<{ name: string }>(`
      select format('%s.%s', pronamespace::regnamespace, proname) as name from pg_proc
      where pronamespace::regnamespace::text in ('content', 'gallery', 'news', 'pressroom') order by 1`);
    return { triggers, functions: functions.map(({ name }) => name) };
  } finally {
    await client.end();
  }
}
