import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ARTICLES, articleLines, LONG_EXCERPTS, PLAIN_ARTICLES, RUNNING_CODE } from '../fixtures/articles.ts';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { CONTENT } from '../support/content-client.ts';
import {
  contentCli,
  expectImported,
  importText,
  importTrusted,
  listPublished,
} from '../support/content-import.ts';

/** Lines of JSON. */
const linesOf = (...lines: object[]) => lines.map((line) => JSON.stringify(line)).join('\n');

/** The note on the second article with a title. */
const SECOND_TITLE = 'line 3: the slug the-same-title is taken: it becomes the-same-title-2';

test('whoever trusts the writers imports every article unchanged except for shortened excerpts, and none twice', async () => {
  const trusting = await contentFixture({ CONTENT_HTML: 'trusted' });
  onTestFinished(trusting.close);
  const first = await importTrusted(trusting, articleLines(ARTICLES), '--truncate');
  expect(first.code).toBe(0);
  expect(first.stdout.trim().split('\n')).toEqual([
    SECOND_TITLE,
    ...LONG_EXCERPTS.map((one) => `line ${ARTICLES.indexOf(one) + 1}: excerpt: shortened to 500 characters`),
    `${ARTICLES.length} created, 0 already there, 0 refused`,
  ]);
  await expectImported(trusting.url, ARTICLES);

  const again = await importTrusted(trusting, articleLines(ARTICLES), '--truncate');
  expect(again.stdout).toBe(`0 created, ${ARTICLES.length} already there, 0 refused\n`);
  await expectImported(trusting.url, ARTICLES);
});

describe('with the HTML checked', () => {
  let content: ContentFixture;
  beforeAll(async () => {
    content = await contentFixture();
  });
  afterAll(() => content.close());

  test('refuses articles that run code or whose excerpt is too long, and names line, source and reason', async () => {
    const rehearsal = await importText(content, articleLines(ARTICLES), '--dry-run');
    expect(await listPublished(content.url)).toEqual([]);
    const { code, stdout } = await importText(content, articleLines(ARTICLES));
    const refusals = stdout.trim().split('\n');
    const bad = [...LONG_EXCERPTS.map((one) => ({ ...one, reason: 'excerpt: ' })), ...RUNNING_CODE];
    const counts = `${PLAIN_ARTICLES.length} created, 0 already there, ${bad.length} refused`;
    expect([code, refusals.pop()]).toEqual([1, counts]);
    expect(rehearsal.stdout.trim().split('\n')).toEqual([
      ...refusals,
      `Nothing was written. It would be: ${counts}`,
    ]);
    expect(refusals.shift()).toBe(SECOND_TITLE);
    expect(refusals).toEqual(
      bad.map(({ source, reason }, index) =>
        expect.stringMatching(
          new RegExp(`^line ${PLAIN_ARTICLES.length + index + 1} \\(source ${source}\\).*${reason}`),
        ),
      ),
    );
    await expectImported(content.url, PLAIN_ARTICLES);
  });

  test('reports every line that cannot be imported, and continues', async () => {
    const year = new Date().getFullYear() + 2;
    const faulty = [
      ['{"title": 1}', /^line 1: title: /],
      ['no JSON', /^line 2: the line is not JSON$/],
      ['[]', /^line 3: line: /],
      [linesOf({ title: 'Odd', html: CONTENT, lang: 'en' }), /^line 4: unknown members: lang; take them out/],
      [
        linesOf({ title: 'Odd', html: CONTENT, published_at: '2016-01-01' }),
        /^line 5: published_at: must be/,
      ],
      [
        linesOf({ title: 'Odd', html: CONTENT, published_at: `${year}-01-01T00:00:00Z` }),
        /^line 6: published_at: is in the future/,
      ],
      [linesOf({ title: 'Odd', html: CONTENT, slug: 'Not one' }), /^line 7: slug: /],
      [linesOf({ title: 'Odd', html: CONTENT, category_id: 999 }), /^line 8: category_id: /],
      [
        linesOf({ title: 'Odd', html: CONTENT, tags: ['x'.repeat(101)] }),
        /^line 9: tag "x+": must be at most 100/,
      ],
      [linesOf({ title: 'Odd' }), /^line 10: html: is required/],
      [linesOf({ title: 'Odd', html: '<p>Short</p>' }), /^line 11: content: must have at least 50/],
      [linesOf({ type: 'tag', name: '' }), /^line 12: tag "": must not be empty/],
    ] as const;
    const good = linesOf({ source: 'a', title: 'Readable', html: CONTENT, is_published: false });
    const text = [...faulty.map(([line]) => line), good].join('\n');
    const result = await importText(content, text);
    expect(result.code).toBe(1);
    const said = result.stdout.trim().split('\n');
    expect(said.pop()).toBe(`1 created, 0 already there, ${faulty.length} refused`);
    expect(said).toEqual(faulty.map(([, reason]) => expect.stringMatching(reason)));
    expect((await content.client.send('/api/tags')).body.data).toEqual([]);
    const nameless = await contentCli(content, ['import', '-'], { input: good.replace('Readable', 'Other') });
    expect(nameless.stdout).toMatch(/^line 1 \(source a\): author: none is named/);
  });

  test('keeps dates, slugs, category, tags and whether it is a draft', async () => {
    const draft = {
      title: 'An imported draft',
      html: CONTENT,
      is_published: false,
      featured_image: 'https://a.example/a.jpg',
      alt_text: 'A picture',
      meta_title: 'For search engines',
      meta_description: 'A description',
      canonical_url: 'https://a.example/draft',
      slug: 'its-old-address',
      former_slugs: ['an-older-address'],
      category: 'Kultur & Medien',
      tags: ['Oper', { name: 'Bühne', slug: 'stage' }, 'oper'],
      byline: 'Ada\n Lovelace',
    };
    const dated = {
      title: 'Ten years old',
      html: CONTENT,
      published_at: '2016-01-01T01:00:00.123+01:00',
      category: { name: 'Anything', slug: 'kultur-medien' },
      tags: ['stage'],
    };
    const result = await importText(
      content,
      linesOf(draft, dated, { ...dated, title: 'Another', slug: draft.slug, is_published: false }),
    );
    expect(result.stdout.trim().split('\n')).toEqual([
      'line 3: the slug its-old-address is taken: it becomes its-old-address-2',
      '3 created, 0 already there, 0 refused',
    ]);
    const find = async (slug: string) =>
      (await content.client.send(`/api/articles/by-slug/${slug}?include=tags`)).body.data;
    const { html, category, tags, byline, former_slugs, ...members } = draft;
    const kultur = expect.objectContaining({ name: 'Kultur & Medien', slug: 'kultur-medien' });
    expect(await find(draft.slug)).toMatchObject({
      ...members,
      content: html,
      published_at: null,
      author: 'Ada Lovelace',
      category: kultur,
      tags: [
        { name: 'Oper', slug: 'oper' },
        { name: 'Bühne', slug: 'stage' },
      ],
    });
    expect((await content.client.send('/api/articles/by-slug/an-older-address')).status).toBe(308);
    const at = '2016-01-01T00:00:00.123Z';
    expect(await find('ten-years-old')).toMatchObject({
      published_at: at,
      created_at: at,
      updated_at: at,
      category: kultur,
      tags: [{ slug: 'stage' }],
    });
    expect(await listPublished(content.url)).not.toContainEqual(
      expect.objectContaining({ title: draft.title }),
    );
    const listed = await content.client.anonymously('/api/articles?tag=stage&category=kultur-medien');
    expect([listed.body.data.length, listed.body.meta.total]).toEqual([1, 1]);
  });

  test('takes no article for another, gives slugs by precedence, and doubles nothing when repeated', async () => {
    const at = (published_at: string) => ({ title: 'Open thread', html: CONTENT, published_at });
    const published = { html: CONTENT, published_at: '2023-01-01T00:00:00Z' };
    const file = linesOf(
      // Made of its title, which does not go before the slug that another has.
      { title: 'Wanted by all', html: CONTENT, is_published: false },
      { title: 'Wanted, by all', ...published },
      { title: 'A draft', html: CONTENT, slug: 'wanted-by-all', is_published: false },
      { title: 'The one', ...published, slug: 'wanted-by-all' },
      { ...at('2024-01-01T00:00:00Z'), slug: 'thread-1' },
      { ...at('2024-01-01T00:00:00Z'), slug: 'thread-2', former_slugs: ['thread-1', 'thread-two'] },
      at('2024-02-01T00:00:00Z'),
      at('2024-02-01T00:00:00Z'),
      { title: 'Caf\u00e9', ...published, tags: ['Caf\u00e9'] },
      { title: 'Cafe\u0301', ...published, tags: ['Cafe\u0301', '\u65f6\u4e8b', '\u5b9e\u4e8b'] },
      { title: '\u65f6\u4e8b', ...published },
      { title: '\u5b9e\u4e8b', html: CONTENT, created_at: '2015-01-01T00:00:00Z' },
      { title: 'Undated', html: CONTENT, slug: 'no-date' },
      { title: 'Dated', ...published, slug: 'no-date' },
      {
        title: 'Ahead',
        html: CONTENT,
        created_at: '2999-01-01T00:00:00Z',
        updated_at: '2014-01-01T00:00:00Z',
      },
      { title: 'Only ahead', html: CONTENT, created_at: '2999-01-01T00:00:00Z' },
    );
    const becomes = (line: number, slug: string, n = 2) =>
      `line ${line}: the slug ${slug} is taken: it becomes ${slug}-${n}`;
    const expected = [
      becomes(1, 'wanted-by-all'),
      becomes(2, 'wanted-by-all', 3),
      becomes(3, 'wanted-by-all', 4),
      'line 6: former slug thread-1: not kept, it leads to something else',
      becomes(8, 'open-thread'),
      becomes(10, 'cafe'),
      'line 12: published_at is missing: the earliest date that is known, 2015-01-01T00:00:00.000Z, stands for it',
      becomes(12, 'shishi'),
      'line 13: has no date: imported as a draft',
      becomes(13, 'no-date'),
      'line 15: published_at is missing: the earliest date that is known, 2014-01-01T00:00:00.000Z, stands for it',
      'line 16: has no date: imported as a draft',
    ];
    const rehearsal = await importText(content, file, '--dry-run');
    expect(rehearsal.stdout.trim().split('\n').slice(0, -1)).toEqual(expected);
    const first = await importText(content, file);
    expect(first.stdout.trim().split('\n')).toEqual([...expected, '16 created, 0 already there, 0 refused']);
    const again = await importText(content, file);
    expect(again).toMatchObject({ code: 0, stdout: '0 created, 16 already there, 0 refused\n' });
    const find = async (slug: string) =>
      (await content.client.send(`/api/articles/by-slug/${slug}?include=tags`)).body.data;
    expect(await find('wanted-by-all')).toMatchObject({ title: 'The one' });
    expect((await find('thread-two')) ?? (await find('thread-2'))).toMatchObject({ slug: 'thread-2' });
    const dates = (await listPublished(content.url)).map((one) => Reflect.get(one, 'published_at'));
    expect(dates.filter((date) => date > '2025')).toEqual([]);
    expect(await find('no-date-2')).toMatchObject({ is_published: false, published_at: null });
    expect(await find('only-ahead')).toMatchObject({ is_published: false });
    expect(await find('shishi-2')).toMatchObject({ published_at: '2015-01-01T00:00:00.000Z' });
    expect((await find('cafe-2')).tags.map(({ slug }: { slug: string }) => slug)).toEqual([
      'cafe',
      'shishi',
      'shishi-2',
    ]);
  });

  test('takes no article for one of the same file, however far apart they are', async () => {
    const same = { title: 'Once more', html: CONTENT };
    const between = Array.from({ length: 60 }, (_, n) => ({ title: `Between ${n}`, html: CONTENT }));
    const addressed = { ...same, canonical_url: 'https://elsewhere.example/once' };
    const file = linesOf(same, ...between, { ...same, id: 2_000_000 }, addressed);
    expect((await importText(content, file)).stdout).toContain('63 created, 0 already there');
    expect((await importText(content, file)).stdout).toContain('0 created, 63 already there');
  });

  test('an export comes into another site whole, and into its own not again', async () => {
    const other = await contentFixture();
    onTestFinished(other.close);
    const { stdout: file } = await contentCli(content, ['export']);
    const articles = file.split('\n').filter((line) => line.includes('"type":"article"')).length;
    await importText(other, linesOf({ title: 'Mine', html: CONTENT, slug: 'wanted-by-all' }));
    const into = async (service: ContentFixture) =>
      (await importText(service, file, '--short')).stdout.match(
        /^.* (?:created|already there), .* refused$/m,
      )?.[0];
    expect(await into(other)).toBe(`${articles} created, 0 already there, 0 refused`);
    expect(await into(other)).toBe(`0 created, ${articles} already there, 0 refused`);
    expect(await into(content)).toBe(`0 created, ${articles} already there, 0 refused`);
  });

  test('knows what an earlier version has imported, and what that version took for it', async () => {
    const line = (slug: string) => ({
      title: 'Same',
      html: `${CONTENT}<p>Old</p>`,
      slug,
      published_at: '2024-01-01T00:00:00Z',
    });
    await importText(content, linesOf(line('old-1')));
    // The key was made of source, title and HTML alone.
    const key = `import-${createHash('sha256')
      .update(JSON.stringify(['', 'Same', line('').html]))
      .digest('base64url')}`;
    const { rowCount } = await content.database.pool.query(
      `update content.idempotency_key set key = $1 where article_id = (select id from content.article where slug = 'old-1')`,
      [key],
    );
    expect(rowCount).toBe(1);
    const { stdout } = await importText(content, linesOf(line('old-1'), line('old-2')));
    expect(stdout).toBe('1 created, 1 already there, 0 refused\n');
  });

  test('says in words of its own what the database does not take', async () => {
    const { stdout } = await importText(
      content,
      linesOf(
        { title: 'Large', html: CONTENT, category_id: 2 ** 40 },
        { title: 'Zero', html: CONTENT, category: { name: 'Zero', description: 'a\0b' } },
        { title: 'Nothing', html: CONTENT, extra: { a: '\0' } },
        { title: 'Early', html: CONTENT, publish_at: '9999-12-31T00:00:00Z', is_published: false },
      ),
    );
    expect(stdout).not.toMatch(/out of range for|violates|invalid byte|duplicate key|constraint|syntax/);
  });

  test('imports an article once, also when two imports run at once', async () => {
    const many = Array.from({ length: 60 }, (_, n) => ({
      title: `Twin ${n}`,
      html: CONTENT,
      tags: [`t${n % 7}`],
    }));
    const runs = await Promise.all([
      importText(content, linesOf(...many)),
      importText(content, linesOf(...many)),
    ]);
    const counts = runs.map(({ stdout }) => stdout.match(/^(\d+) created, (\d+) already there, 0 refused$/m));
    expect(counts.map((one) => Number(one?.[1]) + Number(one?.[2]))).toEqual([60, 60]);
    expect(counts.map((one) => Number(one?.[1])).reduce((a, b) => a + b)).toBe(60);
  });

  test('names a file that is not there', async () => {
    const missing = await contentCli(content, ['import', 'no-such-file.jsonl']);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no-such-file.jsonl')]);
  });
});
