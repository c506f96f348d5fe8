import { PreparedQuery, type ValueOf } from '@pressroom/common/database/prepared-query';
import { NamingClient, nameStatement } from '@pressroom/common/fast/named-statements';
import type { NewsTables } from '@pressroom/news-feed/tables';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { openDatabase } from '../database.ts';
import type { Figure } from '../figures/figure.ts';
import { timed } from './ways.ts';

/** What the page of a list takes. */
interface Values {
  after: Date;
  through: Date;
  category: string;
  limit: number;
}

const VALUES: Values = { after: new Date(0), through: new Date(), category: 'research', limit: 51 };

/** The page of a list as the news feed reads it. */
function selectPage(db: Kysely<NewsTables>, value: ValueOf<Values>) {
  return db
    .selectFrom('news.item')
    .select(['id', 'title', 'summary', 'source_name', 'original_url', 'published_at', 'category', 'score'])
    .where(sql<boolean>`in_selected_set`)
    .where('published_at', '>', value('after'))
    .where('published_at', '<=', value('through'))
    .where('category', '=', value('category'))
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(value('limit'));
}

/** A statement: how it is built, and how it is sent, to empty tables, so that only parsing remains. */
export async function measureStatements(): Promise<Figure[]> {
  const db = new Kysely<NewsTables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (own) => new PostgresIntrospector(own),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const built = () => selectPage(db, (name) => sql`${VALUES[name]}`);
  const prepared = new PreparedQuery<NewsTables, Values, unknown>(selectPage);
  await using database = await openDatabase();
  const client = new NamingClient({ connectionString: database.url });
  await client.connect();
  const text = built().compile().sql;
  const [named, values] = [nameStatement(text), built().compile().parameters as unknown[]];
  const figures = await timed(
    {
      file: 'prepared-query.ts',
      instead: 'building each query again',
      trick: () => prepared.execute(db, VALUES),
      plain: () => built().execute(),
      times: 10_000,
    },
    {
      file: 'named-statements.ts',
      instead: 'having PostgreSQL parse each statement again',
      trick: () => client.query(named, values),
      plain: () => client.query(text, values),
      times: 500,
    },
  );
  await client.end();
  return figures;
}
