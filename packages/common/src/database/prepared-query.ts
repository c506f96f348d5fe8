import { type Compilable, type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import { nameStatement } from '../fast/named-statements.ts';

/** Placeholder in a built query for a value supplied at run time. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Makes the placeholder for one of the `Values`, used in place of the value. */
export type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

/** Builds a query with placeholders for its values. */
export type Build<Tables, Values extends object, Row> = (
  db: Kysely<Tables>,
  value: ValueOf<Values>,
) => Compilable<Row>;

/**
 * A query that is built once and run with different values each time, because building it costs more than
 * sending it. PostgreSQL also parses it only once; see {@link nameStatement} for the conditions.
 */
export class PreparedQuery<Tables, Values extends object, Row> {
  readonly #build: Build<Tables, Values, Row>;
  #compiled: CompiledQuery<Row> | undefined;

  constructor(build: Build<Tables, Values, Row>) {
    this.#build = build;
  }

  /** Runs the query, inside the transaction if `db` is one, and returns its rows. */
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

/** What the SQL of a query depends on, besides its values: a few members with a few possible values each. */
export type Shape = Readonly<Record<string, string | number | boolean>>;

/**
 * Builds the query for a shape. It is defined at module level and captures nothing: everything its SQL
 * depends on is in `shape`, whose members are the key of the prepared query.
 */
export type BuildShape<Tables, QueryShape extends Shape, Values extends object, Row> = (
  db: Kysely<Tables>,
  shape: QueryShape,
  value: ValueOf<Values>,
) => Compilable<Row>;

/** Prepared queries that differ by shape. There must be few shapes, because all of them are kept. */
export class PreparedQueries<Tables, QueryShape extends Shape, Values extends object, Row> {
  readonly #build: BuildShape<Tables, QueryShape, Values, Row>;
  readonly #known = new Map<string, PreparedQuery<Tables, Values, Row>>();

  constructor(build: BuildShape<Tables, QueryShape, Values, Row>) {
    this.#build = build;
  }

  /** The query for `shape`, built on first use. */
  of(shape: QueryShape): PreparedQuery<Tables, Values, Row> {
    const key = JSON.stringify(shape);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // A copy, so that the query matches its key even if the object changes later.
    const own = { ...shape };
    const query = new PreparedQuery<Tables, Values, Row>((db, value) => this.#build(db, own, value));
    this.#known.set(key, query);
    return query;
  }
}

/** The most texts that {@link PreparedTexts} prepares: each connection keeps them all. */
const MOST_TEXTS = 50;

/**
 * Statements that are built anew each time, because what they set differs, and are still parsed once per
 * connection: the first {@link MOST_TEXTS} texts of them. Later ones are parsed each time, so whoever sends
 * many different ones first only makes writes slower, until the next start.
 */
export class PreparedTexts {
  readonly #named = new Map<string, string>();

  /** Runs a query, inside the transaction if `db` is one, and returns its rows. */
  async execute<Tables, Row>(db: Kysely<Tables>, query: Compilable<Row>): Promise<Row[]> {
    const compiled = query.compile();
    const { rows } = await db.executeQuery<Row>({ ...compiled, sql: this.#name(compiled.sql) });
    return rows;
  }

  #name(text: string): string {
    const known = this.#named.get(text);
    if (known !== undefined) return known;
    if (this.#named.size === MOST_TEXTS) return text;
    const named = nameStatement(text);
    this.#named.set(text, named);
    return named;
  }
}
