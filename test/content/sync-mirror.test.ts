import type { FullPublishedItem, PublishedItem } from '@pressroom/client';
import type { Pool } from 'pg';
import { expectTypeOf, test } from 'vitest';
import { contentFixture, startContent } from '../support/content.ts';
import { PUBLISHED } from '../support/mirror.ts';
import { testMirrorOf } from '../support/mirror-histories.ts';

/** There are few categories, tags and authors, so that articles often have them. */
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
  fields: ['default', 'full'],
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
    redate: set('published_at', `now() - $1::int * interval '1 hour'`),
    categorize: set('category_id', '(select id from content.category where id = $1::int % 3 + 1)'),
    tag: set('tag_ids', 'array(select id from content.tag where id <= $1::int % 3 + 1 order by id)'),
    untag: set('tag_ids', `'{}'`),
    attribute: set(
      'author_ids',
      'array(select id from content.author where id <= $1::int % 3 + 1 order by id)',
    ),
    remove: `delete from content.article where ${ARTICLE} and $2::text is not null`,
    ...statementsOfTerm('category'),
    ...statementsOfTerm('tag'),
    ...statementsOfTerm('author'),
  },
  // In the order in which indexing locks articles, as either would wait for the other in any other.
  clear: `
    delete from content.article where id in (select id from content.article order by id for update);
    delete from content.category; delete from content.tag; delete from content.author`,
  truth: published,
});

test('the types of items are those of the form that was asked for', () => {
  type Article<Item> = Extract<Item, { kind: 'article' }>;
  expectTypeOf<Article<PublishedItem>>().not.toHaveProperty('content');
  expectTypeOf<Article<PublishedItem>>().toHaveProperty('published_at').toBeString();
  expectTypeOf<Article<FullPublishedItem>>().toHaveProperty('content').toBeString();
  expectTypeOf<Extract<FullPublishedItem, { kind: 'tag' }>>().toHaveProperty('name').toBeString();
});

const BRIEF =
  'id, title, slug, excerpt, featured_image, category_id, tag_ids, author_ids, author, published_at';
const FULL = `${BRIEF}, content, alt_text, meta_title, meta_description, canonical_url, extra, created_at, updated_at`;

const TERMS = {
  category: 'description, picture, position',
  tag: 'description',
  author: 'bio, picture, links',
};

async function published(pool: Pool, fields: 'default' | 'full'): Promise<Map<string, unknown>> {
  const items = new Map<string, unknown>();
  const columns = fields === 'full' ? FULL : BRIEF;
  const { rows: articles } = await pool.query(`select ${columns} from content.article where is_published`);
  for (const article of articles) items.set(`article:${article.id}`, shown('article', article));
  for (const [kind, more] of Object.entries(TERMS)) {
    const { rows } = await pool.query(
      `select id, name, slug, ${more}, created_at, updated_at from content.${kind}`,
    );
    for (const row of rows) items.set(`${kind}:${row.id}`, shown(kind, row));
  }
  return items;
}

/** A row as JSON has it. */
function shown(kind: string, row: object): object {
  return { kind, ...JSON.parse(JSON.stringify(row)) };
}
