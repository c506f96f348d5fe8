import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { whenReady } from '../server.ts';
import {
  type ContentContender,
  type ListedArticle,
  type Settings,
  shownArticle,
  writtenArticle,
} from './content.ts';
import type { MariaDb } from './mariadb.ts';

const VERSION = '6.65.0';

const ROOT = join(import.meta.dirname, '../..');

/** Its package from npm, which has its own lockfile and is not made to be a dependency of another one. */
const FOLDER = join(ROOT, '.data/bench/ghost', VERSION);

const FILL = `
  use ghost;
  delete from posts_tags;
  delete from posts_authors;
  delete from posts_meta;
  delete from posts;
  delete from tags;
  update users set status = 'active';
  insert into tags (id, name, slug, created_at) select lpad(id, 24, '0'), name, slug, now() from source.category;
  insert into posts (id, uuid, title, slug, html, plaintext, lexical, comment_id, feature_image, custom_excerpt,
                     status, email_recipient_filter, created_at, updated_at, published_at)
    select lpad(id, 24, '0'), uuid(), title, slug, content, content, '{"root":{"type":"root","version":1,"children":[]}}',
           lpad(id, 24, '0'), featured_image, excerpt, if(is_published, 'published', 'draft'), 'all', published_at,
           published_at, published_at
    from source.article;
  insert into posts_tags (id, post_id, tag_id)
    select lpad(id, 24, '0'), lpad(id, 24, '0'), lpad(category_id, 24, '0') from source.article;
  insert into posts_authors (id, post_id, author_id)
    select lpad(id, 24, '0'), lpad(id, 24, '0'), (select id from users limit 1) from source.article;
  analyze table posts, tags, posts_tags, posts_authors;`;

/** Members of the list, which leaves the text out. */
const LISTED = 'id,title,slug,excerpt,custom_excerpt,feature_image,published_at';

/** Installs Ghost as its lockfile says, as its command line does. Throws where npm cannot be reached. */
function installGhost(): void {
  if (existsSync(FOLDER)) return;
  console.log(`installing Ghost ${VERSION}, a minute`);
  const unpacking = `${FOLDER}-unpacking`;
  rmSync(unpacking, { recursive: true, force: true });
  mkdirSync(unpacking, { recursive: true });
  const run = (command: string, parameters: string[], folder: string) => {
    // Ghost names its own version of pnpm, which would be fetched and started instead of this one.
    const env = { ...process.env, pnpm_config_pm_on_fail: 'ignore' };
    const { status, error } = spawnSync(command, parameters, { cwd: folder, env, stdio: 'inherit' });
    if (status !== 0) throw new Error(`Ghost cannot be installed: ${error?.message ?? `${command} failed`}`);
  };
  run('npm', ['pack', '--silent', `ghost@${VERSION}`], unpacking);
  run('tar', ['-xzf', `ghost-${VERSION}.tgz`, '--strip-components=1'], unpacking);
  const install = ['install', '--silent', '--prod', '--frozen-lockfile', '--ignore-scripts'];
  run(join(ROOT, 'node_modules/.bin/pnpm'), install, unpacking);
  renameSync(unpacking, FOLDER);
}

/** Ghost on a new database of a MariaDB, with the articles; `settings` are more of its own. */
export async function startGhost(database: MariaDb, settings: Settings = {}): Promise<ContentContender[]> {
  installGhost();
  database.run('create database ghost');
  const contentPath = join(database.folder, 'ghost');
  cpSync(join(FOLDER, 'content'), contentPath, { recursive: true });
  const start = (port: string) =>
    spawn(process.execPath, ['index.js'], {
      cwd: FOLDER,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        url: `http://127.0.0.1:${port}`,
        server__port: port,
        database__client: 'mysql',
        database__connection__host: '127.0.0.1',
        database__connection__port: String(database.port),
        database__connection__user: 'root',
        database__connection__database: 'ghost',
        paths__contentPath: contentPath,
        ...settings,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  // It makes its tables first.
  const server = await whenReady('/ghost/api/admin/site/', start);
  database.run(FILL);
  const [reading = '', id = '', secret = ''] = database
    .run(
      `use ghost;
       select secret from api_keys where integration_id = (select id from integrations where slug = 'ghost-core-content');
       select id, secret from api_keys where integration_id = (select id from integrations where slug = 'zapier')`,
    )
    .split(/\s+/);
  const posts = `/ghost/api/content/posts/?key=${reading}&include=tags`;
  const page = (number: number) => `${posts}&fields=${LISTED}&limit=20&page=${number}`;
  const contender: ContentContender = {
    name: `Ghost ${VERSION}`,
    process: server,
    requests: {
      page,
      search: (word) => `${page(1)}&filter=title:~%27${word}%27`,
      detail: (id) => posts.replace('?', `${String(id).padStart(24, '0')}/?`),
      create: {
        method: 'POST',
        paths: ['/ghost/api/admin/posts/?source=html'],
        headers: {
          // Tokens are valid for five minutes: each load gets a new one.
          get authorization() {
            return `Ghost ${tokenOf(id, secret)}`;
          },
        },
        body: (number) => {
          const { content, excerpt, featured_image, title } = writtenArticle(number);
          const post = { title, html: content, custom_excerpt: excerpt, feature_image: featured_image };
          return { posts: [{ ...post, status: 'published', tags: [{ slug: 'category-1' }] }] };
        },
        status: 201,
      },
    },
    readPage: (answer) => {
      const { posts: listed, meta } = answer as {
        posts: (ListedArticle & { tags: [ListedArticle['category']] })[];
        meta: { pagination: { total: number } };
      };
      const articles = listed.map((post) => shownArticle({ ...post, category: post.tags[0] }));
      return { total: meta.pagination.total, articles };
    },
  };
  return [contender];
}

/** A token of the Admin API: a JSON Web Token signed with the key's secret. */
function tokenOf(id: string, secret: string): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: now, exp: now + 300, aud: '/admin/' };
  const text = `${part({ alg: 'HS256', typ: 'JWT', kid: id })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', Buffer.from(secret, 'hex')).update(text).digest('base64url')}`;
}
