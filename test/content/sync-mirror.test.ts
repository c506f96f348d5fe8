import type { CopiedRedirect, FullPublishedItem, PublishedItem, PublishedStore } from '@pressroom/client';
import type { Pool } from 'pg';
import { expectTypeOf, test } from 'vitest';
import { contentFixture, startContent } from '../support/content.ts';
import { PUBLISHED, type PublishedForm } from '../support/mirror.ts';
import { testMirrorOf } from '../support/mirror-histories.ts';

/** There are few categories, tags, authors and series, so that articles often have them. */
const [ARTICLE, TERM] = ['id = $1::int + 1', 'id = $1::int % 3 + 1 and $2::text is not null'];

/** An article of the number, with a text in a column. */
const edit = (column: string) => `update content.article set ${column} = $2 where ${ARTICLE}`;

/** The same with a value that does not depend on the text. */
const set = (column: string, value: string) =>
  `update content.article set ${column} = ${value} where ${ARTICLE} and $2::text is not null`;

const statementsOfTerm = (table: string) => ({
  [`put ${table}`]: `insert into content.${table} (id, name, slug) overriding system value
    values ($1::int % 3 + 1, $2, '${table}-' || $1::int % 3) on conflict (id) do update set name = excluded.name`,
  [`rename ${table}`]: `update content.${table} set name = $2 where ${TERM}`,
  [`move ${table}`]: `update content.${table} set slug = '${table}-' || $1::int % 3 || '-' || md5($2) where ${TERM}`,
  [`remove ${table}`]: `delete from content.${table} where ${TERM}`,
});

testMirrorOf({
  name: 'what is published',
  start: async () => {
    const { database, url, close } = await contentFixture();
    const replica = await startContent(database.url);
    const closeBoth = async () => {
      await replica.close();
      await close();
    };
    return { urls: [url, replica.url], database, close: closeBoth };
  },
  set: PUBLISHED,
  fields: ['default', 'full', 'default with redirects', 'full with redirects'],
  statements: {
    publish: `insert into content.article
        (id, title, slug, content, author, title_words, is_published, published_at) overriding system value
      values ($1::int + 1, $2, 'article-' || $1::int, $2, 'x', '{}', true, now())
      on conflict (id) do update set title = excluded.title, is_published = true`,
    'edit title': edit('title'),
    'edit content': edit('content'),
    'edit excerpt': edit('excerpt'),
    'edit extra': set('extra', `jsonb_build_object('number', $1::int)`),
    'edit what is not shown': edit('slug_is_given = not slug_is_given, title_words[1]'),
    unpublish: set('is_published', 'false'),
    'publish again': set('is_published', 'true'),
    move: `update content.article set slug = 'article-' || $1::int || '-' || md5($2) where ${ARTICLE}`,
    'move back': set('slug', `'article-' || $1::int`),
    redirect: `insert into content.redirect (id, from_address, to_address, status, source)
      values ($1::int + 1, '/from/' || $1::int, '/to/' || $2, 301, 'manual')
      on conflict (id) do update set to_address = excluded.to_address`,
    'remove redirect': 'delete from content.redirect where id = $1::int + 1 and $2::text is not null',
    redate: set('published_at', `now() - $1::int * interval '1 hour'`),
    categorize: set('category_id', '(select id from content.category where id = $1::int % 3 + 1)'),
    tag: set('tag_ids', 'array(select id from content.tag where id <= $1::int % 3 + 1 order by id)'),
    untag: set('tag_ids', `'{}'`),
    attribute: set(
      'author_ids',
      'array(select id from content.author where id <= $1::int % 3 + 1 order by id)',
    ),
    'put into a series': `update content.article set series_id = series.id, series_position = $1::int + 1
      from content.series where series.id = $1::int % 3 + 1 and article.id = $1::int + 1 and $2::text is not null`,
    'take out of its series': set('(series_id, series_position)', '(null, null)'),
    remove: `delete from content.article where ${ARTICLE} and $2::text is not null`,
    ...statementsOfTerm('category'),
    ...statementsOfTerm('tag'),
    ...statementsOfTerm('author'),
    ...statementsOfTerm('series'),
  },
  // In the order in which indexing locks articles, as either would wait for the other in any other.
  clear: `
    delete from content.article where id in (select id from content.article order by id for update);
    delete from content.category; delete from content.tag; delete from content.author; delete from content.series;
    delete from content.redirect`,
  truth: published,
});

test('the types of items are those of the form that was asked for', () => {
  type Article<Item> = Extract<Item, { kind: 'article' }>;
  expectTypeOf<Article<PublishedItem>>().not.toHaveProperty('content');
  expectTypeOf<Article<PublishedItem>>().toHaveProperty('published_at').toBeString();
  expectTypeOf<Article<FullPublishedItem>>().toHaveProperty('content').toBeString();
  expectTypeOf<Extract<FullPublishedItem, { kind: 'tag' }>>().toHaveProperty('name').toBeString();
  type Put<Store extends { put: (items: readonly never[]) => unknown }> = Parameters<Store['put']>[0][number];
  expectTypeOf<Put<PublishedStore>>().toEqualTypeOf<PublishedItem>();
  expectTypeOf<Put<PublishedStore<'full', true>>>().toEqualTypeOf<FullPublishedItem | CopiedRedirect>();
});

const BRIEF =
  'id, title, slug, excerpt, featured_image, category_id, tag_ids, author_ids, author, published_at, series_id, series_position';
const FULL = `${BRIEF}, content, alt_text, meta_title, meta_description, canonical_url, extra, created_at, updated_at`;

const TERMS = {
  category: 'description, picture, position',
  tag: 'description',
  author: 'bio, picture, links',
  series: 'description',
};

async function published(pool: Pool, form: PublishedForm): Promise<Map<string, unknown>> {
  const items = new Map<string, unknown>();
  const columns = form.startsWith('full') ? FULL : BRIEF;
  const { rows: articles } = await pool.query(`select ${columns} from content.article where is_published`);
  for (const article of articles) items.set(`article:${article.id}`, shown('article', article));
  for (const [kind, more] of Object.entries(TERMS)) {
    const { rows } = await pool.query(
      `select id, name, slug, ${more}, created_at, updated_at from content.${kind}`,
    );
    for (const row of rows) items.set(`${kind}:${row.id}`, shown(kind, row));
  }
  if (!form.endsWith('redirects')) return items;
  const { rows: redirects } = await pool.query(
    'select id, from_address as "from", to_address as "to", status, source, updated_at from content.redirect',
  );
  for (const row of redirects) items.set(`redirect:${row.id}`, shown('redirect', row));
  const { rows: slugs } = await pool.query(`
    select redirect_id as id, resource as page, former.id as page_id, former.slug
    from content.former_slug as former
    where resource <> 'article' or id in (select id from content.article where is_published)`);
  for (const row of slugs) items.set(`former_slug:${row.id}`, shown('former_slug', row));
  return items;
}

/** A row as JSON has it. */
function shown(kind: string, row: object): object {
  return { kind, ...JSON.parse(JSON.stringify(row)) };
}
