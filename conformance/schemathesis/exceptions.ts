import type { JsonBody } from '../../test/support/http.ts';
import type { DescribedName } from '../support/stack.ts';
import { NEWSROOM_EXCEPTIONS } from './newsroom-exceptions.ts';

/** A request of an example, with the credentials of the service unless it is anonymous. */
export interface Asked {
  method: string;
  path: string;
  json?: unknown;
  headers?: Record<string, string>;
  anonymous?: boolean;
}

export interface Answer {
  status: number;
  body: JsonBody;
}

export type Ask = (asked: Asked) => Promise<Answer>;

/** Something that a check of Schemathesis takes for a fault and that is as it must be. */
export interface Exception {
  services: readonly DescribedName[];
  checks: readonly string[];
  /** A regular expression of the whole method and path, as the description has them. */
  operation: string;
  status: number;
  /** Matches one fault that the answer tells of: "field: message [code]" or "detail [code]". */
  fault: string;
  reason: string;
  /** Brings the answer about: proof in every run that the exception is still about something. */
  example(ask: Ask): Promise<Answer>;
}

const ARTICLE = { title: 'Examined', content: `<p>${'Words of an article. '.repeat(4)}</p>` };

const WRITES_ARTICLES = '(POST|PUT|PATCH) /api/(articles|drafts).*';

const CHANGES =
  '((PUT|PATCH|DELETE) /api/(articles|authors|categories|drafts|series|tags|releases)/\\{(id|name)\\}|PUT /api/series/\\{id\\}/articles|(POST|PUT|DELETE) /api/articles/.*/(restore|publish|working-copy|review|assignee))';

const NO_TEXT = 'NUL character';

const NO_TEXT_REASON =
  'JSON can write characters that no text has; a schema cannot exclude half a surrogate pair';

const VALID_REFUSED = ['positive_data_acceptance'];

async function createArticle(ask: Ask, more: object = {}): Promise<number> {
  const { body } = await ask({ method: 'POST', path: '/api/articles', json: { ...ARTICLE, ...more } });
  return body.data.id;
}

async function createImport(ask: Ask): Promise<number> {
  const json = { name: 'examined.xml', format: 'wordpress', size: 1 };
  return (await ask({ method: 'POST', path: '/api/imports', json })).body.data.id;
}

/** The exceptions; every line has an example that is tried before Schemathesis runs. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: '(GET|PUT|PATCH|DELETE|POST) /api/.*\\{id\\}.*',
    status: 400,
    fault: '"id" must be a positive integer',
    reason: '1.0 is an integer of JSON Schema, and none in a path',
    example: (ask) => ask({ method: 'GET', path: '/api/categories/1.0' }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'GET /api/redirects',
    status: 400,
    fault: '"cursor" must be meta\\.next_cursor of the page before',
    reason: 'no redirect has the id 0; OpenAPI has one range for a parameter',
    example: (ask) => ask({ method: 'GET', path: '/api/redirects?cursor=0' }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'GET /api/embeds',
    status: 422,
    fault: ' \\[embed_',
    reason: 'a schema does not know which pages answer, and with what',
    example: (ask) => ask({ method: 'GET', path: '/api/embeds?url=https://127.0.0.1/' }),
  },
  ...NEWSROOM_EXCEPTIONS,
  {
    services: ['news-feed', 'gallery-admin', 'content', 'newsroom'],
    checks: ['negative_data_rejection', 'status_code_conformance', 'positive_data_acceptance'],
    operation: '.*',
    status: 431,
    fault: ' \\[invalid_request\\]$',
    reason: 'a head over 16 KiB is refused before it belongs to an operation',
    example: (ask) => ask({ method: 'GET', path: `/api/gallery?path=${'x'.repeat(20_000)}` }),
  },
  {
    services: ['news-feed'],
    checks: VALID_REFUSED,
    operation: 'GET /api/v1/(items|archive|sources|stories)',
    status: 400,
    fault: ' \\[invalid_cursor\\]$',
    reason: 'a schema does not know which cursors were handed out',
    example: (ask) => ask({ method: 'GET', path: '/api/v1/items?cursor=x' }),
  },
  {
    services: ['news-feed'],
    checks: VALID_REFUSED,
    operation: 'GET /(api/v1|feed|all/feed).*',
    status: 400,
    fault: '"category" must be one of',
    reason: 'owners change the categories while the service runs; its description says what names they have',
    example: (ask) => ask({ method: 'GET', path: '/api/v1/items?category=none' }),
  },
  {
    services: ['news-feed'],
    checks: VALID_REFUSED,
    operation: 'GET /api/v1/(archive|stories)',
    status: 400,
    fault: '"q" needs a word',
    reason: 'a schema does not know which letters make a word that can be found',
    example: (ask) => ask({ method: 'GET', path: '/api/v1/archive?q=ab' }),
  },
  {
    services: ['news-feed'],
    checks: VALID_REFUSED,
    operation: 'GET /api/v1/(weeklies|monthlies)/\\{date\\}',
    status: 400,
    fault: '"date" must be a calendar date',
    reason: 'a date, or the name of a week or a month: no format of JSON Schema is both',
    example: (ask) => ask({ method: 'GET', path: '/api/v1/weeklies/2026-13' }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'GET /api/gallery/trash',
    status: 400,
    fault: 'must be the continuationToken of a page of the trash',
    reason: 'a schema does not know which cursors were handed out',
    example: (ask) => ask({ method: 'GET', path: '/api/gallery/trash?continuationToken=x' }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'GET /api/trail(\\.csv)?',
    status: 400,
    fault: 'before must be `next` of the page before',
    reason: 'a schema does not know which cursors were handed out',
    example: (ask) => ask({ method: 'GET', path: '/api/trail?of=articles&before=7' }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/gallery/batch',
    status: 400,
    fault: 'must be paths as GET /api/gallery/trash lists them',
    reason: 'a schema does not know what is in the trash',
    example: (ask) =>
      ask({ method: 'POST', path: '/api/gallery/batch', json: { action: 'restore', paths: ['a'] } }),
  },
  {
    services: ['content'],
    checks: ['negative_data_rejection'],
    operation: 'POST /api/articles/.*/restore',
    status: 200,
    fault: '[Mm]issing request body',
    reason: 'what is restored as it was needs no body',
    example: async (ask) => {
      const id = await createArticle(ask);
      await ask({ method: 'DELETE', path: `/api/articles/${id}` });
      return ask({ method: 'POST', path: `/api/articles/${id}/restore` });
    },
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'GET /api/articles',
    status: 400,
    fault: '(does not go with|newest or relevance with q|needs q|a search reaches).*\\[\\w+\\]$',
    reason: 'a description of parameters does not say which go together',
    example: (ask) => ask({ method: 'GET', path: '/api/articles?q=words&cursor=' }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'GET /api/.*',
    status: 400,
    fault: '"\\w+" (contains a NUL character|must not be empty)',
    reason: 'a schema does not know which characters are text, and which of them are seen',
    example: (ask) => ask({ method: 'GET', path: '/api/tags?q=%00' }),
  },
  {
    services: ['content'],
    checks: ['allow_header_conformance'],
    operation: '.* /api/(articles/(suggest|links)|imports/pictures)',
    status: 405,
    fault: ' \\[method_not_allowed\\]$',
    reason: 'this path could be that of an article or an import, which has more methods',
    example: (ask) => ask({ method: 'OPTIONS', path: '/api/articles/suggest' }),
  },
  {
    services: ['content'],
    checks: ['unsupported_method'],
    operation: '.* /api/(articles/(suggest|links)|imports/pictures)',
    status: 400,
    fault: '"id" must be a positive integer',
    reason: 'this path could be that of an article or an import, which has more methods',
    example: (ask) => ask({ method: 'DELETE', path: '/api/articles/suggest' }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: WRITES_ARTICLES,
    status: 422,
    fault: '^content: .* \\[too_short\\]$',
    reason: 'the text between the tags has no length that a schema can state',
    example: (ask) =>
      ask({ method: 'POST', path: '/api/articles', json: { ...ARTICLE, content: '<p></p>'.repeat(10) } }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: WRITES_ARTICLES,
    status: 422,
    fault: '^content: .* \\[unsafe_html\\]$',
    reason: 'a schema does not know which HTML is allowed',
    example: (ask) =>
      ask({
        method: 'POST',
        path: '/api/articles',
        json: { ...ARTICLE, content: `${ARTICLE.content}<script>` },
      }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'GET .*',
    status: 400,
    fault: NO_TEXT,
    reason: NO_TEXT_REASON,
    example: (ask) => ask({ method: 'GET', path: '/articles/feed.json?media=%00' }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: '(POST|PUT|PATCH) /api/(articles|authors|categories|drafts|imports|series|tags).*',
    status: 422,
    fault: NO_TEXT,
    reason: NO_TEXT_REASON,
    example: (ask) => ask({ method: 'POST', path: '/api/categories', json: { name: 'a\ud800' } }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: WRITES_ARTICLES,
    status: 422,
    fault: '^extra[\\s\\S]*write another number as text',
    reason: 'the members of extra may be anything, numbers within these limits',
    example: (ask) =>
      ask({ method: 'POST', path: '/api/articles', json: { ...ARTICLE, extra: { a: 1e300 } } }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: '(POST|PUT|PATCH) /api/(articles|authors|categories|drafts|imports|series|tags).*',
    status: 422,
    fault: 'must be one line',
    reason: 'the marks that reverse text are refused by name, which a pattern in a schema could not do',
    example: (ask) => ask({ method: 'POST', path: '/api/categories', json: { name: 'a\u202eb' } }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: '(POST|PUT|PATCH) /api/(articles|authors|categories|drafts|imports|series|tags).*',
    status: 422,
    fault: '^[\\w.]+: .* \\[required\\]$',
    reason: 'text in which there is nothing to see is empty; a schema counts control characters as well',
    example: (ask) => ask({ method: 'POST', path: '/api/categories', json: { name: '\u009f' } }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: WRITES_ARTICLES,
    status: 422,
    fault: '^(category_id|author_id|(tags|authors)\\.\\d+): .* \\[not_found\\]$',
    reason: 'a schema does not know which categories, tags and authors exist',
    example: (ask) =>
      ask({ method: 'POST', path: '/api/articles', json: { ...ARTICLE, category_id: 2_147_483_647 } }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: '(POST|PUT|PATCH) /api/(articles|releases).*',
    status: 422,
    fault:
      '^(publish_at|unpublish_at|release): .* \\[(in_the_past|too_large|wrong_order|conflict|not_found)\\]$',
    reason: 'a schema knows neither what time it is nor which releases exist, nor which members go together',
    example: (ask) =>
      ask({
        method: 'POST',
        path: '/api/articles',
        json: { ...ARTICLE, publish_at: '2020-01-01T00:00:00Z' },
      }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'GET /api/articles',
    status: 400,
    fault: ' \\[invalid_cursor\\]$',
    reason: 'cursors are opaque: only a page of the same list has one for the next',
    example: (ask) => ask({ method: 'GET', path: '/api/articles?cursor=x' }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'GET (/api/articles|/articles/feed\\..*)',
    status: 400,
    fault: '"q" must be text',
    reason: 'a schema does not know which characters are text',
    example: (ask) => ask({ method: 'GET', path: '/api/articles?q=%00' }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'GET (/api/articles(/suggest)?|/articles/feed\\..*)',
    status: 400,
    fault: '"(author|q)" must not be empty \\[invalid_request\\]$',
    reason: 'text of white space alone is empty once it is trimmed',
    example: (ask) => ask({ method: 'GET', path: '/api/articles?author=%20' }),
  },
  {
    services: ['content'],
    checks: ['negative_data_rejection'],
    operation: 'GET (/api/(articles|audit|reviews)|/api/(authors|series|tags)/.*|/articles/feed\\..*)',
    status: 200,
    fault: 'parameter `(article|category_id|responsible)` in query - .*greater than maximum',
    reason: 'ids that nothing can have are read as one that does not exist: nothing is found, as in any list',
    example: (ask) => ask({ method: 'GET', path: '/api/articles?category_id=2147483648' }),
  },
  {
    services: ['content'],
    checks: ['negative_data_rejection'],
    operation: 'GET /api/(authors|series|tags)/by-slug/\\{slug\\}',
    status: 308,
    fault: 'parameter `category_id` in query - .*greater than maximum',
    reason: 'a former slug leads to the current one, whatever else is asked',
    example: async (ask) => {
      const { body } = await ask({ method: 'POST', path: '/api/tags', json: { name: 'Formerly' } });
      const { id, slug } = body.data;
      await ask({ method: 'PATCH', path: `/api/tags/${id}`, json: { slug: `${slug}-now` } });
      return ask({ method: 'GET', path: `/api/tags/by-slug/${slug}?category_id=2147483648` });
    },
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'GET /api/redirects',
    status: 400,
    fault: '"from" (must be a path of the site|must be one line|contains a NUL)',
    reason: 'no pattern of a schema says which addresses a site can have',
    example: (ask) => ask({ method: 'GET', path: '/api/redirects?from=news' }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: '(POST|PATCH) /api/redirects.*',
    status: 422,
    fault: '^(from|to|status): ',
    reason: 'no pattern of a schema says which addresses a site can have, nor which go with which status',
    example: (ask) => ask({ method: 'POST', path: '/api/redirects', json: { from: 'news', to: '/news' } }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'PUT /api/imports/\\{id\\}/parts/\\{number\\}',
    status: 400,
    fault: '(this is none of them|bytes; \\d+ came) \\[invalid_request\\]$',
    reason: 'a schema does not know how large the file is',
    example: async (ask) => {
      const path = `/api/imports/${await createImport(ask)}/parts/1`;
      return ask({ method: 'PUT', path, json: { data: 'AAAA' } });
    },
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'PUT /api/imports/\\{id\\}/parts/\\{number\\}',
    status: 422,
    fault: '^data: must be base64',
    reason: 'generators do not know the encoding that the schema names',
    example: async (ask) => {
      const path = `/api/imports/${await createImport(ask)}/parts/1`;
      return ask({ method: 'PUT', path, json: { data: '#' } });
    },
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: '(GET|PUT|PATCH|DELETE) /api/categories/\\{id\\}',
    status: 400,
    fault: '"id" must be a positive integer',
    reason: 'it is taken from an article that has no category',
    example: (ask) => ask({ method: 'GET', path: '/api/categories/None' }),
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'PUT /api/series/\\{id\\}/articles',
    status: 422,
    fault: '^articles\\.\\d+: (no article has the id|article \\d+ is in series) ',
    reason: 'a schema does not know which articles exist, nor which series they are in',
    example: async (ask) => {
      const { body } = await ask({ method: 'POST', path: '/api/series', json: { name: 'Ordered' } });
      const json = { articles: [2_147_483_647] };
      return ask({ method: 'PUT', path: `/api/series/${body.data.id}/articles`, json });
    },
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'POST /api/(authors|tags)/\\{id\\}/merge',
    status: 422,
    fault:
      '^into: (must be another (author|tag) \\[invalid_value|no (author|tag) has the id \\d+ \\[not_found)\\]$',
    reason: 'a schema does not know which authors and tags exist, nor that nothing is merged into itself',
    example: async (ask) => {
      const { body } = await ask({ method: 'POST', path: '/api/tags', json: { name: 'Merged' } });
      const { id } = body.data;
      return ask({ method: 'POST', path: `/api/tags/${id}/merge`, json: { into: id } });
    },
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'POST /api/articles/\\{id\\}/revisions/\\{revision\\}/restore',
    status: 422,
    fault: '^(tags|authors): some (tags|authors) of this revision no longer exist',
    reason: 'a schema does not know which tags and authors exist',
    example: async (ask) => {
      const { body } = await ask({ method: 'POST', path: '/api/tags', json: { name: 'Gone' } });
      const path = `/api/articles/${await createArticle(ask, { tags: [body.data.slug] })}`;
      await ask({ method: 'PATCH', path, json: { title: 'Without its tag', tags: [] } });
      await ask({ method: 'DELETE', path: `/api/tags/${body.data.id}` });
      return ask({ method: 'POST', path: `${path}/revisions/1/restore`, json: {} });
    },
  },
  {
    services: ['content'],
    checks: ['positive_data_acceptance', 'negative_data_rejection'],
    operation: CHANGES,
    status: 412,
    fault: ' \\[precondition_failed\\]$',
    reason: 'a schema does not know the current entity tag',
    example: async (ask) => {
      const path = `/api/articles/${await createArticle(ask)}`;
      return ask({ method: 'DELETE', path, headers: { 'if-match': '"other"' } });
    },
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'PUT /api/articles/\\{id\\}/review',
    status: 422,
    fault: '^comment: must say what is to be changed \\[required\\]$',
    reason: 'what is sent back takes a comment: a rule between two members',
    example: async (ask) => {
      const path = `/api/articles/${await createArticle(ask)}/review`;
      return ask({ method: 'PUT', path, json: { state: 'returned' } });
    },
  },
  {
    services: ['content'],
    checks: VALID_REFUSED,
    operation: 'POST /api/(articles|categories|drafts)',
    status: 422,
    fault: ' \\[idempotency_key_reused\\]$',
    reason: 'a schema does not know which keys were used',
    example: async (ask) => {
      const headers = { 'idempotency-key': 'examined' };
      await ask({ method: 'POST', path: '/api/articles', json: ARTICLE, headers });
      return ask({ method: 'POST', path: '/api/articles', json: { ...ARTICLE, title: 'Other' }, headers });
    },
  },
  {
    services: ['content'],
    checks: ['ensure_resource_availability'],
    operation: 'GET /api/articles/\\{id\\}',
    status: 404,
    fault: ' \\[not_found\\]$',
    reason: 'a draft is 404 for those who come without a key, and the key of that read is optional',
    example: async (ask) => {
      const id = await createArticle(ask, { is_published: false });
      return ask({ method: 'GET', path: `/api/articles/${id}`, anonymous: true });
    },
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'GET /api/gallery/folder-preview',
    status: 410,
    fault: '',
    reason: 'the operation is described because it is gone: every request is 410',
    example: (ask) => ask({ method: 'GET', path: '/api/gallery/folder-preview' }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'GET /api/gallery',
    status: 400,
    fault: '"(?:foldersOnly|thumbhash)" .*json=1',
    reason: 'OpenAPI has no rule between two parameters',
    example: (ask) => ask({ method: 'GET', path: '/api/gallery?foldersOnly=1' }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'GET /api/gallery',
    status: 400,
    fault: '"continuationToken" ',
    reason: 'a schema does not know which tokens were handed out',
    example: (ask) =>
      ask({ method: 'GET', path: '/api/gallery?json=1&continuationToken=%C3%A8%F1%96%A0%94' }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'GET /api/proxy',
    status: 400,
    fault: '"url" .*(https|password)',
    reason: 'what a URL is cannot be said in a pattern; http is for URLs of the bucket alone',
    example: (ask) => ask({ method: 'GET', path: '/api/proxy?url=https%3A%2F%2F%5B' }),
  },
  {
    services: ['gallery-admin'],
    checks: ['not_a_server_error'],
    operation: 'GET /api/proxy',
    status: 500,
    fault: ' \\[upstream_failed\\]$',
    reason: 'the contract has 500 for what the host of the media does wrong (docs/spec/gallery-admin.md)',
    example: async (ask) => {
      const json = { action: 'sign-get-objects', keys: ['nothing'] };
      const { body } = await ask({ method: 'POST', path: '/api/gallery', json });
      return ask({ method: 'GET', path: `/api/proxy?url=${encodeURIComponent(body.data.nothing)}` });
    },
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: '(POST /api/.*|GET /api/gallery/media)',
    status: 400,
    fault: 'bytes',
    reason: 'the length of a key counts bytes of UTF-8, of a schema characters',
    example: (ask) =>
      ask({
        method: 'POST',
        path: '/api/gallery',
        json: { action: 'sign-get-objects', keys: ['ü'.repeat(600)] },
      }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: '(POST /api/.*|GET /api/gallery/media)',
    status: 400,
    fault: NO_TEXT,
    reason: NO_TEXT_REASON,
    example: (ask) =>
      ask({ method: 'POST', path: '/api/gallery/batch', json: { action: 'delete', paths: ['a\ud800'] } }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/(upload|gallery)/?.*',
    status: 400,
    fault: 'cannot be seen or turns text around',
    reason: 'marks that do not show are refused in new names alone; a schema does not know which are new',
    example: (ask) => ask({ method: 'POST', path: '/api/gallery/folder', json: { path: 'a\u00adb/' } }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/(invitation/accept|me/password)',
    status: 400,
    fault: '^password: must be a password',
    reason: 'a password is refused for being used by many, and its length is that of its composed form',
    example: (ask) => {
      const json = { token: 'nothing', password: '123456789012' };
      return ask({ method: 'POST', path: '/api/invitation/accept', json });
    },
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: '(POST|PUT|PATCH) /api/(people|me|invitation).*',
    status: 400,
    fault: '^((passkey\\.)?name|query): must be one line',
    reason: 'the marks that reverse text are refused by name, which a pattern in a schema could not do',
    example: (ask) => ask({ method: 'PATCH', path: '/api/me', json: { name: 'a\u202eb' } }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/(invitation/accept|me/confirm)',
    status: 400,
    fault: 'must have (either password or passkey|one of password, code and credential)',
    reason: 'two members exclude each other',
    example: (ask) => {
      const json = { token: 'nothing' };
      return ask({ method: 'POST', path: '/api/invitation/accept', json });
    },
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'PATCH /api/me',
    status: 400,
    fault: '^timeZone: must be a time zone',
    reason: 'a pattern does not know which time zones there are',
    example: (ask) => ask({ method: 'PATCH', path: '/api/me', json: { timeZone: 'Nowhere/At_All' } }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: '(POST|GET) /api/gallery/archives.*',
    status: 400,
    fault: '^paths: nothing exists at',
    reason: 'a schema does not know which objects exist',
    example: (ask) => ask({ method: 'POST', path: '/api/gallery/archives', json: { paths: ['nothing'] } }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/upload/multipart',
    status: 400,
    fault: '^parts: .*partNumber',
    reason: 'a schema cannot ask for one member of objects in a list to be unique',
    example: (ask) => {
      const part = { partNumber: 1, etag: 'x' };
      const json = { action: 'complete', uploadId: 'x', key: 'x', parts: [part, part] };
      return ask({ method: 'POST', path: '/api/upload/multipart', json });
    },
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/gallery/batch',
    status: 400,
    fault: '^names: .*only for those in paths',
    reason: 'a schema cannot compare one member with another',
    example: (ask) => {
      const json = { action: 'copy', paths: ['a'], dest: '', names: [{ path: 'b', name: 'c' }] };
      return ask({ method: 'POST', path: '/api/gallery/batch', json });
    },
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/gallery/(batch|rename)',
    status: 400,
    fault: '^[^:]*nothing [^:]* ".*"; nothing was changed',
    reason: 'a schema does not know which objects exist',
    example: (ask) =>
      ask({
        method: 'POST',
        path: '/api/gallery/batch',
        json: { action: 'copy', paths: ['nothing'], dest: '' },
      }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/gallery/batch',
    status: 400,
    fault: '^dest .*photos/2026/',
    reason: 'only a folder that exists may have any name; a schema does not know which exist',
    example: (ask) =>
      ask({
        method: 'POST',
        path: '/api/gallery/batch',
        json: { action: 'copy', paths: ['landscapes/'], dest: 'a//b' },
      }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/gallery/(batch|rename|folder)',
    status: 400,
    fault: ' \\[destination_conflict\\]$',
    reason: 'what is in the way is not to be seen in a schema',
    example: (ask) =>
      ask({
        method: 'POST',
        path: '/api/gallery/batch',
        json: { action: 'copy', paths: ['landscapes/'], dest: '' },
      }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/gallery/batch',
    status: 400,
    fault: '^[^:]*key ".*" .* \\d+ bytes',
    reason: 'the length of a key is that of two members together',
    example: (ask) =>
      ask({
        method: 'POST',
        path: '/api/gallery/batch',
        json: { action: 'copy', paths: ['landscapes/'], dest: 'x/'.repeat(510) },
      }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/settings/buckets',
    status: 400,
    fault: ' \\[bucket_protected\\]$',
    reason: 'a schema does not know where a bucket comes from',
    example: (ask) =>
      ask({ method: 'POST', path: '/api/settings/buckets', json: { action: 'remove', id: 'default' } }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/upload/multipart',
    status: 400,
    fault: '^parts: ',
    reason: 'a schema does not know which parts have arrived',
    example: async (ask) => {
      const path = '/api/upload/multipart';
      const file = { filename: 'a.bin', path: '', contentType: 'image/png', size: 9e7 };
      const { body } = await ask({ method: 'POST', path, json: { action: 'create', ...file } });
      const { uploadId, key } = body.data;
      const json = { action: 'complete', uploadId, key, parts: [{ partNumber: 1, etag: 'x' }] };
      return ask({ method: 'POST', path, json });
    },
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/gallery/(batch|delete|rename)',
    status: 422,
    fault: ' \\[idempotency_key_reused\\]$',
    reason: 'a schema does not know which keys were used',
    example: async (ask) => {
      const of = (path: string): Asked => ({
        method: 'POST',
        path: '/api/gallery/batch',
        json: { action: 'delete', paths: [path] },
        headers: { 'idempotency-key': 'examined' },
      });
      await ask(of('one'));
      return ask(of('another'));
    },
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/settings/buckets',
    status: 400,
    fault: '^bucket\\.(accessKeyId|secretAccessKey): ',
    reason: 'a key may be left out for a bucket that has one stored; a schema does not know which have',
    example: (ask) =>
      ask({
        method: 'POST',
        path: '/api/settings/buckets',
        json: {
          action: 'save',
          bucket: { name: 'examined', region: 'auto', endpoint: 'https://s3.example' },
        },
      }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'POST /api/settings/buckets',
    status: 400,
    fault: '^bucket\\.(endpoint|publicEndpoint): ',
    reason: 'what a URL is cannot be said in a pattern',
    example: (ask) =>
      ask({
        method: 'POST',
        path: '/api/settings/buckets',
        json: { action: 'test', bucket: { name: 'examined', region: 'auto', endpoint: 'https://[' } },
      }),
  },
  {
    services: ['gallery-admin'],
    checks: ['positive_data_acceptance', 'negative_data_rejection'],
    operation: 'PATCH /api/settings',
    status: 412,
    fault: ' \\[precondition_failed\\]$',
    reason: 'a schema does not know the current entity tag',
    example: (ask) =>
      ask({
        ...{
          method: 'PATCH',
          path: '/api/settings',
          json: { mail: null },
          headers: { 'if-match': '"other"' },
        },
      }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: 'PATCH /api/settings',
    status: 400,
    fault: '^publicFolders\\.\\d+: ',
    reason: 'which folders may be public cannot be said in a pattern',
    example: (ask) =>
      ask({ method: 'PATCH', path: '/api/settings', json: { publicFolders: ['../elsewhere/'] } }),
  },
  {
    services: ['gallery-admin'],
    checks: VALID_REFUSED,
    operation: '(PATCH /api/settings|POST /api/settings/mail/test)',
    status: 400,
    fault: '^mail\\.(user|password): ',
    reason: 'a password may be left out where it is kept, and text in which nothing is seen is empty',
    example: (ask) => {
      const mail = { server: 'smtp://mail.example', user: 'examined', from: 'desk@paper.example' };
      return ask({ method: 'PATCH', path: '/api/settings', json: { mail } });
    },
  },
];

/**
 * Returns the faults that an answer names: each of its `errors` as "field: message [code]", else its detail.
 */
function faultsOf({ body }: Answer): string[] {
  const errors: { field: string; message: string; code: string }[] = body?.errors ?? [];
  if (errors.length > 0) return errors.map(({ field, message, code }) => `${field}: ${message} [${code}]`);
  return body?.detail === undefined ? [] : [`${body.detail} [${body.code}]`];
}

/** Tries the example of an exception: undefined when it holds, else what is wrong with it. */
export async function staleness(exception: Exception, ask: Ask): Promise<string | undefined> {
  const answer = await exception.example(ask);
  const faults = faultsOf(answer);
  const told = answer.status < 400 || faults.some((fault) => new RegExp(exception.fault).test(fault));
  if (answer.status === exception.status && told) return undefined;
  const came = `${answer.status} ${faults.join('; ')}`;
  return `its example is answered ${came}, not ${exception.status} ${exception.fault}: take it off the list or mend it`;
}
