import { hash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@pressroom/common/database/migrations';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { Child } from '../support/child.ts';
import { createDatabase, databaseUrl } from '../support/database.ts';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';

const CLI = 'packages/common/src/database/migrate-cli.ts';
const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

let url: string;
let client: pg.Client;
let folder: string;

beforeEach(async () => {
  const name = `migrate_${randomUUID().replaceAll('-', '')}`;
  await createDatabase(inject('serverUrl'), name);
  url = databaseUrl(inject('serverUrl'), name);
  client = new pg.Client({ connectionString: url });
  await client.connect();
  folder = await temporaryHome();
});

afterEach(async () => {
  await client.end();
  const admin = new pg.Client({ connectionString: inject('serverUrl') });
  await admin.connect();
  await admin.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
  await admin.end();
  await rm(folder, { recursive: true });
});

/** Puts files of SQL into the folder of migrations. */
async function write(files: Record<string, string>): Promise<void> {
  for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql);
}

/** The values of the first column of what `sql` finds. */
async function column(sql: string): Promise<unknown[]> {
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  return rows.map(([value]) => value);
}

const executed = () => column('select name from pressroom.kysely_migration order by name');
const tables = () => column("select relname from pg_class where relname like 'thing%' order by relname");

test('ten processes that migrate at once all succeed, and each migration runs once', async () => {
  const children = Array.from({ length: 10 }, () => Child.run(CLI, { DATABASE_URL: url }));
  const codes = await Promise.all(children.map(({ exited }) => exited));
  expect(children.map(({ err }) => err).join('')).toBe('');
  expect(codes).toEqual(Array(10).fill(0));
  const files = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql')).sort();
  const names = files.map((file) => file.slice(0, -4));
  expect(await executed()).toEqual(names);
  const outputs = children.map(({ out }) => out.trim());
  const whole = new RegExp(`^Migrated: ${names.join(', ')}, functions \\d+$`);
  expect(outputs.filter((out) => whole.test(out))).toHaveLength(1);
  expect(outputs.filter((out) => out === 'The database is up to date.')).toHaveLength(9);
});

test('the statements of a file run in order, and in one transaction with those of the other files', async () => {
  await write({
    '0001_first.sql': `create table thing_ids (id xid8);
      insert into thing_ids values (pg_current_xact_id());
      create function thing_twice(n int) returns int language plpgsql as $$ begin return n * 2; end; $$;
      insert into thing_ids values (pg_current_xact_id());`,
    '0002_second.sql': 'insert into thing_ids values (pg_current_xact_id());\n-- the end\n',
    'README.md': 'not SQL',
  });
  expect(await migrate(url, folder)).toEqual(['0001_first', '0002_second']);
  expect(await column("select count(distinct id)::int || '/' || count(*)::int from thing_ids")).toEqual([
    '1/3',
  ]);
  expect(await column('select thing_twice(21)')).toEqual([42]);
});

test('a second run does nothing, and a later one runs only what is new', async () => {
  await write({ '0001_a.sql': 'create table thing_a (id int)' });
  expect(await migrate(url, folder)).toEqual(['0001_a']);
  expect(await migrate(url, folder)).toEqual([]);
  await write({ '0002_b.sql': 'create table thing_b (id int)' });
  expect(await migrate(url, folder)).toEqual(['0002_b']);
  expect(await tables()).toEqual(['thing_a', 'thing_b']);
});

test('a failing migration is named, and leaves the database as it was', async () => {
  await write({ '0001_a.sql': 'create table thing_a (id int)' });
  await migrate(url, folder);
  await write({
    '0002_b.sql': 'create table thing_b (id int)',
    '0003_c.sql':
      'create table thing_c (id int); insert into thing_c values (1); select nonsense from thing_c;',
    '0004_d.sql': 'create table thing_d (id int)',
  });
  await expect(migrate(url, folder)).rejects.toThrow('0003_c: column "nonsense" does not exist');
  expect(await tables()).toEqual(['thing_a']);
  expect(await executed()).toEqual(['0001_a']);
  await write({ '0003_c.sql': 'create table thing_c (id int)' });
  expect(await migrate(url, folder)).toEqual(['0002_b', '0003_c', '0004_d']);
});

test('a process that waits for a failing migration runs it itself and fails as well', async () => {
  await write({ '0001_a.sql': 'create table thing_a (id int); select pg_sleep(0.2); select nonsense;' });
  const runs = await Promise.allSettled([migrate(url, folder), migrate(url, folder)]);
  expect(runs.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await tables()).toEqual([]);
});

test('a disconnected migrator leaves neither its work nor its lock', async () => {
  await client.query('create table thing_lock (id int)');
  await client.query('begin');
  await client.query('lock table thing_lock');
  await write({ '0001_a.sql': 'create table thing_a (id int); lock table thing_lock;' });
  const cutOff = expect(migrate(url, folder, { lockTimeoutMs: 60_000 })).rejects.toThrow();
  const waiting = "select pid from pg_locks where not granted and relation = 'thing_lock'::regclass";
  const pid = await until('the migration waits for the lock', async () => (await column(waiting))[0]);
  await client.query('select pg_terminate_backend($1)', [pid]);
  await cutOff;
  await client.query('commit');
  expect(await tables()).toEqual(['thing_lock']);
  expect(await migrate(url, folder)).toEqual(['0001_a']);
});

/** A second connection, whose statements fail where they would wait for a lock for ever. */
async function withOther<Result>(work: (other: pg.Client) => Promise<Result>): Promise<Result> {
  const other = new pg.Client({ connectionString: url, statement_timeout: 60_000 });
  await other.connect();
  try {
    return await work(other);
  } finally {
    await other.end();
  }
}

async function untilTableIsWaitedFor(): Promise<void> {
  const query = 'select pid from pg_locks where not granted and relation is not null';
  await until('the migration waits for a table', async () => (await column(query))[0]);
}

test('readers get through while a migration waits for one who reads for long', async () => {
  const names = (await readdir(MIGRATIONS)).filter((name) => name < '0022').sort();
  for (const name of names) await write({ [name]: await readFile(join(MIGRATIONS, name), 'utf8') });
  await migrate(url, folder);
  await client.query("set application_name = 'pg_dump'");
  await client.query('begin');
  await client.query('select from content.idempotency_key');
  const [pid] = await column('select pg_backend_pid()');

  const child = Child.run(CLI, { DATABASE_URL: url });
  await untilTableIsWaitedFor();
  await withOther((other) => other.query('select from content.idempotency_key'));
  await until('it says who holds the table', () => child.err.includes('migration_blocked'));
  expect(child.err).toMatch(
    new RegExp(
      `^migration_blocked: 0022_content_deleted_keys: .*process ${pid} \\(pg_dump, .*again in 1 s\\n`,
    ),
  );
  expect(child.out).toBe('');
  await client.query('commit');
  expect(await child.exited, child.err).toBe(0);
  expect(child.out).toMatch(/^Migrated: 0022_content_deleted_keys, /);
});

test('writers get through while a trigger waits for one who writes for long', async () => {
  await write({ '0001_a.sql': TABLE });
  await writeFunctions(1, functionOf('first'));
  await migrate(url, folder);
  await client.query('begin');
  await client.query('insert into public.thing (id) values (1)');

  await writeFunctions(2, functionOf('first'), triggerOf('insert'));
  const refusals: string[] = [];
  const run = migrate(url, folder, { onBlocked: (reason) => refusals.push(reason) });
  await untilTableIsWaitedFor();
  await withOther((other) => other.query('insert into public.thing (id) values (2)'));
  await until('it says who holds the table', () => refusals.length > 0);
  expect(refusals[0]).toContain('trigger a_word on public.thing: canceling statement due to lock timeout');
  await client.query('commit');
  expect(await run).toEqual(['functions 2']);
  expect(await word()).toBe('first');
});

test('a migration gives up after a while, and says whom it has waited for', async () => {
  await write({ '0001_a.sql': 'create table thing_a (id int)' });
  await migrate(url, folder);
  await client.query('begin');
  await client.query('select from thing_a');
  const [pid] = await column('select pg_backend_pid()');
  await write({
    '0002_b.sql': 'create table thing_b (id int)',
    '0003_c.sql': 'alter table thing_a add column word text',
  });
  await expect(migrate(url, folder, { patienceSeconds: 0 })).rejects.toThrow(
    new RegExp(`^0003_c: canceling statement due to lock timeout.* process ${pid} `),
  );
  await client.query('commit');
  expect(await tables()).toEqual(['thing_a']);
  expect(await migrate(url, folder)).toEqual(['0002_b', '0003_c']);
});

test('who waits for another process that migrates has no time limit', async () => {
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock(3853314791062309107)');
  await write({ '0001_a.sql': 'create table thing_a (id int)' });
  const run = migrate(url, folder, { lockTimeoutMs: 1, patienceSeconds: 0 });
  await until('it waits', async () => {
    const query = "select pid from pg_locks where not granted and locktype = 'advisory'";
    return (await column(query))[0];
  });
  await client.query('commit');
  expect(await run).toEqual(['0001_a']);
});

test('a database of other versions of the files is refused with what to do, and nothing is run', async () => {
  await write({
    '0001_a.sql': 'create table thing_a (id int)',
    '0002_b.sql': 'create table thing_b (id int)',
  });
  await migrate(url, folder);
  await write({
    '0002_b.sql': 'create table thing_b (id bigint)',
    '0003_c.sql': 'create table thing_c (id int)',
  });
  await expect(migrate(url, folder)).rejects.toThrow(
    /other versions of 0002_b\.sql\. .*before the first release.* --carry-over.*content export.*new file/,
  );
  expect(await tables()).toEqual(['thing_a', 'thing_b']);
  await write({ '0002_b.sql': 'create table thing_b (id int)' });
  expect(await migrate(url, folder)).toEqual(['0003_c']);
});

test('a database of a checkout from before the first release is refused, and nothing is run', async () => {
  await write({
    '0001_content.sql': 'create table thing_a (id int)',
    '0013_content_lists.sql': 'create table thing_b (id int)',
  });
  await migrate(url, folder);
  const child = Child.run(CLI, { DATABASE_URL: url });
  expect(await child.exited).toBe(1);
  expect(child.err).toMatch(
    /^Cannot migrate: .* other versions of 0001_content\.sql\. .*pnpm migrate --carry-over.*\n$/,
  );
  expect(await executed()).toEqual(['0001_content', '0013_content_lists']);
  expect(await column("select count(*)::int from pg_namespace where nspname = 'content'")).toEqual([0]);
});

/** Puts `things.sql` into the folder, and the list that names it, under a revision. */
async function writeFunctions(revision: number, ...statements: string[]): Promise<void> {
  await mkdir(join(folder, 'made'), { recursive: true });
  await write({
    'functions.json': JSON.stringify({ revision, files: [{ path: 'made/things.sql' }] }),
    'made/things.sql': `-- Things.\n\n${statements.join('\n\n')}\n`,
  });
}

const TABLE = 'create table public.thing (id int, word text);';
const functionOf = (word: string, name = 'thing_word') =>
  `create or replace function public.${name}() returns trigger language plpgsql as $$
begin
  new.word := '${word}';
  return new;
end
$$;`;
const triggerOf = (event: string, name = 'thing_word') =>
  `create or replace trigger a_word before ${event} on public.thing\n  for each row execute function public.${name}();`;
const older = (sql: string) => sql.replace('create or replace', 'create');

/** The word of a new thing. */
const word = async () => (await column('insert into public.thing (id) values (1) returning word'))[0];
const triggers = () => column("select oid from pg_trigger where tgname = 'a_word'");
const functionNames = () =>
  column("select oid::regprocedure::text from pg_proc where proname like 'thing%' order by 1");

test('functions and triggers follow their files, and what no file makes any longer goes', async () => {
  await write({ '0001_a.sql': TABLE });
  await writeFunctions(1, functionOf('first'), triggerOf('insert'));
  expect(await migrate(url, folder)).toEqual(['0001_a', 'functions 1']);
  expect(await word()).toBe('first');
  expect(await migrate(url, folder)).toEqual([]);

  await writeFunctions(2, functionOf('second'), triggerOf('insert'));
  expect(await migrate(url, folder)).toEqual(['functions 2']);
  expect(await word()).toBe('second');

  await writeFunctions(3, functionOf('third', 'thing_other'), triggerOf('insert or update', 'thing_other'));
  expect(await migrate(url, folder)).toEqual(['functions 3']);
  expect(await word()).toBe('third');
  expect(await functionNames()).toEqual(['thing_other()']);

  await writeFunctions(
    4,
    'create or replace function public.thing_sum(a int) returns int language sql as $$ select a $$;',
  );
  await migrate(url, folder);
  expect([await triggers(), await functionNames()]).toEqual([[], ['thing_sum(integer)']]);
  await writeFunctions(
    5,
    'create or replace function public.thing_sum(a int, b int) returns int language sql as $$ select a + b $$;',
  );
  await migrate(url, folder);
  expect(await functionNames()).toEqual(['thing_sum(integer,integer)']);
});

test('functions are replaced while writers hold the table whose triggers stay', async () => {
  await write({ '0001_a.sql': TABLE });
  await writeFunctions(1, functionOf('first'), triggerOf('insert'));
  await migrate(url, folder);
  const [trigger] = await triggers();
  await client.query('begin');
  expect(await word()).toBe('first');

  await writeFunctions(
    2,
    functionOf('second'),
    triggerOf('insert').replace('before insert', 'BEFORE  INSERT'),
  );
  expect(await migrate(url, folder)).toEqual(['functions 2']);
  expect(await word()).toBe('second');
  await client.query('commit');
  expect(await triggers()).toEqual([trigger]);
});

test('a database of the migrations that made the functions, too, goes on with the files', async () => {
  const before = `${TABLE}\n${older(functionOf('first'))}\n${older(triggerOf('insert'))}\n`;
  await write({ '0001_a.sql': before });
  await migrate(url, folder);
  const [trigger] = await triggers();
  await client.query('begin');
  expect(await word()).toBe('first');

  const after = `${TABLE}\n\n-- Former checksum: ${hash('sha256', before)}\n`;
  await write({ '0001_a.sql': after });
  await writeFunctions(1, functionOf('second'), triggerOf('insert'));
  expect(await migrate(url, folder)).toEqual(['functions 1']);
  await client.query('commit');
  expect([await word(), await triggers()]).toEqual(['second', [trigger]]);
  expect(await migrate(url, folder)).toEqual([]);
});

test('an older build leaves the functions of a newer one', async () => {
  await write({ '0001_a.sql': TABLE });
  await writeFunctions(2, functionOf('newer'), triggerOf('insert'));
  await migrate(url, folder);
  await writeFunctions(1, functionOf('older'), triggerOf('insert'));
  expect(await migrate(url, folder)).toEqual(['functions left at 2, of a newer build']);
  expect(await word()).toBe('newer');
});

test('a trigger or function that was lost is made again', async () => {
  await write({ '0001_a.sql': TABLE });
  await writeFunctions(1, functionOf('first'), triggerOf('insert'));
  await migrate(url, folder);
  await client.query('drop function public.thing_word cascade');
  expect(await migrate(url, folder)).toEqual(['functions 1']);
  expect(await word()).toBe('first');
});

test('a function that fails is named, and the migrations before it are not kept', async () => {
  await write({ '0001_a.sql': TABLE });
  await writeFunctions(
    1,
    'create or replace function public.thing_word() returns int language sql as $$ select nonsense $$;',
  );
  await expect(migrate(url, folder)).rejects.toThrow(
    'things.sql, function public.thing_word: column "nonsense" does not exist',
  );
  expect(await tables()).toEqual([]);
});

test.each([
  ['create table thing_b (id int);', /things\.sql: takes only .*, not: create table thing_b/],
  [
    `${functionOf('first')}\n\n${functionOf('second')}`,
    /things\.sql: function public\.thing_word is made twice/,
  ],
])('a file of functions with anything else is refused: %s', async (statement, fault) => {
  await write({ '0001_a.sql': TABLE });
  await writeFunctions(1, statement);
  await expect(migrate(url, folder)).rejects.toThrow(fault);
});

/** Columns of later files, which today's samples and triggers know. */
const LATER = {
  'content.article': {
    ...{ is_short: 'boolean not null default false', corrections: 'jsonb' },
    ...{ social_title: 'text', social_description: 'text', social_image: 'text' },
    ...{ series_id: 'integer', series_position: 'integer' },
  },
  'news.item': {
    ...{ authors: 'text[]', tags: 'text[]', enclosures: 'jsonb' },
    ...{ correction: 'text', corrected_at: 'timestamptz(3)' },
  },
  'news.story': { correction: 'text', corrected_at: 'timestamptz(3)', hot_place: 'text' },
  'news.daily': { correction: 'text', noted_at: 'timestamptz(3)' },
  'news.weekly': { correction: 'text', noted_at: 'timestamptz(3)' },
  'news.monthly': { correction: 'text', noted_at: 'timestamptz(3)' },
};

/** Drops them, with the triggers that know them. */
async function forgetLater(): Promise<void> {
  for (const [table, columns] of Object.entries(LATER)) {
    for (const name of Object.keys(columns)) await column(`alter table ${table} drop column ${name} cascade`);
  }
}

/** A database that one file made, with the tables of today's first 14, and what the samples put in. */
async function makeOlder(more = ''): Promise<void> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name < '0015').sort();
  const texts = await Promise.all(names.map((name) => readFile(join(MIGRATIONS, name), 'utf8')));
  const later = Object.entries(LATER).flatMap(([table, columns]) =>
    Object.entries(columns).map(([name, type]) => `alter table ${table} add column ${name} ${type};`),
  );
  const noPictures = 'create function content.know_pictures(text[]) returns void return null;';
  await write({ '0001_content.sql': [...texts, ...later, noPictures, more].join('\n') });
  const list = JSON.parse(await readFile(join(MIGRATIONS, 'functions.json'), 'utf8'));
  // Its triggers are on tables of later files.
  list.files = list.files.filter(
    ({ path }: { path: string }) =>
      !/\/(review|comments|redirects|site-settings|settings|pictures)\.sql$/.test(path),
  );
  for (const file of list.files) {
    file.path = join(MIGRATIONS, file.path);
    file.for = file.for
      ?.filter(({ term }: { term?: string }) => term !== 'series')
      .map((one: { lists?: string }) => ({ ...one, lists: one.lists?.replace(/, \('series', \w+\)/, '') }));
  }
  await write({ 'functions.json': JSON.stringify(list) });
  await migrate(url, folder);
}

/** Without what later files add. */
const articles = () =>
  column(
    `select to_jsonb(article)
       - '{is_short,begun_account,corrections,social_title,social_description,social_image,series_id,series_position}'::text[]
     from content.article order by id`,
  );
const items = () =>
  column(
    "select to_jsonb(item) - '{authors,tags,enclosures,correction,corrected_at}'::text[] from news.item order by id",
  );

/** The columns with values that their sequences have yet to give. */
async function sequencesBehind(): Promise<string[]> {
  const { rows } = await client.query(`
    select format('%I.%I', table_schema, table_name) as table, column_name as column, coalesce(
      substring(column_default from $$nextval\\('([^']+)'$$),
      pg_get_serial_sequence(format('%I.%I', table_schema, table_name), column_name)) as sequence
    from information_schema.columns
    where table_schema in ('content', 'gallery', 'news') and (is_identity = 'YES' or column_default like 'nextval%')`);
  const behind: string[] = [];
  for (const { table, column: name, sequence } of rows) {
    const [is] = await column(
      `select max(${name}) > coalesce(pg_sequence_last_value('${sequence}'), 0) from ${table}`,
    );
    if (is === true) behind.push(`${table}.${name}`);
  }
  expect(rows.length).toBeGreaterThan(10);
  return behind;
}

test('a database of an older chain is carried over with its rows, and goes on', async () => {
  await makeOlder();
  const env = { DATABASE_URL: url };
  for (const cli of ['services/content/src/cli.ts', 'services/news-feed/src/cli.ts']) {
    const sample = Child.run(cli, env, ['sample']);
    expect(await sample.exited, sample.err).toBe(0);
  }
  await forgetLater();
  await column("update content.article set slug = slug || '-moved'");
  const [oldArticles, oldItems] = [await articles(), await items()];
  expect(oldArticles).not.toEqual([]);
  expect(oldItems).not.toEqual([]);

  const child = Child.run(CLI, env, ['--carry-over']);
  expect(await child.exited, child.err).toBe(0);
  expect(child.out).toMatch(
    /^Carried over: \d+ rows of \d+ tables\..*\n.*drop schema content_before, .*\nMigrated: 0015/,
  );

  expect(await articles()).toEqual(oldArticles);
  expect(await items()).toEqual(oldItems);
  // Triggers, keys and identities are as in any other database.
  const [id] = await column("insert into content.category (name, slug) values ('New', 'new') returning id");
  expect(id).toBeGreaterThan(
    Math.max(...((await column('select id from content_before.category')) as number[])),
  );
  expect(await sequencesBehind()).toEqual([]);
  await expect(client.query('update content.article set category_id = 99999')).rejects.toThrow('foreign key');
  const again = Child.run(CLI, env, ['--carry-over']);
  expect(await again.exited).toBe(0);
  expect(again.out).toBe('The database is up to date.\n');
});

test('a database with other tables is not carried over, and stays as it was', async () => {
  await makeOlder('alter table content.category add column colour text');
  await forgetLater();
  const child = Child.run(CLI, { DATABASE_URL: url }, ['--carry-over']);
  expect(await child.exited).toBe(1);
  expect(child.err).toMatch(/content\.category\.colour \(text\) differ.*newest checkout .*content export/);
  expect(await executed()).toEqual(['0001_content']);
});

test.each([
  [
    'nobody listens',
    { DATABASE_URL: 'postgres://u:hunter2@localhost:1/x' },
    /^Cannot migrate: .*ECONNREFUSED/,
  ],
  ['no database is named', { DATA_DIR: '/nowhere' }, /^Cannot migrate: no database: set DATABASE_URL/],
])('the command says in one line why it cannot when %s', async (_what, env, expected) => {
  const child = Child.run(CLI, env);
  expect(await child.exited).toBe(1);
  expect(child.err).toMatch(expected);
  expect(child.err.trim().split('\n')).toHaveLength(1);
  expect(child.err).not.toContain('hunter2');
});
