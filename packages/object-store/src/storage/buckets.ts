import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CorsRule } from '../cors-rules.ts';
import { S3Error } from '../errors.ts';

/** A bucket. */
export interface Bucket {
  name: string;
  /** ms since 1970. */
  created: number;
}

/** The buckets and their settings. */
export class Buckets {
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #list: StatementSync;
  readonly #delete: StatementSync;
  readonly #hasObjects: StatementSync;
  readonly #setCors: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT INTO bucket (name, created) VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#select = db.prepare('SELECT name, created, cors FROM bucket WHERE name = ?');
    this.#list = db.prepare('SELECT name, created FROM bucket ORDER BY name');
    this.#delete = db.prepare('DELETE FROM bucket WHERE name = ?');
    this.#hasObjects = db.prepare('SELECT 1 FROM object WHERE bucket = ? LIMIT 1');
    this.#setCors = db.prepare('UPDATE bucket SET cors = ? WHERE name = ?');
  }

  /** Creates a bucket; an existing one is left unchanged. */
  create(name: string, now: number): void {
    this.#insert.run(name, now);
  }

  /** All buckets, by name. */
  list(): Bucket[] {
    return this.#list.all() as unknown as Bucket[];
  }

  /** @throws S3Error NoSuchBucket */
  require(name: string): void {
    if (!this.#select.get(name)) throw new S3Error('NoSuchBucket');
  }

  /** @throws S3Error NoSuchBucket, BucketNotEmpty */
  delete(name: string): void {
    this.require(name);
    if (this.#hasObjects.get(name)) throw new S3Error('BucketNotEmpty');
    this.#delete.run(name);
  }

  /** The CORS rules of a bucket; none when it has none, or does not exist. */
  cors(name: string): CorsRule[] {
    const cors = this.#select.get(name)?.cors;
    return typeof cors === 'string' ? (JSON.parse(cors) as CorsRule[]) : [];
  }

  /** Replaces the CORS rules of a bucket; no rules remove them. */
  setCors(name: string, rules: CorsRule[]): void {
    this.#setCors.run(rules.length > 0 ? JSON.stringify(rules) : null, name);
  }
}
