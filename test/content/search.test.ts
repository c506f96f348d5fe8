import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../support/command.ts';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

let content: ContentFixture;
const ids = new Map<string, number>();

/** Enough text for any article. */
const FILLER = 'Enough text for an article to be one, whatever else it is about.';

/** Waits until everything that is written can be found. */
const searchable = () =>
  until('all articles are searchable', async () => {
    const { rows } = await content.database.pool.query('select from content.unsearchable_article limit 1');
    return rows.length === 0;
  });

async function write(title: string, html: string, more: Record<string, unknown> = {}): Promise<number> {
  const json = { title, content: `<p>${FILLER}</p>${html}`, is_published: true, ...more };
  const { status, body } = await content.client.post('/api/articles', json);
  expect(status, JSON.stringify(body)).toBe(201);
  ids.set(title, body.data.id);
  await searchable();
  return body.data.id;
}

async function search(parameters: Record<string, string>, headers: Record<string, string> = {}) {
  return send(`${content.url}/api/articles?${new URLSearchParams(parameters)}`, { headers });
}

async function titles(parameters: Record<string, string>, headers: Record<string, string> = {}) {
  const { status, body } = await search(parameters, headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map(({ title }: { title: string }) => title);
}

beforeAll(async () => {
  // The cache and its invalidation have tests of their own.
  content = await contentFixture({ CACHE_BYTES: '0' });
  await content.database.pool.query(
    `insert into content.category (name, slug) values ('One', 'one'), ('Two', 'two')`,
  );
  await write(
    'Harbour',
    '<p>The <b>light</b>house &amp; the keeper&#8217;s cat. Straße, ＦＵＬＬ width.</p>',
    { category_id: 1 },
  );
  await write(
    'Keeper of bees',
    '<p>Honey. <!-- hidden comment --> <a href="https://wax.example">Nectar</a></p>',
    {
      excerpt: 'On harbour walls',
      category_id: 2,
    },
  );
  await write('人工智能大模型', '<p>今天发布了新的系统。100% a_b \\ done</p>');
  await write('İstanbul ışık', '<p>ความสุขของคนไทย and مَرْحَبًا 👩‍🚀 cafe\u0301 \u200Frtl\u200F</p>');
  await write('Draft on harbour', '<p>Unseen.</p>', { is_published: false });
});
afterAll(() => content.close());

describe('what is found', () => {
  test.each([
    ['harbour', ['Keeper of bees', 'Harbour']],
    ['HARBOUR', ['Keeper of bees', 'Harbour']],
    ['lighthouse', ['Harbour']],
    ['keeper’s cat', ['Harbour']],
    ['house & the', ['Harbour']],
    ['STRASSE', ['Harbour']],
    ['full ｗｉｄｔｈ', ['Harbour']],
    ['honey harbour', ['Keeper of bees']],
    ['honey lighthouse', []],
    ['hidden', []],
    ['wax.example', []],
    ['nectar', ['Keeper of bees']],
    ['模型', ['人工智能大模型']],
    ['发布\u3000人工', ['人工智能大模型']],
    ['100%', ['人工智能大模型']],
    ['a_b', ['人工智能大模型']],
    ['\\ done', ['人工智能大模型']],
    ['%_', []],
    ['ความสุข', ['İstanbul ışık']],
    ['คนไทย', ['İstanbul ışık']],
    ['مَرْحَبًا', ['İstanbul ışık']],
    ['İSTANBUL', ['İstanbul ışık']],
    ['café', ['İstanbul ışık']],
    ['👩‍🚀', ['İstanbul ışık']],
    ['\u200Frtl', ['İstanbul ışık']],
    ['..', []],
    ['¨a¨', []],
    ['ꭰꭱ', []],
    [`${'x'.repeat(200)}`, []],
    [`'); drop table content.article; --`, []],
  ])('%j finds %j', async (q, expected) => {
    expect(await titles({ q })).toEqual(expected);
    expect((await titles({ q, sort: 'relevance' })).toSorted()).toEqual(expected.toSorted());
  });

  test('relevance is the title before the excerpt before the text, then the newest', async () => {
    await write('Nothing of note', '<p>A harbour in the text.</p>');
    expect(await titles({ q: 'harbour' })).toEqual(['Nothing of note', 'Keeper of bees', 'Harbour']);
    expect(await titles({ q: 'harbour', sort: 'relevance' })).toEqual([
      'Harbour',
      'Keeper of bees',
      'Nothing of note',
    ]);
    const { body } = await search({ q: 'harbour', sort: 'relevance', per_page: '2', page: '2' });
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual(['Nothing of note']);
    expect(body.meta).toEqual({ page: 2, per_page: 2, total: 3, total_pages: 2 });
    await content.client.send(`/api/articles/${ids.get('Nothing of note')}`, { method: 'DELETE' });
    expect(await titles({ q: 'harbour' })).toEqual(['Keeper of bees', 'Harbour']);
  });

  test('it combines with filters and members, and drafts need a key', async () => {
    expect(await titles({ q: 'harbour', category_id: '1' })).toEqual(['Harbour']);
    expect(await titles({ q: 'harbour', category: 'two', author: 'Test' })).toEqual(['Keeper of bees']);
    expect(await titles({ q: 'harbour', published_before: '2001-01-01T00:00:00Z' })).toEqual([]);
    expect((await search({ q: 'harbour', category_id: '1', fields: 'slug' })).body.data).toEqual([
      { id: ids.get('Harbour'), slug: 'harbour' },
    ]);
    expect((await search({ q: 'harbour', status: 'all' })).status).toBe(401);
    const key = { 'x-api-key': content.key };
    expect(await titles({ q: 'harbour', status: 'draft' }, key)).toEqual(['Draft on harbour']);
    expect(await titles({ q: 'harbour', status: 'all' }, key)).toHaveLength(3);
  });

  test('what is written is found soon, also when SQL writes it, and no longer at once when it has gone', async () => {
    const id = await write('Changing', '<p>platypus</p>');
    expect(await titles({ q: 'platypus' })).toEqual(['Changing']);
    await content.client.patch(`/api/articles/${id}`, { content: `<p>${FILLER} echidna</p>` });
    await searchable();
    expect(await titles({ q: 'platypus' })).toEqual([]);
    expect(await titles({ q: 'echidna' })).toEqual(['Changing']);
    const { pool } = content.database;
    await pool.query(`update content.article set content = '<p>wombat</p>' where id = $1`, [id]);
    await searchable();
    expect(await titles({ q: 'wombat' })).toEqual(['Changing']);
    expect(await titles({ q: 'echidna', sort: 'relevance' })).toEqual([]);
    await content.client.patch(`/api/articles/${id}`, { is_published: false });
    expect(await titles({ q: 'wombat' })).toEqual([]);
    const key = { 'x-api-key': content.key };
    expect(await titles({ q: 'wombat', status: 'draft' }, key)).toEqual(['Changing']);
    await content.client.send(`/api/articles/${id}`, { method: 'DELETE' });
    expect(await titles({ q: 'wombat', status: 'all' }, key)).toEqual([]);
  });
});

describe('tags and authors', () => {
  test('are searched beside the excerpt, and highlighted', async () => {
    for (const name of ['Shore Birds', 'Tides']) await content.client.post('/api/tags', { name });
    const text = await write('By its text', '<p>Shore and birds.</p>');
    const tagged = await write('By its tags', '', { tags: ['tides', 'shore-birds'] });
    const titled = await write('Birds on a shore', '');
    const found = await search({ q: 'birds shore', sort: 'relevance', highlight: '1' });
    expect(found.body.data.map(({ id }: { id: number }) => id)).toEqual([titled, tagged, text]);
    expect(found.body.data[1].highlights).toEqual([
      {
        member: 'tags',
        text: 'Shore Birds',
        matches: [
          { offset: 0, length: 5 },
          { offset: 6, length: 5 },
        ],
      },
    ]);

    const { rows } = await content.database.pool.query(
      `select id from content.tag where slug = 'shore-birds'`,
    );
    await content.client.patch(`/api/tags/${rows[0].id}`, { name: 'Waders' });
    await searchable();
    expect(await titles({ q: 'waders tides' })).toEqual(['By its tags']);
    expect(await titles({ q: 'birds shore' })).not.toContain('By its tags');
    const author = await content.client.post('/api/authors', { name: 'Ottoline Quill' });
    await content.client.patch(`/api/articles/${tagged}`, {
      tags: ['tides'],
      authors: [author.body.data.slug],
    });
    await searchable();
    expect(await titles({ q: 'waders' })).toEqual([]);
    const { body } = await search({ q: 'quill tides', highlight: '1' });
    expect(body.data[0].highlights.map(({ member, text }: Record<string, string>) => [member, text])).toEqual(
      [
        ['tags', 'Tides'],
        ['author', 'Ottoline Quill'],
      ],
    );
    await content.client.patch(`/api/authors/${author.body.data.id}`, { name: 'Ottoline Nib' });
    await searchable();
    expect(await titles({ q: 'quill' })).toEqual([]);
    expect(await titles({ q: 'nib tides' })).toEqual(['By its tags']);
    for (const id of [text, tagged, titled])
      await content.client.send(`/api/articles/${id}`, { method: 'DELETE' });
  });
});

describe('articles that become searchable in the background', () => {
  const env = () => ({ DATABASE_URL: content.database.url });

  /** Makes the writes of articles wait in the queue until it is called again. */
  const holdUp = async (article: number) => {
    const holder = await content.database.pool.connect();
    // Whoever makes an article searchable has this lock.
    const lock = `pg_advisory_lock('content.article_search'::regclass::oid::integer, ${article})`;
    await holder.query(`select ${lock}`);
    return async () => {
      await holder.query(`select ${lock.replace('lock', 'unlock')}`);
      holder.release();
    };
  };

  test('are all anew, when a command says so', async () => {
    await content.database.pool.query('delete from content.article_search');
    expect(await titles({ q: 'lighthouse' })).toEqual([]);
    const { code, stdout } = await run(['services/content/src/cli.ts', 'reindex'], { env: env() });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+ articles are searchable\.\n$/)]);
    expect(await titles({ q: 'lighthouse' })).toEqual(['Harbour']);
  });

  test('are those in the queue when a service starts', async () => {
    const { pool, url } = content.database;
    await pool.query('delete from content.article_search');
    await pool.query('insert into content.unsearchable_article (article_id) select id from content.article');
    const other = await startContent(url);
    await searchable();
    expect(await titles({ q: 'lighthouse' })).toEqual(['Harbour']);
    await other.close();
  });

  test('are found by a search whose answer is cached, on every replica', async () => {
    const { url } = content.database;
    const others = await Promise.all([startContent(url), startContent(url)]);
    const read = (path: string) =>
      Promise.all(others.map(async (other) => (await send(`${other.url}/api/articles${path}`)).body));
    const found = async () => {
      const totals = (await read('?q=nightjar')).map(({ meta }) => meta.total);
      return [...totals, ...(await read('/suggest?q=latec')).map(({ data }) => data.articles.length)];
    };
    expect(await found()).toEqual([0, 0, 0, 0]);
    const id = await write('Latecomer', '<p>A nightjar.</p>');
    await until('both find it', async () => (await found()).every((total) => total === 1));
    await content.client.patch(`/api/articles/${id}`, { title: 'Early', content: `<p>${FILLER}</p>` });
    await until('neither finds it', async () => (await found()).every((total) => total === 0));
    await Promise.all(others.map((other) => other.close()));
  });

  test('hold up no writer, and are searchable as they were written last', async () => {
    const id = await write('Busy', '<p>grebe</p>');
    const release = await holdUp(id);
    const patches = ['heron', 'bittern', 'egret'].map(async (word) => {
      const patched = await content.client.patch(`/api/articles/${id}`, {
        content: `<p>${FILLER} ${word}</p>`,
      });
      expect(patched.status).toBe(200);
    });
    await Promise.all(patches);
    expect(await titles({ q: 'grebe' })).toEqual(['Busy']);
    await release();
    await searchable();
    const { body } = await send(`${content.url}/api/articles/${id}`);
    const [last = ''] = /heron|bittern|egret/.exec(body.data.content) ?? [];
    for (const word of ['grebe', 'heron', 'bittern', 'egret']) {
      expect([word, await titles({ q: word })]).toEqual([word, word === last ? ['Busy'] : []]);
    }
    await content.client.send(`/api/articles/${id}`, { method: 'DELETE' });
  });

  test('may be deleted meanwhile', async () => {
    const id = await write('Brief', '<p>dunlin</p>');
    const release = await holdUp(id);
    await content.client.patch(`/api/articles/${id}`, { excerpt: 'Changed' });
    expect((await content.client.send(`/api/articles/${id}`, { method: 'DELETE' })).status).toBe(200);
    await release();
    await searchable();
    expect(content.log.events().filter(({ msg }) => msg === 'article_not_searchable')).toEqual([]);
  });

  test('let a process end that is in the middle of one', async () => {
    const { url, pool } = content.database;
    const id = await write('Endless', '<p>curlew</p>');
    const release = await holdUp(id);
    const other = await startContent(url);
    // Both services wait for the lock.
    const waiting = async (count: number) => {
      const { rows } = await pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
      );
      return rows.length === count;
    };
    for (const excerpt of ['One', 'Two']) await content.client.patch(`/api/articles/${id}`, { excerpt });
    await until('both are at it', () => waiting(2));
    await other.close();
    await release();
    await searchable();
    expect(await titles({ q: 'two curlew' })).toEqual(['Endless']);
    await content.client.send(`/api/articles/${id}`, { method: 'DELETE' });
  });

  test('are not held up by one that fails, which is tried again when it is written', async () => {
    const { pool } = content.database;
    const failing = ids.get('人工智能大模型') ?? 0;
    await pool.query(`
      create function public.hinder() returns trigger language plpgsql as $$
      begin
        if new.article_id = ${failing} then raise 'too much'; end if;
        return new;
      end $$;
      create trigger hinder before insert on content.article_search for each row execute function public.hinder()`);
    const queued = async () =>
      (await pool.query('select article_id as id from content.unsearchable_article')).rows.map(
        ({ id }) => id,
      );
    try {
      await content.client.patch(`/api/articles/${failing}`, { excerpt: 'Hindered' });
      await until('it is logged', () =>
        content.log
          .events()
          .some(({ msg, article }) => msg === 'article_not_searchable' && article === failing),
      );
      await content.client.patch(`/api/articles/${ids.get('Harbour')}`, { excerpt: 'Plover' });
      await until('the other is searchable', async () => (await titles({ q: 'plover' })).length === 1);
      expect(await queued()).toEqual([failing]);
      const hindered = await run(['services/content/src/cli.ts', 'reindex'], { env: env() });
      expect([hindered.code, hindered.stderr]).toEqual([1, expect.stringContaining(`Article ${failing} `)]);
    } finally {
      await pool.query('drop function public.hinder cascade');
    }
    await content.client.patch(`/api/articles/${failing}`, { excerpt: 'Free again' });
    await until('it is searchable', async () => (await titles({ q: 'free again' })).length === 1);
    expect((await run(['services/content/src/cli.ts', 'reindex'], { env: env() })).code).toBe(0);
    expect(await queued()).toEqual([]);
  });
});

test.each([{ q: 'ephemeral' }, { q: 'ephemeral', highlight: '1' }] as Record<string, string>[])(
  'what is unpublished during a search is not shown: %j',
  async (parameters) => {
    const { pool } = content.database;
    const id = await write('Passing', '<p>ephemeral</p>');
    const blocker = await pool.connect();
    try {
      // The members are read with the category, after the article was found.
      await blocker.query('begin; lock table content.category in access exclusive mode');
      const waiting = search(parameters);
      await until('the search waits', async () => {
        const { rows } = await pool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length > 0;
      });
      await blocker.query('update content.article set is_published = false where id = $1', [id]);
      await blocker.query('commit');
      expect((await waiting).body.data).toEqual([]);
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
  },
);

describe('highlights', () => {
  test('are parts of text with the places of the words', async () => {
    const { body } = await search({ q: 'harbour LIGHTHOUSE strasse', highlight: '1' });
    const [{ highlights }] = body.data;
    const shown = highlights.map(
      ({
        member,
        text,
        matches,
      }: {
        member: string;
        text: string;
        matches: { offset: number; length: number }[];
      }) => [member, matches.map(({ offset, length }) => text.slice(offset, offset + length))],
    );
    expect(shown).toEqual([
      ['title', ['Harbour']],
      ['content', ['lighthouse', 'Straße']],
    ]);
    expect(highlights[1].text).toContain('The lighthouse & the keeper’s cat.');
  });

  test('have one space where an article has others, or several', async () => {
    await write('Spaced', '<p>northern\nsouthern&nbsp;eastern\t\tand  western</p><p>wind</p>');
    const { body } = await search({ q: 'southern western', highlight: '1' });
    expect(body.data[0].highlights[0].text).toContain('northern southern eastern and western wind');
  });

  test('end between graphemes, and find what an article has far from its beginning', async () => {
    await write('Far', `<p>${'Wörter. '.repeat(2000)}👩‍🚀𝒳🇨🇳 ﬁnal cafe\u0301s &lt;script&gt; end</p>`);
    const { body } = await search({ q: 'FINAL café <script>', highlight: '1' });
    const [{ text, matches }] = body.data[0].highlights;
    expect(
      matches.map(({ offset, length }: { offset: number; length: number }) =>
        text.slice(offset, offset + length),
      ),
    ).toEqual(['ﬁnal', 'cafe\u0301', '<script>']);
    expect(text).toContain('👩‍🚀𝒳🇨🇳 ﬁnal');
    expect(text.length).toBeLessThan(600);
  });
});

test('of a very long text the beginning is searched', async () => {
  const long = { words: 'wallaby '.repeat(30_000), references: '&amp;'.repeat(50_000) };
  for (const [title, html] of Object.entries(long)) {
    const id = await write(`Long ${title}`, `<p>bandicoot ${html} quokka</p>`);
    expect(await titles({ q: 'bandicoot' })).toEqual([`Long ${title}`]);
    expect(await titles({ q: 'quokka' })).toEqual([]);
    await content.client.send(`/api/articles/${id}`, { method: 'DELETE' });
  }
});

describe('what is refused', () => {
  test.each([
    [{ q: ' x ' }, 'q'],
    [{ q: 'x'.repeat(201) }, 'q'],
    [{ q: 'a\u0000b' }, 'q'],
    [{ q: 'words', sort: 'updated' }, 'sort'],
    [{ sort: 'relevance' }, 'sort'],
    [{ q: 'words', cursor: '' }, 'q'],
    [{ q: 'words', fields: 'full' }, 'q'],
    [{ highlight: '1' }, 'highlight'],
    [{ q: 'words', highlight: 'yes' }, 'highlight'],
  ] as [Record<string, string>, string][])('%j is 400 and names %s', async (parameters, named) => {
    const { status, body } = await search(parameters);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.detail).toContain(`"${named}"`);
  });

  test('searches beyond the limit get 503, and so do endless ones', async () => {
    const settings = { CACHE_BYTES: '0', CONTENT_SEARCH_CONCURRENCY: '1' };
    const { url, pool } = content.database;
    const patient = await startContent(url, settings);
    const hasty = await startContent(url, { ...settings, DATABASE_STATEMENT_TIMEOUT_MS: '500' });
    const blocker = await pool.connect();
    try {
      await blocker.query('begin; lock table content.article_search in access exclusive mode');
      const waiting = send(`${patient.url}/api/articles?q=harbour`);
      await until('the search waits', async () => {
        const { rows } = await pool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length > 0;
      });
      const { status, body, headers } = await send(`${patient.url}/api/articles?q=honey`);
      expect([status, body.code, body.reason]).toEqual([503, 'temporarily_unavailable', 'busy']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      const endless = await send(`${hasty.url}/api/articles?q=harbour`);
      expect([endless.status, endless.body.code]).toEqual([503, 'temporarily_unavailable']);
      // Whatever is no search has its own connections.
      expect((await send(`${patient.url}/api/articles`)).status).toBe(200);
      await blocker.query('commit');
      expect((await waiting).status).toBe(200);
    } finally {
      await blocker.query('rollback');
      blocker.release();
      await Promise.all([patient.close(), hasty.close()]);
    }
  });
});

describe('many articles', () => {
  beforeAll(async () => {
    await content.database.pool.query(
      `insert into content.article (title, slug, content, author, title_words, category_id, is_published, published_at)
       select case when n % 500 = 0 then 'Marmot ' else '' end || 'Article ' || n, 'many-' || n,
              '<p>common words' || case when n % 30 = 0 then ' marmot' else '' end || ' cd' || '</p>', 'Many', '{}',
              case when n % 1000 = 7 then 1 else 2 end, true, timestamptz '2020-01-01' + n * interval '1 minute'
       from generate_series(1, 7000) as n`,
    );
    await searchable();
    await content.database.pool.query('analyze');
  });

  test('a common word is counted to the limit, which is also how far its pages reach', async () => {
    const searches: Record<string, string>[] = [
      { q: 'common words' },
      { q: 'cd' },
      { q: 'article common', sort: 'relevance' },
    ];
    for (const parameters of searches) {
      const { body } = await search({ ...parameters, author: 'Many', per_page: '100', page: '10' });
      expect(body.meta, parameters.q).toEqual({
        page: 10,
        per_page: 100,
        total: 1000,
        total_pages: 10,
        total_is_exact: false,
      });
      expect(body.data).toHaveLength(100);
      const beyond = await search({ ...parameters, author: 'Many', per_page: '100', page: '11' });
      expect([beyond.status, beyond.body.code]).toEqual([400, 'invalid_request']);
    }
  });

  test('a rarer word is counted exactly, and its titles come first wherever they are', async () => {
    const numbers = async (parameters: Record<string, string>) => {
      const { body } = await search({ q: 'marmot', per_page: '100', ...parameters });
      return {
        meta: body.meta,
        numbers: body.data.map(({ slug }: { slug: string }) => Number(slug.slice(5))),
      };
    };
    const newest = await numbers({ page: '3' });
    expect(newest.meta).toEqual({ page: 3, per_page: 100, total: 233 + 14 - 4, total_pages: 3 });
    const all = [
      ...(await numbers({ page: '1' })).numbers,
      ...(await numbers({ page: '2' })).numbers,
      ...newest.numbers,
    ];
    expect(all).toEqual(
      Array.from({ length: 7000 }, (_, n) => 7000 - n).filter((n) => n % 30 === 0 || n % 500 === 0),
    );
    const relevant = await numbers({ sort: 'relevance' });
    expect(relevant.numbers.slice(0, 15)).toEqual([
      ...Array.from({ length: 14 }, (_, n) => 7000 - n * 500),
      6990,
    ]);
    expect(relevant.meta.total).toBe(newest.meta.total);
  });

  test('a rare word is found by the words that contain it, whatever else its letters make', async () => {
    await content.database.pool.query(
      `insert into content.article (title, slug, content, author, title_words, is_published, published_at)
       values ('Letters', 'letters', $1, 'Old', '{}', true, '2019-01-01')`,
      [`<p>xabcabx bcabca ${'z'.repeat(50)}qwert ${'9'.repeat(40)}1 使用docker部署 a-bcd</p>`],
    );
    await searchable();
    const present = [
      'abcab',
      'cabc',
      'BCABCA',
      'zzqwert',
      '99991',
      'xabcabx bcab',
      '用dock',
      'docker',
      '部署',
      'a-bc',
    ];
    for (const q of present) {
      expect([q, await titles({ q })]).toEqual([q, ['Letters']]);
      expect([q, await titles({ q, sort: 'relevance' })]).toEqual([q, ['Letters']]);
    }
    for (const q of ['abcabc', 'cabcab', 'abca docker bcx'])
      expect([q, await titles({ q })]).toEqual([q, []]);
  });

  describe('of which some are in a list', () => {
    /** Each filter's condition in SQL. */
    const FILTERS: Record<string, string> = {
      'category_id=1': 'category_id = 1',
      'category=two': 'category_id = 2',
      'tag=rodents': 'tag_ids && $1',
      'author_slug=vera': 'author_ids && $2',
      'author=Vera': `author = 'Vera'`,
      'tag=nothing': 'false',
    };
    let [tags, authors]: number[][] = [];

    beforeAll(async () => {
      const { client, database } = content;
      tags = [(await client.post('/api/tags', { name: 'Rodents' })).body.data.id];
      authors = [(await client.post('/api/authors', { name: 'Vera' })).body.data.id];
      await database.pool.query(
        `insert into content.article
           (title, slug, content, author, title_words, category_id, tag_ids, author_ids, is_published, published_at)
         select 'Field ' || n, 'field-' || n, '<p>some words' || case when n % 25 = 0 then ' vole' else '' end || '</p>', 'Field', '{}',
           case when n % 6 = 0 then 1 else 2 end, case when n % 4 = 0 then $1::integer[] else '{}' end,
           case when n % 3 = 0 then $2::integer[] else '{}' end, n % 7 > 0, timestamptz '2018-01-01' + n * interval '1 minute'
         from generate_series(1, 3000) as n`,
        [tags, authors],
      );
      await searchable();
      await database.pool.query('vacuum analyze');
    });

    test.each(['published', 'draft', 'all'])(
      'status=%s: each filter, alone and with each other one, has what a look at all articles finds',
      async (status) => {
        const state = { published: 'is_published', draft: 'not is_published' }[status] ?? 'true';
        const filters = Object.entries(FILTERS);
        for (const [index, [query, condition]] of filters.entries()) {
          for (const [other, also] of filters.slice(index)) {
            if (query.startsWith('tag=') && other === 'tag=nothing') continue;
            const { rows } = await content.database.pool.query(
              `select id from content.article where content like '% vole%' and ${state} and ${condition} and ${also}
                 and $1::integer[] is not null and $2::integer[] is not null
               order by published_at desc, id desc`,
              [tags, authors],
            );
            const list = `q=vole&status=${status}&per_page=100&${query}${other === query ? '' : `&${other}`}`;
            const found: number[] = [];
            for (let page = 1, pages = 1; page <= pages; page += 1) {
              const { body } = await content.client.send(`/api/articles?${list}&page=${page}`);
              expect([list, body.meta?.total, body.meta?.total_is_exact]).toEqual([
                list,
                rows.length,
                undefined,
              ]);
              found.push(...body.data.map(({ id }: { id: number }) => id));
              pages = body.meta.total_pages;
            }
            expect([list, found]).toEqual([list, rows.map(({ id }) => id)]);
          }
        }
      },
    );

    test('only those are read that have the words, and among the newest of the list', async () => {
      const { pool } = content.database;
      const read = async () => {
        await pool.query(
          `select pg_terminate_backend(pid, 5000) from pg_stat_activity
           where datname = current_database() and application_name = 'pressroom content' and state = 'idle'`,
        );
        await pool.query('select pg_stat_force_next_flush()');
        const { rows } = await pool.query(
          `select idx_tup_fetch::integer as rows from pg_stat_user_tables where relname = 'article_search'`,
        );
        return rows[0].rows;
      };
      const before = await read();
      const { body } = await search({ q: 'vole', category_id: '1' });
      expect(body.meta.total).toBe(18);
      // The newest of the category are looked at, then twice its 20 articles with the word. In all, 120
      // have it.
      expect((await read()) - before).toBeLessThanOrEqual(251 + 2 * 20);
    });

    test('the index has the month of each publication, and the last months in which so many appeared', async () => {
      const { client, database } = content;
      const { rows } = await database.pool.query(
        `select article.id, lists[1] as month from content.article join content.article_search on article_id = id
         where slug in ('field-6', 'field-7') order by slug`,
      );
      expect(rows.map(({ month }) => month)).toEqual(['month:2018-01', 'month:2018-01']);
      const draft = await write('Unpublished', '', { is_published: false });
      const monthOf = async () => {
        await searchable();
        const found = await database.pool.query(
          'select lists[1] as month from content.article_search where article_id = $1',
          [draft],
        );
        return found.rows[0].month;
      };
      expect(await monthOf()).toBe('month:none');
      await client.patch(`/api/articles/${draft}`, { is_published: true });
      expect(await monthOf()).toBe(`month:${new Date().toISOString().slice(0, 7)}`);
      const last = await database.pool.query(
        `select content.last_months(7000) as newest, content.last_months(1000000) as "all"`,
      );
      // Drafts come first; then the few of today, and 7,000 of the first days of 2020.
      expect(last.rows[0].newest.at(0)).toBe('month:none');
      expect(last.rows[0].newest.at(-1)).toBe('month:2020-01');
      expect(last.rows[0].all).toContain('month:2020-01');
      expect(last.rows[0].all.at(-1)).toBe('month:2018-01');
    });

    test('an article is found where it has moved', async () => {
      const { client, database } = content;
      const { rows } = await database.pool.query(`select id from content.article where slug = 'field-25'`);
      const moves: [object, string, string][] = [
        [{ category_id: 1 }, 'category_id=1', 'category_id=2'],
        [{ tags: ['rodents'] }, 'tag=rodents', 'tag=nothing'],
        [{ authors: ['vera'] }, 'author_slug=vera', 'author_slug=nobody'],
      ];
      for (const [change, here, elsewhere] of moves) {
        await client.patch(`/api/articles/${rows[0].id}`, change);
        await searchable();
        const found = async (list: string) => {
          const { body } = await client.send(
            `/api/articles?q=vole&published_before=2018-01-01T00:26:00Z&${list}`,
          );
          return body.data.map(({ id }: { id: number }) => id);
        };
        expect([here, await found(here)]).toEqual([here, [rows[0].id]]);
        expect([elsewhere, await found(elsewhere)]).toEqual([elsewhere, []]);
      }
    });
  });

  test('a filter that few articles pass is complete', async () => {
    const { body } = await search({ q: 'common', category_id: '1', author: 'Many' });
    expect(body.meta).toEqual({ page: 1, per_page: 20, total: 7, total_pages: 1 });
  });
});
