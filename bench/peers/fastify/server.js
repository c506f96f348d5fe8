// The items of the last days with a cursor and a search, as the documentations of Fastify and Kysely show routes,
// schemas and queries. Its table is made in bench/contenders/fastify.ts.
import Fastify from 'fastify';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';

const { PORT, DATABASE_URL } = process.env;

const db = new Kysely({
  dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: DATABASE_URL, max: 10 }) }),
});

const WINDOW_MS = { '24h': 24 * 3_600_000, '7d': 7 * 24 * 3_600_000 };

const text = { type: 'string', nullable: true };
const time = { type: 'string', format: 'date-time' };

const schema = {
  querystring: {
    type: 'object',
    additionalProperties: false,
    properties: {
      mode: { type: 'string', enum: ['selected', 'all'], default: 'selected' },
      window: { type: 'string', enum: ['24h', '7d'], default: '7d' },
      category: { type: 'string' },
      direction: { type: 'string' },
      q: { type: 'string', minLength: 2, maxLength: 200 },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
      cursor: { type: 'string' },
    },
  },
  response: {
    200: {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: 'string' },
              title: { type: 'string' },
              originalTitle: text,
              summary: text,
              source: { type: 'string' },
              url: { type: 'string' },
              publishedAt: time,
              discoveredAt: time,
              category: text,
              score: { type: 'number', nullable: true },
              selected: { type: 'boolean' },
              directions: { type: 'array', items: { type: 'string' } },
              reason: text,
            },
          },
        },
        nextCursor: text,
      },
    },
  },
};

const fastify = Fastify({ logger: true });

fastify.get('/ready', async () => ({}));

fastify.get('/items', { schema }, async (request) => {
  const { mode, window, category, direction, q = '', limit, cursor } = request.query;
  let query = db
    .selectFrom('item')
    .select([
      'id',
      'title',
      'original_title as originalTitle',
      'summary',
      'source',
      'url',
      'category',
      'score',
    ])
    .select([
      'published_at as publishedAt',
      'discovered_at as discoveredAt',
      'selected',
      'directions',
      'reason',
    ])
    .select('timeline_at')
    .where('timeline_at', '>', new Date(Date.now() - WINDOW_MS[window]))
    .orderBy('timeline_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (mode === 'selected') query = query.where('selected', '=', true);
  if (category !== undefined) query = query.where('category', '=', category);
  if (direction !== undefined) query = query.where(sql`${direction} = any(directions)`);
  for (const word of q.split(/\s+/).filter((part) => part !== '')) {
    query = query.where('search_text', 'ilike', `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  }
  if (cursor !== undefined) {
    const [at, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('timeline_at', 'id'), '<', tuple(at, id)));
  }
  const rows = await query.execute();
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const position = JSON.stringify([last?.timeline_at, last?.id]);
  return {
    items,
    nextCursor: rows.length > limit ? Buffer.from(position).toString('base64url') : null,
  };
});

await fastify.listen({ port: Number(PORT), host: '127.0.0.1' });
