import { randomUUID } from 'node:crypto';
import { migrate } from '@pressroom/common/database/migrations';
import { grantServiceRoles, SERVICE_ROLES } from '@pressroom/common/database/service-roles';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startContent } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { createTestDatabase, databaseUrl, type TestDatabase } from '../support/database.ts';
import { ADMIN, galleryFixture, startGallery } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { startNewsFeed } from '../support/news-feed.ts';

let database: TestDatabase;
/** Passwords that would end a literal or a URL if they were not quoted. */
const passwords = new Map(SERVICE_ROLES.map(({ role }) => [role, `it's "${role}" $$ %41 \\`]));

beforeAll(async () => {
  database = await createTestDatabase();
  await grantServiceRoles(database.url, passwords);
});

afterAll(async () => {
  for (const { role } of SERVICE_ROLES) await database.pool.query(`drop owned by ${role} cascade`);
  await database.drop();
});

/** The database as a service reaches it. */
function urlFor(role: string): string {
  const url = new URL(database.url);
  url.username = role;
  url.password = encodeURIComponent(passwords.get(role) ?? '');
  return url.href;
}

test('a role owns nothing and can do nothing in the schemas of others', async () => {
  for (const { role, schemas } of SERVICE_ROLES) {
    const client = new pg.Client({ connectionString: urlFor(role) });
    await client.connect();
    const owned = await client.query(
      'select from pg_class where relowner = (select oid from pg_roles where rolname = current_user)',
    );
    expect(owned.rowCount).toBe(0);
    const others = await client.query(
      `select table_schema from information_schema.table_privileges
        where grantee = current_user and table_schema <> all($1) and privilege_type <> 'SELECT'`,
      [schemas],
    );
    expect(others.rows).toEqual([]);
    for (const statement of [
      ...schemas.map((schema) => `create table ${schema}.mine ()`),
      'create schema mine',
      'create table public.mine ()',
      `drop table pressroom.migration_file`,
      `delete from pressroom.migration_file`,
    ]) {
      await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });
    }
    await client.end();
  }
});

test('repeating it, even twice at once, changes a password and nothing else', async () => {
  const again = () => grantServiceRoles(database.url, passwords);
  expect((await Promise.all([again(), again()])).map((roles) => roles.length)).toEqual([4, 4]);
});

test('a table that a later migration adds is open to its service', async () => {
  await database.pool.query('create table content.later (id integer generated always as identity)');
  const client = new pg.Client({ connectionString: urlFor('pressroom_content') });
  await client.connect();
  await client.query('insert into content.later default values');
  await client.end();
});

test('the monitoring sees what PostgreSQL does, and no row', async () => {
  const client = new pg.Client({ connectionString: urlFor('pressroom_monitoring') });
  await client.connect();
  const { rows } = await client.query(
    "select pg_has_role('pg_monitor', 'usage') as sees, rolsuper from pg_roles where rolname = current_user",
  );
  expect(rows).toEqual([{ sees: true, rolsuper: false }]);
  for (const table of ['content.article', 'news.item', 'gallery.session']) {
    await expect(client.query(`select from ${table}`), table).rejects.toMatchObject({ code: '42501' });
  }
  await client.end();
});

test('no role empties a table, whatever it could do before', async () => {
  await database.pool.query('grant truncate on content.article to pressroom_content');
  await grantServiceRoles(database.url, passwords);
  const { rows } = await database.pool.query(
    `select role, format('%I.%I', schemaname, tablename) as name from pg_tables
     cross join unnest($1::text[]) as role
     where schemaname in ('content', 'news', 'gallery')
       and has_table_privilege(role, format('%I.%I', schemaname, tablename), 'TRUNCATE')`,
    [[...passwords.keys()]],
  );
  expect(rows).toEqual([]);
});

test('content works with its role', async () => {
  const service = await startContent(urlFor('pressroom_content'), { CONTENT_HTML: 'trusted' });
  expect((await send(`${service.url}/readyz`)).body).toEqual({ status: 'ok' });
  const { ApiKeyStore } = await import('@pressroom/content/api-keys');
  const { openDatabase } = await import('@pressroom/common/database/database');
  const db = openDatabase<import('@pressroom/content/tables').ContentTables>(
    { DATABASE_URL: urlFor('pressroom_content') },
    'test',
  );
  const { key } = await new ApiKeyStore(db).create({ name: 'Test' });
  await db.destroy();
  const headers = { 'x-api-key': key };
  const made = await send(`${service.url}/api/articles`, { method: 'POST', json: articleBody(), headers });
  expect(made.status).toBe(201);
  const path = `${service.url}${made.headers.get('location')}`;
  expect((await send(path, { method: 'PATCH', json: { is_published: true }, headers })).status).toBe(200);
  expect((await send(`${service.url}/api/articles`)).body.data).toHaveLength(1);
  expect((await send(path, { method: 'DELETE', headers })).status).toBe(200);
  // Of the audit trail it removes nothing but what is old, by the function that is there for it.
  const client = new pg.Client({ connectionString: urlFor('pressroom_content') });
  await client.connect();
  const { rows } = await client.query('select action from content.audit order by at, id');
  expect(rows.map(({ action }) => action)).toEqual(['key.created', 'article.published', 'article.deleted']);
  for (const statement of [
    'update content.audit set action = 1',
    'delete from content.audit',
    'truncate content.audit',
  ])
    await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });
  expect((await client.query('select content.prune_audit(30, 100) as removed')).rows).toEqual([
    { removed: 0 },
  ]);
  await client.end();
  await service.close();
});

test('the news feed works with its role, and so does its newsroom', async () => {
  const url = urlFor('pressroom_news_feed');
  const service = await startNewsFeed(url);
  expect((await send(`${service.url}/readyz`)).status).toBe(200);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into news.item (title, source_name, original_url, canonical_url, published_at, selected)
     values ('Title', 'Source', 'https://a.example', 'https://a.example', now(), true)`,
  );
  await client.query('select news.start_ledger_epoch()');
  await client.end();
  expect((await send(`${service.url}/api/v1/selected/snapshot`)).body.count).toBe(1);
  await service.close();
});

test('the gallery works with its role', async () => {
  const fixture = await galleryFixture();
  const DATABASE_URL = urlFor('pressroom_gallery_admin');
  const service = await startGallery({ ...fixture.settings, DATABASE_URL });
  expect((await send(`${service.url}/readyz`)).status).toBe(200);
  const login = await send(`${service.url}/api/login`, { method: 'POST', json: ADMIN });
  expect(login.status).toBe(200);
  // It removes nothing of the trail but what is old.
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  const { rows } = await client.query('select action from gallery.trail');
  expect(rows).toEqual([{ action: 'login_succeeded' }]);
  for (const statement of [
    'update gallery.trail set action = 1',
    'delete from gallery.trail',
    'truncate gallery.trail',
  ])
    await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });
  expect((await client.query('select gallery.prune_trail(30, 100) as removed')).rows).toEqual([
    { removed: 0 },
  ]);
  await client.end();
  await service.close();
  await fixture.close();
});

test('a role that was given more is left with what a service needs', async () => {
  await database.pool.query('alter role pressroom_content superuser createdb');
  await grantServiceRoles(database.url, passwords);
  const { rows } = await database.pool.query(
    "select rolsuper, rolcreatedb, rolcreaterole from pg_roles where rolname = 'pressroom_content'",
  );
  expect(rows).toEqual([{ rolsuper: false, rolcreatedb: false, rolcreaterole: false }]);
});

test('an owner of the tables who is no superuser makes the roles, and changes their passwords', async () => {
  const owner = `owner_${randomUUID().replaceAll('-', '')}`;
  const own = SERVICE_ROLES.filter(({ memberOf }) => memberOf === undefined).map(({ role }) => role);
  for (const role of own) {
    await database.pool.query(`drop owned by ${role} cascade`);
    await database.pool.query(`drop role ${role}`);
  }
  await database.pool.query(`create role ${owner} login createrole password 'owner'`);
  await database.pool.query(`create database ${owner} owner ${owner}`);
  try {
    const url = new URL(databaseUrl(database.url, owner));
    url.username = owner;
    url.password = 'owner';
    await migrate(url.href);
    await grantServiceRoles(url.href, new Map(own.map((role) => [role, 'first'])));
    await grantServiceRoles(url.href, new Map([...passwords].filter(([role]) => own.includes(role))));
    const service = await startContent(databaseUrl(urlFor('pressroom_content'), owner));
    expect((await send(`${service.url}/readyz`)).body).toEqual({ status: 'ok' });
    await service.close();
  } finally {
    await database.pool.query(`drop database ${owner} with (force)`);
  }
});
