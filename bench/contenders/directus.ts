import pg from 'pg';
import { fillFromSource } from '../data/articles.ts';
import {
  type ContentContender,
  type ListedArticle,
  type Settings,
  shownArticle,
  startVariants,
  UPDATED_ARTICLES,
  writtenArticle,
} from './content.ts';
import { runPeer, startPeer, versionOf } from './peer.ts';

const TOKEN = 'the-token-of-the-bench';

/** Directus's policy for those who have not logged in. */
const PUBLIC = 'abf8a154-5b1c-4a46-ac9c-7300570f4f17';

const LISTED =
  'id,title,slug,excerpt,featured_image,author,published_at,category.id,category.name,category.slug';

/** Tables of an existing database, as Directus's documentation calls them. */
const FILL = `
  create table category (id serial primary key, name varchar(255) not null, slug varchar(255) not null unique);
  create table article (
    id serial primary key, title varchar(255) not null, slug varchar(255) not null unique, content text not null,
    excerpt varchar(500), category integer references category, featured_image varchar(500), alt_text varchar(255),
    meta_title varchar(255), meta_description varchar(320), canonical_url varchar(500), author varchar(255),
    is_published boolean not null default false, published_at timestamptz);
  insert into category select id, name, slug from source.category;
  insert into article (id, title, slug, content, excerpt, category, featured_image, author, is_published, published_at)
    select id, title, slug, content, excerpt, category_id, featured_image, author, is_published, published_at
    from source.article;
  select setval('article_id_seq', (select max(id) from article)),
         setval('category_id_seq', (select max(id) from category));
  -- The index that an administrator would add for the list.
  create index on article (is_published, published_at);
  create index on article (category);
`;

const LIST = `/items/article?fields=${LISTED}&filter[is_published][_eq]=true&sort=-published_at&limit=20&meta=filter_count`;

const HEADERS = { authorization: `Bearer ${TOKEN}` };

const ARTICLE_API: Pick<ContentContender, 'requests' | 'readPage'> = {
  requests: {
    page: (number) => `${LIST}&page=${number}`,
    search: (word) => `${LIST}&search=${word}`,
    detail: (id) => `/items/article/${id}?fields=*,category.id,category.name,category.slug`,
    create: {
      method: 'POST',
      paths: ['/items/article'],
      headers: HEADERS,
      body: (number) => ({
        ...writtenArticle(number),
        slug: `written-${number}`,
        published_at: new Date(),
        category: 1,
      }),
      status: 200,
    },
    update: {
      method: 'PATCH',
      paths: UPDATED_ARTICLES.map((id) => `/items/article/${id}`),
      headers: HEADERS,
      body: (number) => ({ excerpt: writtenArticle(number).excerpt }),
      status: 200,
    },
  },
  readPage: (answer) => {
    const { data, meta } = answer as { data: ListedArticle[]; meta: { filter_count: number } };
    return { total: meta.filter_count, articles: data.map(shownArticle) };
  },
};

/** With its data cache, and without it, its default. */
const BOTH = {
  // Without the purge, a cached answer would not show what was written for up to five minutes.
  '': { CACHE_ENABLED: 'true', CACHE_AUTO_PURGE: 'true' },
  ', no cache': {},
};

/** Directus on a new database with the articles. */
export async function startDirectus(
  url: string,
  articles: number,
  settings?: Settings,
): Promise<ContentContender[]> {
  const secret = 'a secret of the bench, which nobody else can reach';
  const env = {
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: url,
    HOST: '127.0.0.1',
    SECRET: secret,
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: secret,
    ADMIN_TOKEN: TOKEN,
    SERVE_APP: 'false',
    TELEMETRY: 'false',
    // Answers 503 when its event loop is busy, which is what the bench makes it.
    PRESSURE_LIMITER_ENABLED: 'false',
  };
  const program = 'node_modules/directus/cli.js';
  await runPeer({ peer: 'directus', command: [program, 'bootstrap'], env });
  const pool = new pg.Pool({ connectionString: url });
  await fillFromSource(pool, articles, FILL);
  await allowReading(pool);
  await pool.end();
  const name = `Directus ${versionOf('directus', 'directus')}`;
  return startVariants({ name, ...ARTICLE_API }, BOTH, settings, (own) =>
    startPeer({
      peer: 'directus',
      command: [program, 'start'],
      env: { ...env, ...own },
      ready: '/server/ping',
    }),
  );
}

/** Shows the two tables as collections, whose published articles anyone may read. */
async function allowReading(pool: pg.Pool): Promise<void> {
  await pool.query(`insert into directus_collections (collection) values ('article'), ('category')`);
  await pool.query(
    `insert into directus_relations (many_collection, many_field, one_collection) values ('article', 'category', 'category')`,
  );
  await pool.query(
    `insert into directus_permissions (policy, collection, action, permissions, fields)
     values ($1, 'article', 'read', null, '*'), ($1, 'category', 'read', null, '*')`,
    [PUBLIC],
  );
}
