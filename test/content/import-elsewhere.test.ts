import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wordpressItem as item, ARTICLE_TEXT as TEXT, wordpressFile as wxr } from '../fixtures/wordpress.ts';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { contentCli } from '../support/content-import.ts';
import type { JsonBody } from '../support/http.ts';

let content: ContentFixture;
let folder: string;
beforeAll(async () => {
  content = await contentFixture();
  folder = await mkdtemp(join(tmpdir(), 'pressroom moving '));
});
afterAll(() => content.close());

async function fileOf(name: string, text: string | Uint8Array): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

/** Runs `content import` on a service whose site is at https://site.example/read/{slug}. */
function importing(...args: string[]) {
  // A time without a zone is not one of the machine's.
  const TZ = 'America/New_York';
  const env = { CONTENT_SITE_URL: 'https://site.example', CONTENT_ARTICLE_PATH: '/read/{slug}', TZ };
  return contentCli(content, ['import', ...args], { env });
}

const find = async (slug: string) =>
  (await content.client.send(`/api/articles/by-slug/${slug}?include=tags`)).body.data;

const meta = (key: string, value: string) =>
  `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`;

describe('an export of WordPress', () => {
  test('comes in with all that an article has, once, and its old addresses lead to the new ones', async () => {
    const whole = item(
      11,
      {
        title: 'Salt &amp; <em>pepper</em>',
        'excerpt:encoded': '<p>In&nbsp;short</p>',
        'content:encoded': `<!--more-->First paragraph. ${TEXT}\n\nSecond\nline\n\n[caption id="a" align="alignleft" width="9"]<a href="/x"><img src="https://old.example/p.jpg" alt="P"></a> A <b>caption</b>[/caption]\n\nhttps://video.example/watch?v=1&t=2\n\n<pre>[caption]\n\ncode</pre>`,
      },
      [
        '<category domain="category" nicename="arts"><![CDATA[Arts &amp; more]]></category>',
        '<category domain="category" nicename="music"><![CDATA[Music]]></category>',
        '<category domain="post_tag" nicename="%e6%97%a5%e6%9c%ac"><![CDATA[日本]]></category>',
        '<category domain="series" nicename="one"><![CDATA[One]]></category>',
        meta('_yoast_wpseo_title', '%%title%% %%sep%% %%sitename%%%%page%%'),
        meta('rank_math_description', 'For <search> engines'),
        meta('_yoast_wpseo_opengraph-title', '%%title%% today'),
        meta('_yoast_wpseo_opengraph-image', 'https://old.example/card.jpg'),
        meta('_yoast_wpseo_primary_category', '7'),
        meta('_thumbnail_id', '90'),
      ].join(''),
    );
    const file = await fileOf(
      'all.xml',
      wxr(
        whole,
        item(12, {
          'wp:status': 'draft',
          'wp:post_date_gmt': '0000-00-00 00:00:00',
          'wp:post_name': '',
          link: 'https://old.example/?p=12',
        }),
        item(13, { 'wp:status': 'private' }),
        item(14, { 'wp:post_password': 'secret' }),
        item(15, { 'wp:post_type': 'page' }),
        item(16, { 'wp:status': 'trash' }),
        item(17, {
          'wp:post_name': 'Unter_Strich',
          'content:encoded': `<!-- wp:paragraph -->\n<p>${TEXT}\n\n</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:latest-posts {"n":5} /-->`,
        }),
        item(18, {
          title: '',
          // To a `map` of nginx, a path that begins with ~ is a pattern.
          link: 'other:~^/\u001b[2J',
          'content:encoded': `[form id="1"]<script>track()</script>${TEXT} [sic]\u0008`,
        }),
        item(
          90,
          {
            'wp:post_type': 'attachment',
            'wp:attachment_url': 'https://old.example/ä b.jpg',
            'wp:status': 'inherit',
          },
          meta('_wp_attachment_image_alt', 'What it shows'),
        ),
      ),
    );
    const maps = [join(folder, 'map.json'), join(folder, 'map.conf')];
    const redirects = maps.flatMap((map) => ['--redirects', map]);
    const rehearsal = await importing('wordpress', file, '--dry-run', '--author', 'Desk', ...redirects);
    expect(rehearsal.stdout).toContain(
      'Nothing was written. It would be: 5 created, 0 already there, 1 refused',
    );
    await expect(readFile(maps[0] ?? '')).rejects.toThrow('ENOENT');
    const { stdout } = await importing('wordpress', file, '--author', 'Desk', ...redirects);
    const said = stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/^line \d+/, 'line N'));
    expect(said).toEqual([
      'line N: also in Music: made tags',
      'line N: taxonomy series: not kept',
      'line N: private in WordPress: imported as a draft',
      'line N: protected by a password in WordPress: imported as a draft',
      'line N: block latest-posts: has no HTML of its own; left out',
      expect.stringMatching(/^line N \(source other:~\^\/ ?\[2J\): content: <script> is not allowed/),
      '5 created, 0 already there, 1 refused',
      'categories, tags, authors and releases: 1 created, 0 already there',
      'left out: 1 × page: not an article',
      'left out: 1 × an article in the state trash',
      'left out: 1 × attachment: not an article',
    ]);
    expect(await find('article-11')).toMatchObject({
      title: 'Salt & pepper',
      excerpt: 'In short',
      content: `<p>First paragraph. ${TEXT}</p>\n<p>Second<br>\nline</p>\n<figure class="alignleft"><a href="/x"><img src="https://old.example/p.jpg" alt="P"></a><figcaption>A <b>caption</b></figcaption></figure><p><a href="https://video.example/watch?v=1&amp;t=2">https://video.example/watch?v=1&amp;t=2</a></p>\n<pre>[caption]\n\ncode</pre>`,
      author: 'Ada Lovelace',
      is_published: true,
      published_at: '2016-01-02T03:04:05.000Z',
      updated_at: '2017-01-02T03:04:05.000Z',
      category: { name: 'Arts & more', slug: 'arts' },
      tags: [
        { name: 'Music', slug: 'music' },
        { name: '日本', slug: 'riben' },
      ],
      featured_image: 'https://old.example/%C3%A4%20b.jpg',
      alt_text: 'What it shows',
      meta_title: 'Salt & pepper - Old site',
      meta_description: 'For <search> engines',
      social_title: 'Salt & pepper today',
      social_image: 'https://old.example/card.jpg',
    });
    expect((await content.client.send('/api/categories')).body.data[0].description).toBe('What it is');
    expect(await find('article-12')).toMatchObject({ is_published: false, published_at: null });
    expect(await find('article-13')).toMatchObject({
      is_published: false,
      published_at: '2016-01-02T03:04:05.000Z',
    });
    expect(await find('unter-strich')).toMatchObject({ content: `<p>${TEXT}\n\n</p>` });
    const [json, nginx] = await Promise.all(maps.map((map) => readFile(map, 'utf8')));
    const old = (id: number) => `/2016/01/article-${id}`;
    const to = (slug: string) => `https://site.example/read/${slug}`;
    expect(JSON.parse(json ?? '')).toEqual({
      [old(11)]: to('article-11'),
      [`${old(11)}/`]: to('article-11'),
      [old(14)]: to('article-14'),
      [`${old(14)}/`]: to('article-14'),
      [old(17)]: to('unter-strich'),
      [`${old(17)}/`]: to('unter-strich'),
    });
    expect(nginx?.split('\n')[0]).toBe(`"${old(11)}/" "${to('article-11')}";`);

    const stored = (await content.client.anonymously('/api/redirects')).body.data;
    expect(stored.map(({ from, to, source }: JsonBody) => [from, to, source]).toSorted()).toEqual([
      [old(11), '/read/article-11', 'import'],
      [old(14), '/read/article-14', 'import'],
      [old(17), '/read/unter-strich', 'import'],
    ]);
    await content.client.patch(`/api/redirects/${stored[0].id}`, { to: '/chosen' });

    const again = await importing(
      'wordpress',
      file,
      '--author',
      'Desk',
      '--clean',
      ...redirects,
      '--redirects',
    );
    const after = (await content.client.anonymously('/api/redirects')).body.data;
    expect(after).toHaveLength(3);
    expect(after[0]).toMatchObject({ to: '/chosen', source: 'manual' });
    expect(again.stdout).toContain('1 created, 5 already there, 0 refused');
    expect(again.stdout).toContain('removed <script>');
    expect(again.stdout).toContain('shortcode [form]: removed');
    expect(again.stdout).toContain(`has no title; it is called "${TEXT} [sic]"`);
    expect(await find('article-18')).toMatchObject({ content: `<p>${TEXT} [sic]</p>` });
    expect(Object.keys(JSON.parse(await readFile(maps[0] ?? '', 'utf8')))).toHaveLength(6);
  });

  test('of a tool that names nothing takes no article for another', async () => {
    const nameless = (title: string, more: Record<string, string> = {}) =>
      item(0, { title, link: '', 'wp:post_name': '', 'content:encoded': `${title}. ${TEXT}`, ...more });
    const bare = (text: string) => text.replaceAll('https://old.example', '');
    const first = await fileOf(
      'nameless 1.xml',
      bare(wxr(nameless('Same day one'), nameless('Same day two'))),
    );
    const [draft, other] = ['Numbered one', 'Numbered two'].map((title) =>
      nameless(title, { 'wp:post_id': '7', 'wp:status': 'draft' }),
    );
    const second = await fileOf('nameless 2.xml', bare(wxr(nameless('Same day three'), draft ?? '')));
    const third = await fileOf('nameless 3.xml', bare(wxr(nameless('Same day one'), other ?? '')));
    expect((await importing('wordpress', first)).stdout).toContain('2 created, 0 already there');
    expect((await importing('wordpress', second)).stdout).toContain('2 created, 0 already there');
    expect((await importing('wordpress', third)).stdout).toContain('1 created, 1 already there');
    expect((await importing('wordpress', first)).stdout).toContain('0 created, 2 already there');
  });

  test('without addresses knows an article by its number at its site, and without one by its words', async () => {
    const at = (id: number, title: string) =>
      item(id, { title, link: '', 'wp:post_name': '', 'content:encoded': `${title}. ${TEXT}` });
    const first = await fileOf('numbered 1.xml', wxr(at(0, 'Unnumbered one'), at(30, 'Before a change')));
    const second = await fileOf('numbered 2.xml', wxr(at(0, 'Unnumbered two'), at(30, 'After a change')));
    expect((await importing('wordpress', first)).stdout).toContain('2 created, 0 already there');
    expect((await importing('wordpress', second)).stdout).toContain('1 created, 1 already there');
  });

  test('comes in beside that of another site, with its words and without what never was', async () => {
    const at = (site: string, ...items: string[]) => wxr(...items).replaceAll('https://old.example', site);
    const post = (more: Record<string, string>, others = '') =>
      item(1, { 'wp:post_name': 'hello-world', ...more }, others);
    const one = await fileOf('one.xml', at('https://one.example', post({})));
    const footnotes = JSON.stringify([{ id: 'f', content: 'A note' }]);
    const whole = post(
      {
        title: 'Two',
        'content:encoded': `<p>${TEXT}<sup data-fn="f" class="fn"><a id="f-link" href="#f">1</a></sup></p><!-- wp:block {"ref":9} /--><img src="/a.jpg"><iframe src="http://video.example/1"></iframe><!-- wp:footnotes /-->`,
      },
      [
        meta('footnotes', footnotes),
        meta('mood', 'good'),
        '<wp:comment><wp:comment_id>1</wp:comment_id></wp:comment>',
        '<category domain="post_tag" nicename="%e5%ae%9e%e4%ba%8b"><![CDATA[实事]]></category>',
        '<category domain="post_tag" nicename="%e6%97%b6%e4%ba%8b"><![CDATA[时事]]></category>',
      ].join(''),
    );
    const two = await fileOf(
      'two.xml',
      at(
        'https://two.example',
        item(2, { 'wp:post_name': 'hello-world', 'wp:status': 'draft', link: '', title: 'A draft' }),
        whole,
        item(1, { 'wp:post_name': '%e4%b8%ad%e6%96%87%e5', title: 'The same id' }),
        item(3, { 'wp:post_name': '%e4%b8%ad%e6%96%87', 'wp:post_date_gmt': '2020-02-30 00:00:00' }),
        item(4, { 'wp:post_date_gmt': '', 'wp:post_modified_gmt': '', 'wp:post_name': 'undated' }),
        item(9, { 'wp:post_type': 'wp_block', 'content:encoded': '<p>Shared</p>' }),
      ),
    );
    await importing('wordpress', one);
    const map = join(folder, 'two.json');
    const args = ['wordpress', two, '--redirects', map];
    const { stdout } = await importing(...args);
    const said = stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/^line \d+/, 'line N'));
    expect(said).toEqual([
      'line N: the slug hello-world is taken: it becomes hello-world-2',
      'line N: the slug hello-world is taken: it becomes hello-world-3',
      'line N: the date 2020-02-30 00:00:00 does not exist: left out',
      'line N: published_at is missing: the earliest date that is known, 2017-01-02T03:04:05.000Z, stands for it',
      'line N: the slug zhongwen is taken: it becomes zhongwen-2',
      'line N: has no date: imported as a draft',
      '5 created, 0 already there, 0 refused',
      'categories, tags, authors and releases: 0 created, 1 already there',
      'left out: 1 × comment',
      'left out: 1 × custom field',
      'left out: 1 × pattern: is put into the articles that show it',
    ]);
    const found = await find('hello-world-3');
    expect(found.tags.map(({ name }: { name: string }) => name)).toEqual(['实事', '时事']);
    expect(found.content.replaceAll('\n', '')).toBe(
      `<p>${TEXT}<sup data-fn="f" class="fn"><a id="f-link" href="#f">1</a></sup></p><p>Shared</p><p><img src="https://two.example/a.jpg"></p><iframe src="https://video.example/1"></iframe><ol class="wp-block-footnotes"><li id="f">A note <a href="#f-link">↩︎</a></li></ol>`,
    );
    expect(await find('zhongwen-2')).toMatchObject({ published_at: '2017-01-02T03:04:05.000Z' });
    expect(await find('undated')).toMatchObject({ is_published: false });
    expect(JSON.parse(await readFile(map, 'utf8'))).toMatchObject({
      '/2016/01/article-1/': 'https://site.example/read/hello-world-3',
    });
    const text = await readFile(two, 'utf8');
    const http = await fileOf('two-http.xml', text.replaceAll('https://two', 'http://two'));
    const www = await fileOf('two-www.xml', text.replaceAll('https://two', 'http://www.two'));
    for (const again of [two, http, www])
      expect((await importing('wordpress', again)).stdout).toContain('0 created, 5 already there, 0 refused');
  });
});

describe('an export of Ghost', () => {
  const post = (id: string, more: object = {}) => ({
    id,
    uuid: `uuid-${id}`,
    title: `Ghost ${id}`,
    slug: `ghost-${id}`,
    html: `<!--kg-card-begin: html--><p>${TEXT}</p><!--kg-card-end: html-->`,
    type: 'post',
    status: 'published',
    visibility: 'public',
    created_at: '2020-01-01T00:00:00.000Z',
    updated_at: '2021-01-01T00:00:00.000Z',
    published_at: '2020-06-01T00:00:00.000Z',
    ...more,
  });
  const file = (posts: object[]) =>
    JSON.stringify({
      db: [
        {
          meta: { version: '5.0.0', data: { posts: [{ not: 'this' }] } },
          data: {
            posts,
            posts_meta: [{ post_id: 'a', meta_title: 'For engines', feature_image_alt: 'A picture' }],
            posts_tags: [
              { post_id: 'a', tag_id: 't2', sort_order: 1 },
              { post_id: 'a', tag_id: 't1', sort_order: 0 },
              { post_id: 'a', tag_id: 't3', sort_order: 2 },
            ],
            posts_authors: [
              { post_id: 'a', author_id: 'u2', sort_order: 1 },
              { post_id: 'a', author_id: 'u1', sort_order: 0 },
            ],
            tags: [
              { id: 't1', name: 'Opera', slug: 'opera', description: 'On stage' },
              { id: 't2', name: 'Film', slug: 'film' },
              { id: 't3', name: '#internal', slug: 'hash-internal', visibility: 'internal' },
            ],
            users: [
              { id: 'u1', name: 'Ada' },
              { id: 'u2', name: 'Grace' },
            ],
          },
        },
      ],
    });

  test('comes in with all that an article has, once', async () => {
    const source = await fileOf(
      'ghost.json',
      file([
        post('a', {
          feature_image: '__GHOST_URL__/content/a.jpg',
          custom_excerpt: 'Short',
          canonical_url: null,
          og_title: 'On networks',
          og_image: '__GHOST_URL__/content/card.jpg',
          published_at: '2020-06-01 00:00',
        }),
        post('b', { visibility: 'paid', author_id: 'u1' }),
        post('c', { html: null, lexical: '{}' }),
        post('d', { type: 'page' }),
        post('e', { status: 'draft', published_at: null, created_at: 1577836800000, author_id: 'u2' }),
        post('f', { status: 'scheduled', author_id: 'u2' }),
      ]),
    );
    const nowhere = await importing('ghost', source, '--author', 'Desk');
    expect(nowhere.stderr).toContain('give --site');
    const map = join(folder, 'ghost-map.json');
    const args = ['ghost', source, '--site', 'https://old.example/', '--redirects', map];
    const { stdout } = await importing(...args);
    expect(stdout.trim().split('\n')).toEqual([
      'post 1: internal tags #internal: not kept',
      'post 2: for paid only in Ghost: imported as a draft',
      'post 3: has no html, only lexical: save it again in Ghost, and export anew',
      'post 6: was to be published at 2020-06-01T00:00:00.000Z: imported as a draft',
      '4 created, 0 already there, 1 refused',
      'categories, tags, authors and releases: 1 created, 0 already there',
      'left out: 1 × page: not an article',
    ]);
    expect(await find('ghost-a')).toMatchObject({
      content: `<p>${TEXT}</p>`,
      author: 'Ada, Grace',
      excerpt: 'Short',
      published_at: '2020-06-01T00:00:00.000Z',
      created_at: '2020-01-01T00:00:00.000Z',
      updated_at: '2021-01-01T00:00:00.000Z',
      tags: [{ slug: 'opera' }, { slug: 'film' }],
      featured_image: 'https://old.example/content/a.jpg',
      alt_text: 'A picture',
      meta_title: 'For engines',
      social_title: 'On networks',
      social_image: 'https://old.example/content/card.jpg',
    });
    expect(await find('ghost-b')).toMatchObject({ is_published: false });
    expect(await find('ghost-e')).toMatchObject({ author: 'Grace', created_at: '2020-01-01T00:00:00.000Z' });
    expect(JSON.parse(await readFile(map, 'utf8'))).toMatchObject({
      '/ghost-a/': 'https://site.example/read/ghost-a',
    });
    expect((await importing(...args)).stdout).toContain('0 created, 4 already there, 1 refused');
  });

  test('of old numbers its articles by itself, and what is relative, unnamed or undated is told', async () => {
    const old = (more: object) => ({ ...post('1'), id: 1, uuid: undefined, ...more });
    const site = (name: string, ...posts: object[]) => fileOf(`${name}.json`, file(posts));
    const [a, b] = [
      await site('a', old({ slug: 'a', title: 'A' })),
      await site(
        'b',
        old({
          slug: 'under_score',
          title: '',
          feature_image: 'content/b.jpg',
          html: `<p>${TEXT}</p><img src="/b.jpg">`,
        }),
        old({ slug: 'under-score', feature_image: '//cdn.example/c.jpg', twitter_title: 'Other' }),
        old({ slug: 'dated', published_at: '2020-02-30T00:00:00.000Z' }),
        old({ slug: 'without-date', published_at: null, created_at: null, updated_at: null }),
      ),
    ];
    expect((await importing('ghost', a, '--author', 'Desk')).stdout).toContain('1 created');
    const { stdout } = await importing('ghost', b, '--author', 'Desk');
    expect(stdout.trim().split('\n')).toEqual([
      'post 1: feature_image content/b.jpg: is no whole address; left out: give --site',
      'post 1: /b.jpg: leads nowhere without the address of its site',
      `post 1: has no title; it is called "${TEXT}"`,
      'post 1: the slug under-score is taken: it becomes under-score-2',
      'post 2: twitter_title: not kept',
      'post 3: the date 2020-02-30T00:00:00.000Z does not exist: left out',
      'post 3: published_at is missing: the earliest date that is known, 2020-01-01T00:00:00.000Z, stands for it',
      'post 4: has no date: imported as a draft',
      '4 created, 0 already there, 0 refused',
      'categories, tags, authors and releases: 0 created, 1 already there',
    ]);
    expect(await find('under-score')).toMatchObject({ featured_image: 'https://cdn.example/c.jpg' });
    expect((await importing('ghost', b, '--author', 'Desk')).stdout).toContain('0 created, 4 already there');
  });
});
