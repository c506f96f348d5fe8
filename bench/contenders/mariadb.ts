import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { temporaryHome } from '../../test/support/temporary-home.ts';
import { until } from '../../test/support/until.ts';
import { articleLines, CATEGORIES, COLUMNS } from '../data/articles.ts';
import { DEBIAN_ENV, debianFile, runDebian, unpackDebian } from './debian.ts';

/** A MariaDB with the articles and categories of the bench in its database `source`. */
export interface MariaDb extends AsyncDisposable {
  pid: number;
  port: number;
  socket: string;
  /** A folder for its users' files, removed with it. */
  folder: string;
  /** Runs statements, and returns what they answer: a line a row, with tabs between its columns. */
  run: (statements: string) => string;
}

const loadFrom = (file: string) => `
  create database source;
  use source;
  create table article (
    id int primary key auto_increment, title text, slug varchar(191), content text, excerpt text, category_id int,
    featured_image text, author text, is_published boolean, published_at datetime);
  load data local infile '${file}' into table article
    (${COLUMNS.replace('is_published, published_at', '@published, @at')})
    set is_published = @published = 'true', published_at = left(@at, 19);
  create table category as
    select seq as id, concat('Category ', seq) as name, concat('category-', seq) as slug from seq_1_to_${CATEGORIES};`;

/** Starts a MariaDB of Debian's packages, which is removed when it is stopped, and fills it. */
export async function startMariaDb(articles: number): Promise<MariaDb> {
  unpackDebian();
  await using resources = new AsyncDisposableStack();
  const remove = (path: string) => rm(path, { recursive: true, force: true });
  const folder = resources.adopt(await temporaryHome(), remove);
  const [data, socket, file] = [join(folder, 'data'), join(folder, 'socket'), join(folder, 'articles')];
  await mkdir(data);
  const port = await findFreePort();
  const common = [
    '--no-defaults',
    `--basedir=${join(debianFile('/usr/share/mysql'), '../..')}`,
    `--datadir=${data}`,
    `--user=${userInfo().username}`,
  ];
  runDebian('mariadb-install-db', [...common, '--auth-root-authentication-method=normal']);
  const settings = [
    // Memory for the data, as its documentation advises; PostgreSQL has the same.
    '--innodb-buffer-pool-size=512M',
    '--innodb-log-file-size=256M',
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    `--socket=${socket}`,
    `--plugin-dir=${debianFile('/usr/lib/mysql/plugin')}`,
    '--character-set-server=utf8mb4',
  ];
  const child = spawn('mariadbd', [...common, ...settings], { env: DEBIAN_ENV, stdio: 'ignore' });
  const ended = once(child, 'exit');
  resources.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const client = [
    '--no-defaults',
    `--socket=${socket}`,
    '--user=root',
    '--local-infile',
    '--skip-column-names',
  ];
  await until('MariaDB answers', () => {
    if (child.exitCode !== null) throw new Error(`mariadbd ended with ${child.exitCode}`);
    return spawnSync('mariadb', [...client, '--execute=select 1'], { env: DEBIAN_ENV }).status === 0;
  });
  const run = (statements: string) => runDebian('mariadb', client, { input: statements });
  await writeFile(file, articleLines(articles));
  run(loadFrom(file));
  const owned = resources.move();
  return {
    pid: child.pid ?? 0,
    port,
    socket,
    folder,
    run,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
