import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';

let fixture: ContentFixture;

/** An article as the test knows it. */
interface Known {
  id: number;
  slug: string;
  author: string;
  category_id: number;
  tag_ids: number[];
  author_ids: number[];
  is_published: boolean;
  published_at: Date | null;
  updated_at: Date;
}

let known: Known[] = [];

const COUNT = 90;

beforeAll(async () => {
  fixture = await contentFixture();
  const { pool } = fixture.database;
  const categories = [
    await fixture.client.category({ name: 'One' }),
    await fixture.client.category({ name: 'Two' }),
  ];
  for (const kind of ['tag', 'author']) {
    await pool.query(`insert into content.${kind} (name, slug) values ('One', 'one'), ('Two', 'two')`);
  }
  const { rows } = await pool.query(
    `insert into content.article
       (title, title_words, slug, content, author, category_id, tag_ids, author_ids, is_published, published_at, updated_at)
     select 'Title ' || n, '{}', 'title-' || n,
       '<p>' || repeat('word ', 20) || case when n % 7 < 3 then '/media/seven/' || n || '.jpg' else '' end || '</p>',
       case when n % 3 = 0 then 'Ada' else 'Grace' end, $1::integer + (n % 2),
       case when n % 4 = 0 then array[1, 2] when n % 4 = 1 then array[2] else '{}' end,
       case when n % 3 = 1 then array[2] when n % 6 = 0 then array[1] else '{}' end, n % 5 > 0,
       case when n % 10 > 0 then timestamptz '2026-01-01T00:00:00Z' + (n / 4) * interval '1 hour' end,
       timestamptz '2026-03-01T00:00:00Z' + ((n * 37) % 50) * interval '1 hour'
     from generate_series(1, $2) as n
     returning id, slug, author, category_id, tag_ids, author_ids, is_published, published_at, updated_at`,
    [categories[0]?.id, COUNT],
  );
  known = rows;
});
afterAll(() => fixture.close());

const SORTS: Record<string, (a: Known, b: Known) => number> = {
  newest: (a, b) => time(b.published_at) - time(a.published_at) || b.id - a.id,
  oldest: (a, b) => time(a.published_at) - time(b.published_at) || a.id - b.id,
  updated: (a, b) => time(b.updated_at) - time(a.updated_at) || b.id - a.id,
};

/** Drafts that were never published are the newest. */
function time(at: Date | null): number {
  return at?.getTime() ?? 1e15;
}

type Passes = (article: Known) => boolean;

/** A choice of each kind, as a query and as what passes it. */
const CHOICES: Record<string, [query: string, passes: Passes][]> = {
  author: [['author=Ada', ({ author }) => author === 'Ada']],
  category: [
    ['category=one', ({ category_id }) => category_id === known[1]?.category_id],
    ['category=nothing', () => false],
  ],
  category_id: [['category_id=2', ({ category_id }) => category_id === 2]],
  tag: [
    ['tag=one', ({ tag_ids }) => tag_ids.includes(1)],
    ['tag=two', ({ tag_ids }) => tag_ids.includes(2)],
  ],
  author_slug: [['author_slug=two', ({ author_ids }) => author_ids.includes(2)]],
  media: [['media=seven/', ({ slug }) => Number(slug.slice(6)) % 7 < 3]],
  ids: [['ids=3,1,99999,2147483648,40,41', ({ id }) => [3, 1, 40, 41].includes(id)]],
  slug: [['slug=title-8,title-7,nothing', ({ slug }) => ['title-8', 'title-7'].includes(slug)]],
  published_after: [
    [
      'published_after=2026-01-01T05:00:00%2B01:00',
      ({ published_at }) => published_at !== null && published_at > new Date('2026-01-01T04:00:00Z'),
    ],
  ],
  published_before: [
    [
      'published_before=2026-01-01T15:00:00Z',
      ({ published_at }) => published_at !== null && published_at < new Date('2026-01-01T15:00:00Z'),
    ],
  ],
  updated_since: [
    [
      'updated_since=2026-03-01T20:00:00Z',
      ({ updated_at }) => updated_at >= new Date('2026-03-01T20:00:00Z'),
    ],
  ],
};

/** Every choice, alone and with each other one. */
const COMBINATIONS = Object.values(CHOICES).flatMap((first, index, all) => [
  ...first,
  ...all
    .slice(index + 1)
    .flatMap((second) =>
      first.flatMap(([query, passes]) =>
        second.map(([other, also]): [string, Passes] => [
          `${query}&${other}`,
          (article) => passes(article) && also(article),
        ]),
      ),
    ),
]);

function expected(passes: Passes, sort: string, status: string): number[] {
  const inState = ({ is_published }: Known) => status === 'all' || is_published === (status === 'published');
  return known
    .filter((one) => inState(one) && passes(one))
    .sort(SORTS[sort])
    .map(({ id }) => id);
}

async function read(query: string) {
  const { status, body } = await fixture.client.send(`/api/articles?${query}`);
  expect([query, status, body.detail]).toEqual([query, 200, undefined]);
  return { ids: body.data.map(({ id }: Known) => id) as number[], meta: body.meta };
}

describe.each(['published', 'draft', 'all'])('with status=%s', (status) => {
  test.each(Object.keys(SORTS))(
    'sort=%s: every combination has what passes it, by page and by cursor',
    async (sort) => {
      for (const [query, passes] of [['', () => true] as [string, Passes], ...COMBINATIONS]) {
        const list = `${query}&status=${status}&sort=${sort}`.replace(/^&/, '');
        const all = expected(passes, sort, status);
        const paged: number[] = [];
        for (let page = 1; ; page += 1) {
          const { ids, meta } = await read(`${list}&per_page=40&page=${page}`);
          expect([list, meta.total, meta.total_is_exact]).toEqual([list, all.length, undefined]);
          paged.push(...ids);
          if (page >= meta.total_pages) break;
        }
        expect([list, paged]).toEqual([list, all]);
        const walked: number[] = [];
        let cursor: string | null = '';
        for (let page = 1; cursor !== null; page += 1) {
          const { ids, meta } = await read(`${list}&per_page=35&cursor=${cursor}`);
          expect([meta.page, meta.total]).toEqual([page, all.length]);
          walked.push(...ids);
          cursor = meta.next_cursor;
        }
        expect([list, walked]).toEqual([list, all]);
      }
    },
  );
});

describe('fields', () => {
  test('names the members, in one order, with the id', async () => {
    const { body } = await fixture.client.anonymously('/api/articles?fields=updated_at,title&per_page=1');
    expect(Object.keys(body.data[0])).toEqual(['id', 'title', 'updated_at']);
    expect(body.meta.next_cursor).toBeUndefined();
  });

  test('`include` adds the category and the alternative text, also to a search and to what is read alone', async () => {
    const { client } = fixture;
    const { id: category_id, name, slug } = await client.category({ name: 'Shown with cards' });
    const article = { title: 'Lighthouse', category_id, alt_text: 'A lighthouse', is_published: true };
    const { id } = await client.article({ ...article, title: 'Lighthouse keeper' });
    await client.article(article);
    const shown = { category: { id: category_id, name, slug }, alt_text: 'A lighthouse' };
    const include = 'include=picture,category,alt_text';

    const read = async (path: string) => (await client.anonymously(path)).body.data;
    const list = `/api/articles?category_id=${category_id}&sort=oldest&${include}`;
    expect((await read(`${list}&fields=title`))[0]).toEqual({
      id,
      title: 'Lighthouse keeper',
      ...shown,
      picture: null,
    });
    const plain = await read(`/api/articles?ids=${id}`);
    expect((await read(`/api/articles?ids=${id}&include=alt_text`))[0]).toEqual({
      ...plain[0],
      alt_text: 'A lighthouse',
    });
    const search = async () => read(`/api/articles?q=keeper&fields=slug&${include}`);
    await expect.poll(search).toEqual([{ id, slug: 'lighthouse-keeper', ...shown, picture: null }]);
    const detail = await read(`/api/articles/${id}?${include},related:1`);
    expect([detail, detail.related[0]]).toEqual([
      expect.objectContaining(shown),
      expect.objectContaining(shown),
    ]);
  });

  test('full is all of a detail but what is related', async () => {
    const { client } = fixture;
    const { body } = await client.anonymously('/api/articles?fields=full&per_page=1');
    const { data } = (await client.anonymously(`/api/articles/${body.data[0].id}`)).body;
    const { related_articles, ...rest } = data;
    // A list names what is unset, too.
    const unset = { social_title: null, social_description: null, social_image: null };
    expect(body.data[0]).toEqual({ ...unset, ...rest });
    expect(body.meta.next_cursor).toEqual(expect.any(String));
  });

  test('with large contents a page is shorter, and the walk goes on', async () => {
    const { client, database } = fixture;
    await database.pool.query(
      `insert into content.article (title, title_words, slug, content, author, is_published, published_at)
       select 'Large', '{}', 'large-' || n, repeat('x', $1), 'Large', true, timestamptz '2025-01-01'
       from generate_series(1, 5) as n`,
      [1.5 * 2 ** 20],
    );
    const slugs: string[] = [];
    const sizes: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await client.anonymously(
        `/api/articles?author=Large&fields=slug,content&cursor=${cursor}`,
      );
      slugs.push(...body.data.map(({ slug }: { slug: string }) => slug));
      sizes.push(body.data.length);
      cursor = body.meta.next_cursor;
    }
    expect(slugs).toEqual(['large-5', 'large-4', 'large-3', 'large-2', 'large-1']);
    expect(sizes).toEqual([2, 2, 1]);
  });
});

test('a walk reaches every article that was there, whatever is written meanwhile', async () => {
  const { client, database } = fixture;
  const made: number[] = [];
  for (let n = 0; n < 6; n += 1)
    made.unshift((await client.article({ author: 'Walker', is_published: true })).id);
  const first = await client.anonymously('/api/articles?author=Walker&per_page=2&cursor=');
  await client.article({ author: 'Walker', is_published: true });
  await database.pool.query('delete from content.article where id = any($1)', [[made[0], made[1]]]);
  const rest: number[] = [];
  let cursor = first.body.meta.next_cursor;
  while (cursor !== null) {
    const { body } = await client.anonymously(`/api/articles?author=Walker&per_page=2&cursor=${cursor}`);
    rest.push(...body.data.map(({ id }: Known) => id));
    cursor = body.meta.next_cursor;
  }
  expect([first.body.data.map(({ id }: Known) => id), rest]).toEqual([made.slice(0, 2), made.slice(2)]);
});

test('lists by title and by change, in either direction, lose nothing between their pages', async () => {
  const { client } = fixture;
  const tag = (await client.post('/api/tags', { name: 'Sorted' })).body.data.slug;
  // Letters that grow when they are taken apart, as long as a title may be, and two told apart by ids.
  const [ships, notes] = [`Gamma "${'\u{1F6A2}'.repeat(240)}"`, '\u{1D160}'.repeat(255)];
  const titles = [
    'beta',
    'Alpha',
    'ÁLPHA',
    ships,
    'Éclair',
    'alpha',
    'Delta',
    'Zeta',
    '가나다',
    notes,
    `${notes.slice(2)}x`,
  ];
  for (const title of titles) await client.article({ title, tags: [tag], is_published: title !== 'beta' });
  const walk = async (sort: string, filter = `&tag=${tag}`) => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const list = `status=all&sort=${sort}&per_page=1&fields=title&cursor=${cursor}${filter}`;
      const { status, body } = await client.send(`/api/articles?${list}`);
      expect(status).toBe(200);
      seen.push(...body.data.map(({ title }: { title: string }) => title));
      cursor = body.meta.next_cursor;
    }
    return seen;
  };
  const [long = '', longer = ''] = titles.slice(-2);
  const byTitle = [
    'Alpha',
    'ÁLPHA',
    'alpha',
    'beta',
    'Delta',
    'Éclair',
    ships,
    'Zeta',
    '가나다',
    long,
    longer,
  ];
  expect(await walk('title')).toEqual(byTitle);
  expect(await walk('title_desc')).toEqual(byTitle.toReversed());
  expect(await walk('updated_asc')).toEqual(titles);
  // Without a filter the index is walked.
  const all = await walk('title', '');
  expect(all.filter((title) => titles.includes(title))).toEqual(byTitle);
  expect((await walk('title_desc', '')).toReversed()).toEqual(all);
  const page = await client.send(`/api/articles?status=all&sort=title&tag=${tag}&page=2&per_page=4`);
  expect(page.body.data.map(({ title }: { title: string }) => title)).toEqual(byTitle.slice(4, 8));
  // A cursor with something else in the place of the title.
  const { body } = await client.send('/api/articles?sort=title&per_page=1&cursor=');
  const [digest, , id, number] = JSON.parse(Buffer.from(body.meta.next_cursor, 'base64url').toString());
  for (const at of [0, null, 'a\0b', {}]) {
    const forged = Buffer.from(JSON.stringify([digest, at, id, number])).toString('base64url');
    expect((await client.send(`/api/articles?sort=title&cursor=${forged}`)).status).toBe(400);
  }
});

test('a walk among too many goes on where it stopped looking', async () => {
  const { client, database } = fixture;
  await database.pool.query(
    `insert into content.article (title, title_words, slug, content, author, is_published, published_at, updated_at)
     select 'Many', '{}', 'many-' || n, repeat('word ', 20), case when n % 4000 = 0 then 'Rare' else 'Many' end,
       true, timestamptz '2024-01-01' - n * interval '1 minute', timestamptz '2020-01-01' + n * interval '1 minute'
     from generate_series(1, 12000) as n`,
  );
  const slugs: string[] = [];
  let [cursor, pages]: [string | null, number] = ['', 0];
  const list = 'updated_since=2019-01-01T00:00:00Z&published_before=2024-01-01T00:00:00Z&author=Many';
  while (cursor !== null) {
    const { body } = await client.anonymously(
      `/api/articles?${list}&sort=updated&per_page=100&fields=slug&cursor=${cursor}`,
    );
    expect(body.meta.total_is_exact).toBe(false);
    slugs.push(...body.data.map(({ slug }: { slug: string }) => slug));
    [cursor, pages] = [body.meta.next_cursor, pages + 1];
  }
  expect(new Set(slugs).size).toBe(11_997);
  const far = await client.anonymously(`/api/articles?${list}&sort=updated&per_page=100&page=102`);
  expect([far.status, far.body.detail]).toEqual([400, expect.stringContaining('use cursor')]);
});

describe('refused with 400 and a reason', () => {
  test.each([
    ['ids=1,x', 'separated by commas'],
    [`ids=${Array.from({ length: 101 }, (_, n) => n + 1)}`, '1 to 100'],
    ['slug=A', 'slug'],
    ['fields=id,secret', 'fields'],
    ['fields=related_articles', 'fields'],
    ['sort=best', 'sort'],
    ['updated_since=yesterday', '%2B'],
    ['updated_since=2026-01-01T00:00:00', '%2B'],
    ['cursor=&page=2', 'page'],
    ['fields=full&page=2', 'cursor'],
    ['cursor=bad', 'empty cursor'],
    ['cursor=WyJ4IiwxLDEsMV0', 'another list'],
    // A time that JavaScript has and PostgreSQL has not.
    [`cursor=${Buffer.from('["x",-220000000000000,5,2]').toString('base64url')}`, 'malformed'],
    ['status=draft', 'key'],
  ])('%s', async (query, reason) => {
    const { status, body } = await fixture.client.anonymously(`/api/articles?${query}`);
    expect([query.startsWith('status') ? 401 : 400, status]).toEqual([status, status]);
    expect(body.detail).toContain(reason);
  });
});
