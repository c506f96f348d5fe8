import { type Kysely, sql } from 'kysely';

const SYSTEM = sql`(n.nspname like 'pg\\_%' or n.nspname = 'information_schema')`;

/** The major version of the server, such as 18. */
export async function serverMajor(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int / 10000 as version
  `.execute(db);
  return rows[0]?.version ?? 0;
}

/** The names of all tables, as `schema.table`, that are not PostgreSQL's own. */
async function tableNames(db: Kysely<unknown>): Promise<{ schema: string; table: string }[]> {
  const { rows } = await sql<{ schema: string; table: string }>`
    select n.nspname as schema, c.relname as "table"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not ${SYSTEM}
    order by 1, 2
  `.execute(db);
  return rows;
}

/** The number of rows of each table, by `schema.table`; reads all of them. */
export async function countRows(db: Kysely<unknown>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { schema, table } of await tableNames(db)) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.id(schema, table)}
    `.execute(db);
    counts[`${schema}.${table}`] = rows[0]?.count ?? 0;
  }
  return counts;
}

/** Something that somebody has made in the database, such as `schema content`; undefined if it is empty. */
export async function anythingIn(db: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select 'schema ' || n.nspname as name from pg_namespace n where not ${SYSTEM} and n.nspname <> 'public'
    union all
    select 'table ' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public'
    union all
    select 'function ' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'public'
    limit 1
  `.execute(db);
  return rows[0]?.name;
}

/** The roles that are granted something in this database, without the owners of what is granted. */
export async function grantedRoles(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ role: string }>`
    with granted as (
      select relowner as owner, relacl as acl from pg_class
      union all select nspowner, nspacl from pg_namespace where nspname not like 'pg\\_%'
      union all select proowner, proacl from pg_proc
      union all select typowner, typacl from pg_type
      union all select defaclrole, defaclacl from pg_default_acl
    )
    select distinct r.rolname as role
    from granted cross join lateral aclexplode(acl) as entry join pg_roles r on r.oid = entry.grantee
    where entry.grantee <> owner and r.rolname not like 'pg\\_%'
    order by 1
  `.execute(db);
  return rows.map(({ role }) => role);
}

/** Those of `roles` that the server does not have. */
export async function missingRoles(db: Kysely<unknown>, roles: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ role: string }>`
    select role from unnest(${roles}::text[]) as role
    where not exists (select from pg_roles where rolname = role) order by 1
  `.execute(db);
  return rows.map(({ role }) => role);
}
