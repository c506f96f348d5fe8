import pg from 'pg';
import type { AdvisoryLock } from './database.ts';

/** The role of a service, the schemas that it works on, and the variable with the role's password. */
export interface ServiceRole {
  readonly role: string;
  readonly schemas: readonly string[];
  /** The tables of these that it may only read and add to. */
  readonly appendOnly?: readonly string[];
  /** The role of PostgreSQL's own whose rights it has. */
  readonly memberOf?: string;
  readonly passwordVariable: string;
}

/** Each service logs in as its own role, which owns nothing and reaches no other service's schema. */
export const SERVICE_ROLES: readonly ServiceRole[] = [
  {
    role: 'pressroom_content',
    schemas: ['content'],
    appendOnly: ['content.audit'],
    passwordVariable: 'CONTENT_DATABASE_PASSWORD',
  },
  {
    role: 'pressroom_news_feed',
    schemas: ['news'],
    appendOnly: ['news.edit'],
    passwordVariable: 'NEWS_FEED_DATABASE_PASSWORD',
  },
  {
    role: 'pressroom_gallery_admin',
    schemas: ['gallery'],
    appendOnly: ['gallery.trail'],
    passwordVariable: 'GALLERY_ADMIN_DATABASE_PASSWORD',
  },
  // Reads how PostgreSQL is, and no row of a table.
  {
    role: 'pressroom_monitoring',
    schemas: [],
    memberOf: 'pg_monitor',
    passwordVariable: 'MONITORING_DATABASE_PASSWORD',
  },
];

/** The schema with the list of migrations, which every service reads to know whether it is ready. */
const MIGRATIONS_SCHEMA = 'pressroom';

/**
 * Powers that a service's role must not have, by their column in `pg_roles`, with the statement that revokes
 * them.
 */
const POWERS: Record<string, string> = {
  rolsuper: 'nosuperuser',
  rolcreatedb: 'nocreatedb',
  rolcreaterole: 'nocreaterole',
};

/** One at a time: two sessions that grant on the same object fail. */
const LOCK: AdvisoryLock = 'set up roles';

/**
 * Makes the role of each service whose password is given, or gives it this password, with what it needs on
 * the tables that exist and on those that migrations of this user add later: reading and writing rows, never
 * changing or emptying a table. All of it in one transaction; repeating it changes nothing. Run it after the
 * migrations. Returns the roles. Throws the database's error if the user of `url` may not do this: it must
 * own the tables and have `createrole`, as a superuser does.
 *
 * @param passwords by role
 */
export async function grantServiceRoles(
  url: string,
  passwords: ReadonlyMap<string, string>,
): Promise<string[]> {
  const wanted = SERVICE_ROLES.filter(({ role }) => passwords.has(role));
  const client = new pg.Client({ connectionString: url, application_name: 'pressroom roles' });
  await client.connect();
  try {
    await client.query('begin');
    await client.query("select pg_advisory_xact_lock(hashtextextended($1 || ': ', 0))", [LOCK]);
    for (const { role, schemas, appendOnly = [], memberOf } of wanted) {
      await makeRole(client, role, passwords.get(role) ?? '');
      if (memberOf !== undefined) await join(client, role, memberOf);
      for (const schema of schemas) await grant(client, role, schema);
      for (const table of appendOnly) {
        const name = client.escapeIdentifier(role);
        await client.query(`revoke update, delete on ${table} from ${name}`);
      }
    }
    await client.query('commit');
  } finally {
    await client.end();
  }
  return wanted.map(({ role }) => role);
}

async function makeRole(client: pg.Client, role: string, password: string): Promise<void> {
  const name = client.escapeIdentifier(role);
  const { rows } = await client.query<Record<string, boolean>>(
    `select ${Object.keys(POWERS).join(', ')} from pg_roles where rolname = $1`,
    [role],
  );
  if (rows.length === 0) await client.query(`create role ${name}`);
  // Only what it has: even "nosuperuser" needs a superuser.
  const taken = Object.entries(POWERS).flatMap(([power, away]) => (rows[0]?.[power] ? [away] : []));
  await client.query(
    `alter role ${name} login ${taken.join(' ')} password ${client.escapeLiteral(password)}`,
  );
}

/** Only once: granting it takes a superuser, or whoever has been given the right to. */
async function join(client: pg.Client, role: string, group: string): Promise<void> {
  const { rows } = await client.query<{ is: boolean }>("select pg_has_role($1, $2, 'member') as is", [
    role,
    group,
  ]);
  if (!rows[0]?.is) await client.query(`grant ${group} to ${client.escapeIdentifier(role)}`);
}

async function grant(client: pg.Client, role: string, schema: string): Promise<void> {
  const name = client.escapeIdentifier(role);
  // Nothing that triggers keep count of, or ledgers follow, is emptied at once.
  const rows = 'select, insert, update, delete';
  for (const statement of [
    `grant usage on schema ${schema}, ${MIGRATIONS_SCHEMA} to ${name}`,
    `grant ${rows} on all tables in schema ${schema} to ${name}`,
    `grant usage, select, update on all sequences in schema ${schema} to ${name}`,
    `alter default privileges in schema ${schema} grant ${rows} on tables to ${name}`,
    `revoke truncate on all tables in schema ${schema} from ${name}`,
    `alter default privileges in schema ${schema} revoke truncate on tables from ${name}`,
    `alter default privileges in schema ${schema} grant usage, select, update on sequences to ${name}`,
    `grant select on ${MIGRATIONS_SCHEMA}.migration_file to ${name}`,
  ]) {
    await client.query(statement);
  }
}
