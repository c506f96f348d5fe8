import { Failure } from '@pressroom/common/failures/failure';
import Assembler from 'stream-json/assembler.js';
import { jsonParser } from 'stream-json/parser.js';
import { MOST_CHARACTERS, textOf } from '../export-file.ts';

/** A row of a table of Ghost. */
export type GhostRow = Readonly<Record<string, unknown>>;

/**
 * Reads the rows of some tables of an export of Ghost as a stream, in the order of the file.
 *
 * @throws Failure for a file that is not one
 */
export async function* ghostRows(
  file: string,
  tables: readonly string[],
): AsyncGenerator<{ table: string; row: GhostRow }> {
  const reader = new RowReader(new Set(tables));
  try {
    for await (const text of textOf(file)) yield* reader.rowsIn(text);
  } catch (error) {
    if (error instanceof Error && /^Parser /.test(error.message))
      throw new Failure('refused', `${file} is not JSON: ${error.message}`);
    throw error;
  }
  if (!reader.isWhole)
    throw new Failure(
      'refused',
      `${file} is not a whole export of Ghost: it has no "data", or ends too early`,
    );
}

class RowReader {
  readonly #tables: ReadonlySet<string>;
  readonly #parse = jsonParser({ packValues: true, streamValues: false });
  /** The names of the open objects' members and arrays; undefined for what is in an array. */
  readonly #path: (string | undefined)[] = [];
  #key: string | undefined;
  #row: Assembler<GhostRow> | undefined;
  #silence = 0;
  #sawData = false;

  constructor(tables: ReadonlySet<string>) {
    this.#tables = tables;
  }

  /** Whether all that was opened is closed, and there was data. */
  get isWhole(): boolean {
    return this.#sawData && this.#path.length === 0;
  }

  /** The rows that end in the next piece of the file. */
  *rowsIn(text: string): Generator<{ table: string; row: GhostRow }> {
    const found = this.#parse(text);
    const tokens = typeof found === 'object' && 'values' in found ? found.values : [];
    this.#silence = tokens.length === 0 ? this.#silence + text.length : 0;
    if (this.#silence > MOST_CHARACTERS)
      throw new Failure('refused', `a text of the export is longer than ${MOST_CHARACTERS} characters`);
    for (const token of tokens) {
      const table = this.#path.at(-1);
      if (this.#row === undefined && token.name === 'startObject' && this.#isWanted(table))
        this.#row = new Assembler<GhostRow>();
      if (this.#row === undefined) {
        this.#follow(token);
        continue;
      }
      this.#row.consume(token);
      if (!this.#row.done) continue;
      const row = this.#row.current;
      this.#row = undefined;
      if (row !== null && table !== undefined) yield { table, row };
    }
  }

  /** Whether a table is read: `data.posts`, in `db[0]` or at the top. */
  #isWanted(table: string | undefined): boolean {
    const [, ...above] = this.#path.filter((name) => name !== undefined).toReversed();
    return table !== undefined && this.#tables.has(table) && /^data(?: db)?$/.test(above.join(' '));
  }

  #follow({ name, value }: { name: string; value?: unknown }): void {
    if (name === 'keyValue') {
      this.#key = String(value);
      if (this.#key === 'data') this.#sawData = true;
    } else if (name === 'startObject' || name === 'startArray') {
      this.#path.push(this.#key);
      this.#key = undefined;
    } else if (name === 'endObject' || name === 'endArray') {
      this.#path.pop();
      this.#key = undefined;
    } else {
      this.#key = undefined;
    }
  }
}
