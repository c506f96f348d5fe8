import pg from 'pg';
import type { ServerProcess } from '../server.ts';
import { listerAt, type NewsItem, type NewsLister } from './paged.ts';
import { startPeer, versionOf } from './peer.ts';

/** The items in a table as a developer would make it for the queries of `bench/peers/fastify/server.js`. */
const FILL = `
  create extension pg_trgm;
  create table item (
    id text primary key, title text not null, original_title text, summary text, source text not null,
    url text not null, published_at timestamptz(3) not null, discovered_at timestamptz(3) not null,
    timeline_at timestamptz(3) not null, category text, score double precision, selected boolean not null,
    directions text[] not null, reason text,
    search_text text not null generated always as (
      title || ' ' || coalesce(original_title, '') || ' ' || coalesce(summary, '')) stored);
  insert into item
    select id, title, original_title, summary, source_name, original_url, published_at, discovered_at, timeline_at,
           category, score, selected, directions, reason
    from news.item;
  create index on item (timeline_at, id);
  create index on item (selected, timeline_at, id);
  create index on item using gin (search_text gin_trgm_ops);
  vacuum analyze item;
`;

/** Fastify with Kysely on a database with Pressroom's items, of which it makes its own table. */
export async function startFastify(url: string): Promise<{ process: ServerProcess; list: NewsLister }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // One after the other: `vacuum` cannot be one of several statements.
  for (const statement of FILL.split(/;\n/).filter((text) => text.trim() !== ''))
    await client.query(statement);
  await client.end();
  const process = await startPeer({
    peer: 'fastify',
    command: ['server.js'],
    env: { DATABASE_URL: url },
    ready: '/ready',
  });
  const version = (name: string) => versionOf('fastify', name);
  const name = `Fastify ${version('fastify')}, Kysely ${version('kysely')}`;
  const read = (answer: unknown) => {
    const { items, nextCursor } = answer as { items: NewsItem[]; nextCursor: string | null };
    return { items, cursor: nextCursor };
  };
  const list = listerAt('/items', (path) => ({ name, process, path, read }));
  return { process, list };
}
