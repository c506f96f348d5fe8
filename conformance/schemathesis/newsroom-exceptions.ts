import type { Ask, Exception } from './exceptions.ts';

const VALID_REFUSED = ['positive_data_acceptance'];

/** The path of the first item, or of the first story, that the newsroom lists. */
async function first(ask: Ask, kind: 'items' | 'stories'): Promise<string> {
  const { body } = await ask({ method: 'GET', path: `/api/${kind}?limit=1` });
  const [{ id, publicId = id }] = body[kind];
  return `/api/${kind}/${publicId}`;
}

/** The exceptions of the newsroom's editing API. */
export const NEWSROOM_EXCEPTIONS: readonly Exception[] = [
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: 'GET /api/items',
    status: 400,
    fault: 'must be at most 31 days ago',
    reason: 'OpenAPI has no rule between two parameters, nor one of today',
    example: (ask) => ask({ method: 'GET', path: '/api/items?order=score&from=2000-01-01' }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: 'GET /api/(items|stories)',
    status: 400,
    fault: ' \\[invalid_cursor\\]$',
    reason: 'a schema does not know which cursors were handed out',
    example: (ask) => ask({ method: 'GET', path: '/api/items?cursor=x' }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: 'GET /api/(items|stories)',
    status: 400,
    fault: '"q" needs a word',
    reason: 'a schema does not know which letters make a word that can be found',
    example: (ask) => ask({ method: 'GET', path: '/api/items?q=ab' }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: '(GET|POST) /api/reports/\\{period\\}/(preview|publish|correct)',
    status: 400,
    fault: 'has the date of ',
    reason: 'a schema does not know which days a week or a month ends on',
    example: (ask) => ask({ method: 'GET', path: '/api/reports/weekly/preview?date=2000-01-01' }),
  },
  {
    services: ['newsroom'],
    checks: ['negative_data_rejection'],
    operation: 'POST /api/(items/\\{id\\}/select|reports/\\{period\\}/(publish|correct))',
    status: 200,
    fault: '[Mm]issing request body',
    reason: 'what the path says alone needs no body',
    example: async (ask) => ask({ method: 'POST', path: `${await first(ask, 'items')}/select` }),
  },
  {
    services: ['newsroom'],
    checks: ['allow_header_conformance'],
    operation: '.* /api/sources/try',
    status: 405,
    fault: ' \\[method_not_allowed\\]$',
    reason: 'this path could be that of a source, which has more methods',
    example: (ask) => ask({ method: 'OPTIONS', path: '/api/sources/try' }),
  },
  {
    services: ['newsroom'],
    checks: ['unsupported_method'],
    operation: '.* /api/sources/try',
    status: 400,
    fault: '"id" must be a positive integer',
    reason: 'this path could be that of a source, which has more methods',
    example: (ask) => ask({ method: 'DELETE', path: '/api/sources/try' }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: '(POST /api/items|PATCH /api/items/\\{id\\})',
    status: 422,
    fault: '^(language|image\\.url|links\\.original|publishedAt|discoveredAt): .* \\[invalid\\]$',
    reason: 'a pattern says neither what a language or a public address is, nor which times are after 1970',
    example: async (ask) =>
      ask({ method: 'PATCH', path: await first(ask, 'items'), json: { language: 'no language' } }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: '(POST /api/sources(/try|/\\{id\\}/rules/try)?|PATCH /api/sources/\\{id\\})',
    status: 422,
    fault:
      '^(url|name|category|directions|weight|select|rules(\\.\\d+)?|page|textSelector|proxy): .* \\[invalid\\]$',
    reason: 'a schema knows neither addresses, rules and selectors nor what the site calls things',
    example: (ask) => ask({ method: 'POST', path: '/api/sources/try', json: { url: 'no address' } }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: '(POST|PUT|PATCH) .*',
    status: 422,
    fault: 'NUL character',
    reason: 'JSON can write characters that no text has; a schema cannot exclude half a surrogate pair',
    example: async (ask) =>
      ask({ method: 'PATCH', path: await first(ask, 'items'), json: { title: 'half \ud800' } }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: '(POST|PATCH) /api/sources.*',
    status: 422,
    fault: '^(title|name): must be one line',
    reason: 'the marks that reverse text are refused by name, which a pattern in a schema could not do',
    example: (ask) =>
      ask({ method: 'POST', path: '/api/sources', json: { url: 'https://e.example', title: 'a\u202eb' } }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: 'GET /api/.*',
    status: 400,
    fault: '"\\w+" must be text',
    reason: 'a schema does not know which characters are text',
    example: (ask) => ask({ method: 'GET', path: '/api/items?q=%00' }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: '(POST|PUT|PATCH) /api/(items|stories|sources).*',
    status: 422,
    fault: '^[\\w.]+: must not be empty \\[required\\]$',
    reason: 'text in which there is nothing to see is empty; a schema counts control characters as well',
    example: async (ask) =>
      ask({ method: 'PATCH', path: await first(ask, 'items'), json: { title: '\u0006' } }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: 'PATCH /api/sources/\\{id\\}',
    status: 422,
    fault: '^(timeZone|headers|basicAuth)[.\\w]*: ',
    reason: 'a schema knows neither time zones nor which secrets are kept, and compares whole headers',
    example: async (ask) => {
      const { body } = await ask({ method: 'GET', path: '/api/sources' });
      const path = `/api/sources/${body.sources[0].id}`;
      return ask({ method: 'PATCH', path, json: { timeZone: 'Nowhere' } });
    },
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: 'GET /api/(items|stories)',
    status: 400,
    fault: '"category" must be one of',
    reason: 'owners change the categories while the service runs; its description says what names they have',
    example: (ask) => ask({ method: 'GET', path: '/api/items?category=none' }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: '(POST /api/items|PATCH /api/items/\\{id\\})',
    status: 422,
    fault: '^category: must be one of',
    reason: 'owners change the categories while the service runs; its description says what names they have',
    example: async (ask) =>
      ask({ method: 'PATCH', path: await first(ask, 'items'), json: { category: 'none' } }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: 'PATCH /api/settings',
    status: 422,
    fault: '^categories[.\\w]*: ',
    reason: 'a schema compares whole categories, and knows neither lines nor words',
    example: (ask) =>
      ask({
        method: 'PATCH',
        path: '/api/settings',
        json: { categories: ['A', 'B'].map((label) => ({ name: 'a', label })) },
      }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: 'PATCH /api/settings',
    status: 422,
    fault: '^reportZone: must be a time zone',
    reason: 'a schema does not know the names of time zones',
    example: (ask) => ask({ method: 'PATCH', path: '/api/settings', json: { reportZone: 'Nowhere' } }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: 'POST /api/sources/try',
    status: 422,
    fault: '^url: .* \\[source_\\w+\\]$',
    reason: 'a schema does not know what answers at an address',
    example: (ask) =>
      ask({ method: 'POST', path: '/api/sources/try', json: { url: 'http://127.0.0.1/feed.xml' } }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: 'POST /api/opml',
    status: 422,
    fault: 'the file is not OPML',
    reason: 'a schema does not know what OPML is',
    example: (ask) => ask({ method: 'POST', path: '/api/opml', json: { opml: 'no OPML' } }),
  },
  {
    services: ['newsroom'],
    checks: VALID_REFUSED,
    operation: 'POST /api/stories/\\{id\\}/split',
    status: 400,
    fault: '(not a report of story|has to keep a report)',
    reason: 'a schema does not know which reports a story has',
    example: async (ask) =>
      ask({ method: 'POST', path: `${await first(ask, 'stories')}/split`, json: { items: ['none'] } }),
  },
  {
    services: ['newsroom'],
    checks: ['positive_data_acceptance', 'negative_data_rejection'],
    operation: '(POST|PUT|PATCH) /api/((items|stories|sources|reports)/.*|settings)',
    status: 412,
    fault: ' \\[precondition_failed\\]$',
    reason: 'a schema does not know the current entity tag',
    example: async (ask) =>
      ask({
        method: 'PUT',
        path: `${await first(ask, 'stories')}/digest`,
        json: { digest: 'Examined' },
        headers: { 'if-match': '"other"' },
      }),
  },
];
