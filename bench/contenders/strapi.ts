import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { fillFromSource } from '../data/articles.ts';
import {
  type ContentContender,
  type ListedArticle,
  shownArticle,
  UPDATED_ARTICLES,
  writtenArticle,
} from './content.ts';
import { PEER_DATA, startPeer, versionOf } from './peer.ts';

const LISTED = ['title', 'slug', 'excerpt', 'featured_image', 'author', 'date_published']
  .map((field, index) => `fields[${index}]=${field}`)
  .join('&');

const CATEGORY = 'populate[category][fields][0]=name&populate[category][fields][1]=slug';

/** The tables that Strapi has made of `bench/peers/strapi/src/api`, filled as Pressroom's are. */
const FILL = `
  insert into categories (id, document_id, name, slug, created_at, updated_at, published_at)
    select id, 'category' || lpad(id::text, 16, '0'), name, slug, now(), now(), now() from source.category;
  insert into articles (id, document_id, title, slug, content, excerpt, featured_image, author, is_published,
                        date_published, created_at, updated_at, published_at)
    select id, 'article' || lpad(id::text, 17, '0'), title, slug, content, excerpt, featured_image, author,
           is_published, published_at, now(), now(), now() from source.article;
  insert into articles_category_lnk (article_id, category_id, article_ord)
    select id, category_id, id from source.article;
  select setval('articles_id_seq', (select max(id) from articles)),
         setval('categories_id_seq', (select max(id) from categories));
  -- The index that an administrator would add for the list.
  create index on articles (is_published, date_published);
`;

/** Strapi on a new database with the articles. */
export async function startStrapi(url: string, articles: number): Promise<ContentContender[]> {
  await mkdir(PEER_DATA, { recursive: true });
  const file = join(PEER_DATA, 'strapi-token');
  const secret = 'a secret of the bench, which nobody else can reach';
  const process = await startPeer({
    peer: 'strapi',
    command: ['node_modules/@strapi/strapi/bin/strapi.js', 'start'],
    env: {
      DATABASE_URL: url,
      TOKEN_FILE: file,
      APP_KEYS: secret,
      ADMIN_JWT_SECRET: secret,
      JWT_SECRET: secret,
      API_TOKEN_SALT: secret,
      TRANSFER_TOKEN_SALT: secret,
      STRAPI_TELEMETRY_DISABLED: 'true',
    },
    ready: '/api/articles?pagination[pageSize]=1',
  });
  const pool = new pg.Pool({ connectionString: url });
  await fillFromSource(pool, articles, FILL);
  await pool.end();
  const authorization = `Bearer ${await readFile(file, 'utf8')}`;
  const pathOf = (id: number) => `/api/articles/article${String(id).padStart(17, '0')}`;
  const page = (number: number) =>
    `/api/articles?filters[is_published][$eq]=true&sort=date_published:desc&${LISTED}&${CATEGORY}` +
    `&pagination[page]=${number}&pagination[pageSize]=20`;
  const headers = { authorization };
  const category = `category${'1'.padStart(16, '0')}`;
  return [
    {
      name: `Strapi ${versionOf('strapi', '@strapi/strapi')}`,
      process,
      requests: {
        page,
        detail: (id) => `${pathOf(id)}?${CATEGORY}`,
        create: {
          method: 'POST',
          paths: ['/api/articles'],
          headers,
          body: (number) => {
            const article = { ...writtenArticle(number), slug: `written-${number}` };
            return { data: { ...article, date_published: new Date(), category } };
          },
          status: 201,
        },
        update: {
          method: 'PUT',
          paths: UPDATED_ARTICLES.map(pathOf),
          headers,
          body: (number) => ({ data: { excerpt: writtenArticle(number).excerpt } }),
          status: 200,
        },
      },
      readPage: (answer) => {
        const { data, meta } = answer as { data: ListedArticle[]; meta: { pagination: { total: number } } };
        return { total: meta.pagination.total, articles: data.map(shownArticle) };
      },
    },
  ];
}
