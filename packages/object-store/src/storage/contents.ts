import { randomUUIDv7 } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import type { Blobs } from './blobs.ts';

/** A stretch of a blob. */
export interface Segment {
  blob: string;
  /** Offset of the first byte in the blob. */
  start: number;
  /** Bytes. */
  length: number;
}

/**
 * What an object or a part consists of: ranges of blobs, in order. A copy is another list of the same ranges,
 * and a completed upload the list of its parts, so neither copies bytes. A blob is removed with the last
 * content that refers to it, but not while it is being read.
 *
 * The methods that change something are called inside a transaction of the caller.
 */
export class Contents {
  readonly #blobs: Blobs;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #delete: StatementSync;
  readonly #countReferences: StatementSync;
  readonly #readers = new Map<string, number>();
  readonly #unreferenced = new Set<string>();

  constructor(db: DatabaseSync, blobs: Blobs) {
    this.#blobs = blobs;
    this.#insert = db.prepare('INSERT INTO segment VALUES (?, ?, ?, ?, ?)');
    this.#select = db.prepare('SELECT blob, start, length FROM segment WHERE content = ? ORDER BY position');
    this.#delete = db.prepare('DELETE FROM segment WHERE content = ?');
    this.#countReferences = db.prepare(
      'SELECT count(*) AS n FROM (SELECT 1 FROM segment WHERE blob = ? LIMIT 1)',
    );
  }

  /** Makes a content of these segments and returns its id. */
  create(segments: Iterable<Segment>): string {
    const content = randomUUIDv7();
    let position = 0;
    for (const { blob, start, length } of segments) {
      this.#insert.run(content, position, blob, start, length);
      position += 1;
    }
    return content;
  }

  /** The segments with `length` bytes of a content from `start`. */
  segments(content: string, start: number, length: number): Segment[] {
    const found: Segment[] = [];
    let offset = 0;
    for (const row of this.#select.all(content) as unknown as Segment[]) {
      const from = Math.max(start, offset);
      const to = Math.min(start + length, offset + row.length);
      if (from < to) found.push({ blob: row.blob, start: row.start + from - offset, length: to - from });
      offset += row.length;
    }
    return found;
  }

  /** Forgets a content. Its blobs go at the next `reclaim`, those excepted that something else refers to. */
  release(content: string): void {
    const segments = this.#select.all(content) as unknown as Segment[];
    this.#delete.run(content);
    for (const { blob } of segments) this.#unreferenced.add(blob);
  }

  /**
   * Removes the files of released blobs. Called after the transaction that released them. A file that
   * cannot be removed now goes at the next start.
   */
  async reclaim(): Promise<void> {
    const removable = [...this.#unreferenced].filter((blob) => !this.#readers.has(blob));
    for (const blob of removable) this.#unreferenced.delete(blob);
    const orphans = removable.filter((blob) => !this.#isReferenced(blob));
    await Promise.allSettled(orphans.map((blob) => this.#blobs.remove(blob)));
  }

  /** The bytes of these segments. Their blobs stay until the stream is closed, which the caller sees to. */
  read(segments: Segment[]): Readable {
    const release = this.hold(segments);
    return Readable.from(this.#stream(segments), { objectMode: false }).once('close', release);
  }

  /** Keeps the blobs of these segments until the function that it returns is called. */
  hold(segments: Segment[]): () => void {
    for (const { blob } of segments) this.#readers.set(blob, (this.#readers.get(blob) ?? 0) + 1);
    return () => this.#leave(segments);
  }

  async *#stream(segments: Segment[]): AsyncGenerator<Uint8Array> {
    for (const { blob, start, length } of segments) yield* this.#blobs.read(blob, start, length);
  }

  #leave(segments: Segment[]): void {
    for (const { blob } of segments) {
      const readers = (this.#readers.get(blob) ?? 0) - 1;
      if (readers > 0) this.#readers.set(blob, readers);
      else this.#readers.delete(blob);
    }
    void this.reclaim();
  }

  #isReferenced(blob: string): boolean {
    return this.#countReferences.get(blob)?.n !== 0;
  }
}
