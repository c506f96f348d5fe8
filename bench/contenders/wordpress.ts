import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { whenReady } from '../server.ts';
import { familyMemoryOf } from '../usage.ts';
import { type ContentContender, UPDATED_ARTICLES, writtenArticle } from './content.ts';
import { DEBIAN_ENV, debianFile, runDebian } from './debian.ts';
import type { MariaDb } from './mariadb.ts';

/** The settings and the installation that the bench gives it. */
const OWN = join(import.meta.dirname, '../peers/wordpress');

/** The modules of PHP that its packages turn on and WordPress uses. */
const MODULES = ['mysqlnd', 'mysqli', 'ctype', 'exif', 'fileinfo', 'gd', 'iconv', 'posix', 'tokenizer'];

/** Its own category stays the first one. */
const FILL = `
  use wordpress;
  delete from wp_posts;
  delete from wp_term_relationships;
  delete from wp_comments;
  insert into wp_terms (term_id, name, slug) select id + 1, name, slug from source.category;
  insert into wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, count)
    select id + 1, id + 1, 'category', '', (select count(*) from source.article where category_id = category.id and is_published)
    from source.category;
  insert into wp_posts (id, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_content,
                        post_title, post_excerpt, post_status, post_name, to_ping, pinged, post_content_filtered)
    select id, 1, published_at, published_at, published_at, published_at, content, title, excerpt,
           if(is_published, 'publish', 'draft'), slug, '', '', ''
    from source.article;
  insert into wp_term_relationships (object_id, term_taxonomy_id) select id, category_id + 1 from source.article;
  analyze table wp_posts, wp_terms, wp_term_taxonomy, wp_term_relationships;`;

/** Members of the list; categories by their ids, whose names a reader knows: one embedded is two queries. */
const LISTED = '_envelope&_fields=id,title,slug,excerpt,date,categories';

/** PHP and nginx, as one family, whose CPU time and memory are WordPress's. */
const BOTH = `
  php=$1 conf=$2; shift 2
  "$php" "$@" & php=$!
  nginx -c "$conf" -g "daemon off;" & nginx=$!
  trap 'kill $php $nginx' TERM
  wait; wait`;

/** WordPress on a new database of a MariaDB, with the articles: with its page cache, and without it. */
export async function startWordPress(database: MariaDb): Promise<ContentContender[]> {
  const folder = join(database.folder, 'wordpress');
  mkdirSync(folder);
  const wordpress = debianFile('/usr/share/wordpress');
  copyFileSync(join(OWN, 'wp-config.php'), join(wordpress, 'wp-config.php'));
  const { version, options } = phpOf();
  const env = {
    ...DEBIAN_ENV,
    // No modules of a PHP of this machine.
    PHP_INI_SCAN_DIR: '',
    DB_SOCKET: database.socket,
    WP_CONTENT_DIR: debianFile('/var/lib/wordpress/wp-content'),
    WORDPRESS: wordpress,
  };
  database.run('create database wordpress');
  const password = runDebian(`php${version}`, [...options, join(OWN, 'install.php')], { env });
  database.run(FILL);
  const cachedPort = await findFreePort();
  const user = userInfo().username;
  const start = (port: string) => {
    const values: Readonly<Record<string, string>> = {
      ...env,
      FOLDER: folder,
      USER: user,
      USER_LINE: user === 'root' ? 'user root;' : '',
      FASTCGI_PARAMS: debianFile('/etc/nginx/fastcgi_params'),
      CACHED_PORT: String(cachedPort),
      PORT: port,
    };
    const [fpm = '', nginx = ''] = ['php-fpm.conf', 'nginx.conf'].map((name) => {
      const text = readFileSync(join(OWN, name), 'utf8');
      const file = join(folder, name);
      writeFileSync(
        file,
        text.replaceAll(/@(\w+)@/g, (_, value: string) => values[value] ?? ''),
      );
      return file;
    });
    const php = [...options, '--nodaemonize', '--allow-to-run-as-root', '--fpm-config', fpm];
    return spawn('sh', ['-c', BOTH, 'sh', `php-fpm${version}`, nginx, ...php], { env, stdio: 'ignore' });
  };
  const server = await whenReady('/wp-json/', start);
  const process = { ...server, residentMemory: () => familyMemoryOf(server.pid) };
  const name = `WordPress ${versionOf(wordpress)}`;
  const api = wordPressApi(password);
  return [
    { name, process: { ...process, port: cachedPort }, ...api },
    { name: `${name}, no cache`, process, ...api },
  ];
}

/** The version of Debian's PHP, and with which options it finds its modules where they are unpacked. */
function phpOf(): { version: string; options: string[] } {
  const folder = debianFile('/usr/lib/php');
  const names = readdirSync(folder);
  const [version = ''] = names.filter((name) => /^\d+\.\d+$/.test(name));
  const [modules = ''] = names.filter((name) => /^\d{8}$/.test(name));
  const settings = [
    `extension_dir=${join(folder, modules)}`,
    'zend_extension=opcache',
    ...MODULES.map((name) => `extension=${name}`),
  ];
  const production = ['-c', join(folder, version, 'php.ini-production')];
  return { version, options: [...production, ...settings.flatMap((setting) => ['-d', setting])] };
}

function versionOf(wordpress: string): string {
  const text = readFileSync(join(wordpress, 'wp-includes/version.php'), 'utf8');
  return /\$wp_version = '(.+?)'/.exec(text)?.[1] ?? '';
}

function wordPressApi(password: string): Pick<ContentContender, 'requests' | 'readPage'> {
  const posts = '/wp-json/wp/v2/posts';
  const page = (number: number) => `${posts}?per_page=20&page=${number}&${LISTED}`;
  const headers = { authorization: `Basic ${Buffer.from(`bench:${password}`).toString('base64')}` };
  return {
    requests: {
      page,
      search: (word) => `${page(1)}&search=${word}`,
      detail: (id) => `${posts}/${id}?_embed=wp:term`,
      create: {
        method: 'POST',
        paths: [posts],
        headers,
        body: (number) => {
          const { title, content, excerpt } = writtenArticle(number);
          return { title, content, excerpt, status: 'publish', categories: [2] };
        },
        status: 201,
      },
      update: {
        method: 'POST',
        paths: UPDATED_ARTICLES.map((id) => `${posts}/${id}`),
        headers,
        body: (number) => ({ excerpt: writtenArticle(number).excerpt }),
        status: 200,
      },
    },
    readPage: (answer) => {
      const { body, headers: named } = answer as { body: Post[]; headers: { 'X-WP-Total': number } };
      const articles = body.map(({ title, slug, excerpt, categories }) => ({
        title: title.rendered,
        slug,
        excerpt: excerpt.rendered.replaceAll(/<\/?p>|\n/g, ''),
        category: `Category ${(categories[0] ?? 0) - 1}`,
      }));
      return { total: named['X-WP-Total'], articles };
    },
  };
}

interface Post {
  title: { rendered: string };
  slug: string;
  excerpt: { rendered: string };
  categories: number[];
}
