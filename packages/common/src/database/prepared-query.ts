import { type Compilable, type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import { nameStatement } from '../fast/named-statements.ts';

/** Stands in a built query for a value that is given when it runs. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Makes the placeholder of one of the `Values`, to be used where a value would be. */
export type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

/** Builds a query with placeholders where its values will be. */
export type Build<Tables, Values extends object, Row> = (
  db: Kysely<Tables>,
  value: ValueOf<Values>,
) => Compilable<Row>;

/**
 * A query that is built once and run with other values each time: building costs more than sending it. PostgreSQL parses
 * it once, too; see {@link nameStatement} for what that asks of it.
 */
export class PreparedQuery<Tables, Values extends object, Row> {
  readonly #build: Build<Tables, Values, Row>;
  #compiled: CompiledQuery<Row> | undefined;

  constructor(build: Build<Tables, Values, Row>) {
    this.#build = build;
  }

  /** Runs the query, in the transaction that `db` is if it is one, and returns its rows. */
  async execute(db: Kysely<Tables>, values: Values): Promise<Row[]> {
    this.#compiled ??= this.#compile(db);
    const parameters = this.#compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    const { rows } = await db.executeQuery<Row>({ ...this.#compiled, parameters });
    return rows;
  }

  #compile(db: Kysely<Tables>): CompiledQuery<Row> {
    const value: ValueOf<Values> = (name) => sql`${new Placeholder(name)}`;
    const compiled = this.#build(db, value).compile();
    return { ...compiled, sql: nameStatement(compiled.sql) };
  }
}

/** Prepared queries by shape, which is whatever their SQL depends on. The shapes have to be few: each is kept. */
export class PreparedQueries<Tables, Values extends object, Row> {
  readonly #known = new Map<string, PreparedQuery<Tables, Values, Row>>();

  /** The query of `shape`, built by `build` when it is asked for the first time. */
  of(shape: string, build: Build<Tables, Values, Row>): PreparedQuery<Tables, Values, Row> {
    const found = this.#known.get(shape) ?? new PreparedQuery(build);
    this.#known.set(shape, found);
    return found;
  }
}
