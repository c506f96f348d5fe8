import { DatabaseSync } from 'node:sqlite';

/**
 * Values by key, several each, in a temporary file that goes with the process: what the articles of an export
 * of gigabytes refer to would fill the memory.
 */
export class DiskMap<Value> {
  // A database without a name is such a file; what is in it survives no fault, and so needs no journal.
  readonly #db = new DatabaseSync('');
  readonly #insert;
  readonly #select;
  #size = 0;

  constructor() {
    this.#db.exec(`pragma journal_mode = off; pragma cache_size = -4000;
      create table entry (key text, place integer, value text, primary key (key, place)) without rowid;
      begin`);
    this.#insert = this.#db.prepare('insert into entry values (?, ?, ?)');
    this.#select = this.#db.prepare('select value from entry where key = ? order by place');
  }

  /** How many values there are. */
  get size(): number {
    return this.#size;
  }

  add(key: string, value: Value): void {
    this.#insert.run(key, this.#size, JSON.stringify(value));
    this.#size += 1;
  }

  has(key: string): boolean {
    return this.#select.get(key) !== undefined;
  }

  /** The last value of a key. */
  get(key: string): Value | undefined {
    return this.all(key).at(-1);
  }

  /** The values of a key, in the order in which they were added. */
  all(key: string): Value[] {
    return this.#select.all(key).map(({ value }) => JSON.parse(String(value)));
  }

  /** All values, in the order in which they were added. */
  *values(): Generator<Value> {
    const all = this.#db.prepare('select value from entry order by place');
    for (const { value } of all.iterate()) yield JSON.parse(String(value));
  }
}
