import { type Kysely, sql } from 'kysely';
import { Failure } from '../failures/failure.ts';
import {
  appliedMigrations,
  compareMigrations,
  lockMigrations,
  migratorOf,
  openForMigrations,
  ranBy,
  readMigrations,
} from './migrations.ts';

const SERVICES = ['content', 'gallery', 'news'];

const SCHEMAS = [...SERVICES, 'pressroom'];

/** Suffix of the schemas that rows are copied from. */
const FORMER = '_before';

/** The last file whose tables the older chains ended in, too. */
const SAME_TABLES = '0014_gallery';

/** Replaces null in rows from before a column that allows none today. */
const FORMERLY_NULL: Readonly<Record<string, string>> = {
  'content.article.revised_at': 'updated_at',
  'news.editorial_slot.source': '0',
};

/** The tables that {@link carryOver} copied, and the place of the former rows. */
export interface CarriedOver {
  readonly tables: number;
  readonly rows: number;
  readonly former: readonly string[];
}

/**
 * Makes a database of an older chain of migrations one that {@link migrate} accepts: its schemas are renamed,
 * today's are made beside them, and every row is copied, in one transaction. Returns undefined, and does
 * nothing, for a database that `migrate` accepts as it is. Throws a {@link Failure} if the tables are not
 * those that the older chains ended in.
 */
export async function carryOver(url: string, folder?: string): Promise<CarriedOver | undefined> {
  const files = await readMigrations(folder);
  const db = openForMigrations(url);
  try {
    return await db.transaction().execute(async (transaction) => {
      await lockMigrations(transaction);
      const { changed } = compareMigrations(files, await appliedMigrations(transaction));
      if (changed.length === 0) return undefined;
      const former = SCHEMAS.map((schema) => `${schema}${FORMER}`);
      for (const schema of SCHEMAS) {
        await sql`alter schema ${sql.id(schema)} rename to ${sql.id(schema + FORMER)}`.execute(transaction);
      }
      ranBy(await migratorOf(transaction, files).migrateTo(SAME_TABLES));
      return { ...(await copyTables(transaction)), former };
    });
  } finally {
    await db.destroy();
  }
}

/** A table and the columns that are written, with what each is copied from. */
interface Table {
  readonly schema: string;
  readonly name: string;
  readonly columns: ReadonlyMap<string, string>;
}

async function copyTables(db: Kysely<unknown>): Promise<Omit<CarriedOver, 'former'>> {
  const tables = await tablesOf(db);
  const keys = await foreignKeys(db);
  for (const { name, table } of keys) await run(db, `alter table ${table} drop constraint ${name}`);
  let rows = 0n;
  // Rows that migrations insert are in the former tables, too.
  await run(db, `truncate ${tables.map((table) => qualified(table)).join(', ')}`);
  for (const table of tables) rows += await copyRows(db, table);
  for (const { name, table, definition } of keys) {
    await run(db, `alter table ${table} add constraint ${name} ${definition}`);
  }
  await copySequences(db);
  return { tables: tables.length, rows: Number(rows) };
}

async function copyRows(db: Kysely<unknown>, table: Table): Promise<bigint> {
  const { numAffectedRows } = await run(
    db,
    `insert into ${qualified(table)} (${[...table.columns.keys()].join(', ')}) overriding system value
      select ${[...table.columns.values()].join(', ')} from ${qualified(table, FORMER)}`,
  );
  return numAffectedRows ?? 0n;
}

const qualified = ({ schema, name }: Table, suffix = '') => `${schema}${suffix}.${name}`;

/** A column, its names in SQL's quotes where needed. */
interface Column {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isGenerated: boolean;
}

/** Today's tables. Throws a {@link Failure} that names what the former ones have not, or have besides. */
async function tablesOf(db: Kysely<unknown>): Promise<Table[]> {
  const [today, former] = [await columnsOf(db), await columnsOf(db, FORMER)];
  const differing = symmetricDifference(today.map(spelled), former.map(spelled));
  if (differing.length > 0) {
    const [some, more] = [differing.slice(0, 5), Math.max(0, differing.length - 5)];
    throw new Failure(
      'conflict',
      `the tables are not those that the older migrations ended in; ${some.join(', ')}${more > 0 ? ` and ${more} more` : ''} differ.` +
        ' Run `pnpm migrate` of the newest checkout that accepts this database, then this again; if none has these tables, `pnpm content export` of this one writes its articles',
    );
  }
  const tables = Map.groupBy(today, ({ schema, table }) => `${schema}.${table}`);
  return [...tables].map(([place, columns]) => ({
    schema: columns[0]?.schema ?? '',
    name: columns[0]?.table ?? '',
    columns: new Map(
      columns
        .filter(({ isGenerated }) => !isGenerated)
        .map(({ name }) => {
          const stand = FORMERLY_NULL[`${place}.${name}`];
          return [name, stand === undefined ? name : `coalesce(${name}, ${stand})`];
        }),
    ),
  }));
}

const spelled = ({ schema, table, name, type }: Column) => `${schema}.${table}.${name} (${type})`;

function symmetricDifference(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set(one).symmetricDifference(new Set(other))].sort();
}

async function columnsOf(db: Kysely<unknown>, suffix = ''): Promise<Column[]> {
  const schemas = SERVICES.map((schema) => schema + suffix);
  const { rows } = await sql<Column>`
    select replace(nspname, ${suffix}, '') as schema, quote_ident(relname) as table, quote_ident(attname) as name,
      format_type(atttypid, atttypmod) as type, attgenerated <> '' as "isGenerated"
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = any(${schemas}) and relkind = 'r' and attnum > 0 and not attisdropped
    order by relname, attnum`.execute(db);
  return rows;
}

async function foreignKeys(db: Kysely<unknown>) {
  const { rows } = await sql<{ name: string; table: string; definition: string }>`
    select quote_ident(conname) as name, conrelid::regclass::text as table,
      pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_namespace on pg_namespace.oid = connamespace
    where contype = 'f' and nspname = any(${SERVICES})`.execute(db);
  return rows;
}

async function copySequences(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string; name: string }>`
    select schemaname as schema, quote_ident(sequencename) as name from pg_sequences
    where schemaname = any(${SERVICES})`.execute(db);
  for (const { schema, name } of rows) {
    await run(
      db,
      `select setval('${schema}.${name}', last_value, is_called) from ${schema}${FORMER}.${name}`,
    );
  }
}

const run = (db: Kysely<unknown>, text: string) => sql.raw(text).execute(db);
