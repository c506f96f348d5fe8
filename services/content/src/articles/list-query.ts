import { type BuildShape, PreparedQueries } from '@pressroom/common/database/prepared-query';
import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';
import type { FilterValues } from './filters.ts';
import type { ListShape } from './list-rows.ts';

/** The values that the queries of a list take; its shape decides which of them it uses. */
export interface ListValues extends FilterValues {
  day: string;
  offset: number;
  limit: number;
  /** The position of a cursor: the time and the id of the last article of the page before. */
  afterTime: Date | null;
  afterId: number;
  /** How many bytes of content an answer may have. */
  bytes: number;
}

/** A query of lists, prepared for those that one index has: every connection keeps what is prepared. */
export class ListQuery<QueryShape extends ListShape, Row> {
  readonly #build: BuildShape<ContentTables, QueryShape, Partial<ListValues>, Row>;
  readonly #prepared: PreparedQueries<ContentTables, QueryShape, Partial<ListValues>, Row>;

  constructor(build: BuildShape<ContentTables, QueryShape, Partial<ListValues>, Row>) {
    this.#build = build;
    this.#prepared = new PreparedQueries(build);
  }

  /** Runs the query for a list of that shape, and returns its rows. */
  async execute(db: Kysely<ContentTables>, shape: QueryShape, values: Partial<ListValues>): Promise<Row[]> {
    if (shape.others === '' && shape.ranges === '' && !shape.isWhole)
      return this.#prepared.of(shape).execute(db, values);
    const { rows } = await db.executeQuery(this.#build(db, shape, (name) => sql`${values[name]}`).compile());
    return rows;
  }
}

/** SQL as what a query is built from. */
export function compilable<Row>(db: Kysely<ContentTables>, text: RawBuilder<Row>): Compilable<Row> {
  return { compile: () => text.compile(db) };
}
