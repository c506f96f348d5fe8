/** A format's text around its articles, and one article by its number. */
interface Format {
  begin: string;
  article: (n: number) => string;
  end: (articles: number) => Iterable<string>;
}

const PARAGRAPH = `${'Words that make up an article, <b>in bold</b> and <a href="https://a.example/x">linked</a>. '.repeat(10)}\n\n`;

const html = (n: number) => `${PARAGRAPH.repeat(6)}${n}`;

const DATE = '2016-01-02T03:04:05.000Z';

/** Each article of WordPress has a picture of its own, which comes after it. */
const wordpress: Format = {
  begin: `<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:base_blog_url>https://old.example</wp:base_blog_url>`,
  article: (
    n,
  ) => `<item><title>Article ${n}</title><link>https://old.example/2016/${n}/</link><dc:creator>Ada</dc:creator>
<content:encoded><![CDATA[${html(n)}]]></content:encoded><wp:post_id>${2 * n}</wp:post_id>
<wp:post_date_gmt>2016-01-02 03:04:05</wp:post_date_gmt><wp:post_name>article-${n}</wp:post_name>
<wp:status>publish</wp:status><wp:post_type>post</wp:post_type>
<category domain="post_tag" nicename="t${n % 50}"><![CDATA[T${n % 50}]]></category>
<wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key><wp:meta_value>${2 * n + 1}</wp:meta_value></wp:postmeta></item>
<item><wp:post_id>${2 * n + 1}</wp:post_id><wp:post_type>attachment</wp:post_type><wp:post_parent>${2 * n}</wp:post_parent>
<wp:attachment_url>https://old.example/p${n}.jpg</wp:attachment_url><wp:status>inherit</wp:status></item>\n`,
  end: () => ['</channel></rss>'],
};

const rows = function* (articles: number, row: (n: number) => object) {
  for (let n = 1; n <= articles; n += 1) yield `${n > 1 ? ',' : ''}${JSON.stringify(row(n))}`;
};

/** One JSON document, in which what says the tags and authors of the articles comes after all of them. */
const ghost: Format = {
  begin: '{"db":[{"meta":{"version":"5.0.0"},"data":{"posts":[',
  article: (n) => {
    const times = { created_at: DATE, updated_at: DATE, published_at: DATE };
    const known = { id: `p${n}`, uuid: `uuid-${n}`, slug: `article-${n}`, title: `Article ${n}` };
    const post = { ...known, html: html(n), type: 'post', status: 'published', visibility: 'public' };
    return `${n > 1 ? ',' : ''}${JSON.stringify({ ...post, ...times })}`;
  },
  *end(articles) {
    yield '],"posts_tags":[';
    yield* rows(articles, (n) => ({ post_id: `p${n}`, tag_id: `t${n % 50}`, sort_order: 0 }));
    yield '],"posts_authors":[';
    yield* rows(articles, (n) => ({ post_id: `p${n}`, author_id: 'u1', sort_order: 0 }));
    yield '],"tags":[';
    yield* rows(50, (n) => ({ id: `t${n - 1}`, name: `T${n}`, slug: `t${n}` }));
    yield '],"users":[{"id":"u1","name":"Ada"}]}}]}';
  },
};

const jsonLines: Format = {
  begin: '',
  article: (n) => {
    const line = { title: `Article ${n}`, slug: `article-${n}`, html: html(n), author: 'Ada' };
    return `${JSON.stringify({ ...line, published_at: DATE, tags: [`T${n % 50}`] })}\n`;
  },
  end: () => [],
};

/** The formats that articles come in, by the arguments of `content import`. */
export const FORMATS = { wordpress, ghost, 'json-lines': jsonLines } as const;

export type FormatName = keyof typeof FORMATS;

/** A file of a format with about so many bytes, piece by piece. */
export function* exportOf({ begin, article, end }: Format, bytes: number): Generator<string> {
  yield begin;
  let articles = 0;
  for (let written = 0; written < bytes; ) {
    articles += 1;
    const text = article(articles);
    written += text.length;
    yield text;
  }
  yield* end(articles);
}
