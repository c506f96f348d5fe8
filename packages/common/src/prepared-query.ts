import { type Compilable, type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';

/** Stands in a built query for a value that is given when it runs. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Makes the placeholder of one of the `Values`, to be used where a value would be. */
export type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

/** A query that is built once and run with other values each time: building costs more than sending it. */
export class PreparedQuery<Values extends object, Row> {
  readonly #compiled: CompiledQuery<Row>;

  constructor(build: (value: ValueOf<Values>) => Compilable<Row>) {
    const value: ValueOf<Values> = (name) => sql`${new Placeholder(name)}`;
    this.#compiled = build(value).compile();
  }

  /** Runs the query, in the transaction that `db` is if it is one, and returns its rows. */
  async execute<Tables>(db: Kysely<Tables>, values: Values): Promise<Row[]> {
    const parameters = this.#compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    const { rows } = await db.executeQuery<Row>({ ...this.#compiled, parameters });
    return rows;
  }
}

/** Prepared queries by shape, which is whatever their SQL depends on. The shapes have to be few: each is kept. */
export class PreparedQueries<Values extends object, Row> {
  readonly #known = new Map<string, PreparedQuery<Values, Row>>();

  /** The query of `shape`, built by `build` when it is asked for the first time. */
  of(shape: string, build: (value: ValueOf<Values>) => Compilable<Row>): PreparedQuery<Values, Row> {
    const found = this.#known.get(shape) ?? new PreparedQuery<Values, Row>(build);
    this.#known.set(shape, found);
    return found;
  }
}
