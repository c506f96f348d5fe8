import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { reasonOf } from '../failures/failure.ts';

/** The list beside the migrations: which files make functions and triggers, in the order of their names. */
const LIST = 'functions.json';

const list = z.strictObject({
  /** Grows with every change of the files, so that an older build is known. */
  revision: z.int().positive(),
  files: z.array(
    z.strictObject({
      /** From the folder of the list. */
      path: z.string(),
      /** The file is read once for each of these, with their values in place of `{name}`. */
      for: z.array(z.record(z.string(), z.string())).optional(),
    }),
  ),
});

/** A statement that makes a function or a trigger, or makes it anew. */
interface Statement {
  /** Such as `function content.free_slug`, or `trigger lock_slugs on content.article`. */
  readonly object: string;
  /** The file, as the list spells it. */
  readonly path: string;
  readonly sql: string;
  /** Set if the object is a trigger. */
  readonly trigger: { readonly name: string; readonly table: string } | undefined;
}

/** The functions and triggers of a build. */
interface FunctionSet {
  readonly revision: number;
  readonly statements: readonly Statement[];
}

/** The number of the functions and triggers that the list in `folder` names; 0 without a list. */
export async function readRevision(folder: string): Promise<number> {
  return (await readList(folder)).revision;
}

async function readList(folder: string): Promise<z.infer<typeof list>> {
  const text = await readFile(resolve(folder, LIST), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? { revision: 0, files: [] } : list.parse(JSON.parse(text));
}

/**
 * Reads the functions and triggers that the list in `folder` names, in the order in which they are made.
 * Throws an error that names the file if there is anything else in one, or something is made twice.
 */
export async function readFunctions(folder: string): Promise<FunctionSet> {
  const { revision, files } = await readList(folder);
  const statements = new Map<string, Statement>();
  for (const { path, for: instances = [{}] } of files) {
    const text = await readFile(resolve(folder, path), 'utf8');
    for (const values of instances) {
      for (const statement of statementsOf(path, filled(text, values))) {
        const { object } = statement;
        const same = statements.get(object);
        // A statement without a `{name}` is executed once.
        if (same !== undefined && (same.path !== path || same.sql !== statement.sql)) {
          throw new Error(`${path}: ${object} is made twice`);
        }
        statements.set(object, statement);
      }
    }
  }
  return { revision, statements: [...statements.values()] };
}

function filled(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((sql, [name, value]) => sql.replaceAll(`{${name}}`, value), text);
}

const STATEMENT =
  /^create or replace (?:function ([\w.]+)|trigger (\w+)\s[^;]*?\son ([\w.]+))[^$;]*(?:\$\$[\s\S]*?\$\$[^$;]*)?;$/gm;

function statementsOf(path: string, text: string): Statement[] {
  const rest = text
    .replaceAll(STATEMENT, '')
    .replaceAll(/^--.*$/gm, '')
    .trim();
  if (rest !== '') {
    throw new Error(
      `${path}: takes only \`create or replace function\` and \`create or replace trigger\`, not: ${rest.split('\n')[0]}`,
    );
  }
  return [...text.matchAll(STATEMENT)].map(([sql, called, name = '', table = '']) =>
    called
      ? { object: `function ${called}`, path, sql, trigger: undefined }
      : { object: `trigger ${name} on ${table}`, path, sql, trigger: { name, table } },
  );
}

interface Made {
  readonly revision: number;
  /** Checksums of the statements that made them, by object. */
  readonly checksums: Readonly<Record<string, string>>;
}

/**
 * Makes the functions and triggers whose statements have changed, and drops those that no file makes any
 * longer. To be called in the transaction of the migrations. Leaves those of a newer build. Returns what it
 * did, such as `functions 7`; undefined if there was nothing to do.
 */
export async function applyFunctions(db: Kysely<unknown>, set: FunctionSet): Promise<string | undefined> {
  if (set.revision === 0) return undefined;
  const made = await readMade(db);
  if (made.revision > set.revision) return `functions left at ${made.revision}, of a newer build`;
  const there = await objectsOf(db);
  const checksums = Object.fromEntries(set.statements.map((one) => [one.object, hash('sha256', one.sql)]));
  const changed = set.statements.filter(
    ({ object }) => made.checksums[object] !== checksums[object] || !there.has(object),
  );
  const gone = Object.keys(made.checksums).filter((object) => !(object in checksums));
  for (const statement of changed) {
    await make(db, statement).catch((error: unknown) => {
      throw new Error(`${statement.path}, ${statement.object}: ${reasonOf(error)}`, { cause: error });
    });
  }
  // Triggers before the functions that they call.
  for (const object of gone.sort().reverse()) await sql.raw(`drop ${dropped(object)}`).execute(db);
  if (changed.length + gone.length === 0 && made.revision === set.revision) return undefined;
  await sql`update pressroom.function_set
    set revision = ${set.revision}, checksums = ${JSON.stringify(checksums)}`.execute(db);
  return `functions ${set.revision}`;
}

const dropped = (object: string) => object.replace(/^(\w+) /, '$1 if exists ');

/** The revision of the functions and triggers of a database; 0 before the first ones. */
export async function appliedRevision<Tables>(db: Kysely<Tables>): Promise<number> {
  const query = sql<{ revision: number }>`select revision from pressroom.function_set`;
  return (await rowsIfThere(query, db))[0]?.revision ?? 0;
}

/** PostgreSQL's SQLSTATEs for a missing table and a missing schema. */
const ABSENT = new Set<unknown>(['42P01', '3F000']);

/** Returns the rows of the query, or none if its table is missing. */
export async function rowsIfThere<Row, Tables>(query: RawBuilder<Row>, db: Kysely<Tables>): Promise<Row[]> {
  try {
    return (await query.execute(db)).rows;
  } catch (error) {
    if (error instanceof Error && 'code' in error && ABSENT.has(error.code)) return [];
    throw error;
  }
}

async function readMade(db: Kysely<unknown>): Promise<Made> {
  // One row. Every role may read it: a service is not ready before its functions are there.
  await sql`create table if not exists pressroom.function_set (
    singleton boolean primary key default true check (singleton),
    revision integer not null,
    checksums jsonb not null
  )`.execute(db);
  await sql`grant select on pressroom.function_set to public`.execute(db);
  const { rows } = await sql<Made>`
    insert into pressroom.function_set (revision, checksums) values (0, '{}')
    on conflict (singleton) do update set revision = function_set.revision
    returning revision, checksums`.execute(db);
  return rows[0] ?? { revision: 0, checksums: {} };
}

/** The functions and triggers that the database has. */
async function objectsOf(db: Kysely<unknown>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ object: string }>`
    select format('function %s.%s', pronamespace::regnamespace, proname) as object from pg_proc
    union all
    select format('trigger %s on %s.%s', tgname, relnamespace::regnamespace, relname)
    from pg_trigger join pg_class on pg_class.oid = tgrelid where not tgisinternal`.execute(db);
  return new Set(rows.map(({ object }) => object));
}

async function make(db: Kysely<unknown>, { object, sql: text, trigger }: Statement): Promise<void> {
  if (trigger !== undefined && (await isSame(db, trigger, text))) return;
  await sql.raw(text).execute(db);
  if (trigger === undefined) await dropOtherSignatures(db, object);
}

/** A function with other arguments than before is another one to PostgreSQL, which would keep both. */
async function dropOtherSignatures(db: Kysely<unknown>, object: string): Promise<void> {
  const { rows } = await sql<{ signature: string }>`
    select oid::regprocedure as signature from pg_proc
    where format('function %s.%s', pronamespace::regnamespace, proname) = ${object}
      and xmin <> pg_current_xact_id()::xid`.execute(db);
  for (const { signature } of rows) await sql.raw(`drop function ${signature}`).execute(db);
}

/**
 * True if the table has this trigger already. Replacing one waits for whoever writes to the table, and makes
 * others wait; so it is made on an empty copy of the table and compared.
 */
async function isSame(
  db: Kysely<unknown>,
  { name, table }: NonNullable<Statement['trigger']>,
  text: string,
): Promise<boolean> {
  const there = await definitionOf(db, name, table);
  if (there === undefined) return false;
  const copy = 'pressroom.trigger_copy';
  await sql.raw(`create table ${copy} (like ${table})`).execute(db);
  await sql.raw(text.replace(` on ${table}`, ` on ${copy}`)).execute(db);
  const wanted = await definitionOf(db, name, copy);
  await sql.raw(`drop table ${copy}`).execute(db);
  return there === wanted;
}

/**
 * Returns PostgreSQL's definition of the trigger without the name of its table; undefined if there is none.
 */
async function definitionOf(db: Kysely<unknown>, name: string, table: string): Promise<string | undefined> {
  const { rows } = await sql<{ definition: string }>`
    select replace(pg_get_triggerdef(oid), ${` ON ${table} `}, ' ') as definition
    from pg_trigger where tgname = ${name} and tgrelid = to_regclass(${table})`.execute(db);
  return rows[0]?.definition;
}
