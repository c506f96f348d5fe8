import { randomUUIDv7 } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** One immutable file, named by an id that is independent of its content. */
export interface Blob {
  id: string;
  /** Bytes. */
  size: number;
}

const READ_BUFFER_BYTES = 256 * 1024;

/**
 * The files that hold the bytes of objects and parts. A blob appears in its directory only when it is
 * complete and on disk: it is written under another name, synced, renamed, and the directory is synced.
 */
export class Blobs {
  readonly #incoming: string;
  readonly #directory: string;
  // Undefined on Windows, which syncs no directories.
  readonly #directoryHandle: FileHandle | undefined;

  private constructor(incoming: string, directory: string, handle: FileHandle | undefined) {
    this.#incoming = incoming;
    this.#directory = directory;
    this.#directoryHandle = handle;
  }

  /** Opens the blobs below `dataDir`, and removes files that a killed process left half written. */
  static async open(dataDir: string): Promise<Blobs> {
    const incoming = join(dataDir, 'incoming');
    const directory = join(dataDir, 'blobs');
    await rm(incoming, { recursive: true, force: true });
    await mkdir(incoming, { recursive: true });
    await mkdir(directory, { recursive: true });
    const handle = process.platform === 'win32' ? undefined : await open(directory, 'r');
    return new Blobs(incoming, directory, handle);
  }

  /**
   * Writes all of `source` and returns the blob, which is on disk by then. No bytes: no blob.
   *
   * @throws whatever `source` throws; nothing is left behind then.
   */
  async write(source: AsyncIterable<Uint8Array>): Promise<Blob | undefined> {
    const id = randomUUIDv7();
    const temporary = join(this.#incoming, id);
    try {
      const size = await writeFile(temporary, source);
      if (size === 0) {
        await rm(temporary);
        return undefined;
      }
      await rename(temporary, this.#path(id));
      await this.#directoryHandle?.sync();
      return { id, size };
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** The bytes from `start`, `length` of them. */
  read(id: string, start: number, length: number): Readable {
    const end = start + length - 1;
    return createReadStream(this.#path(id), { start, end, highWaterMark: READ_BUFFER_BYTES });
  }

  /** Removes a blob if it exists. */
  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  /** Removes the blobs that nothing refers to: those whose writer was killed before it could say so. */
  async sweep(isReferenced: (id: string) => boolean): Promise<number> {
    const orphans = (await readdir(this.#directory)).filter((id) => !isReferenced(id));
    for (const id of orphans) await this.remove(id);
    return orphans.length;
  }

  /** Releases the directory. */
  async close(): Promise<void> {
    await this.#directoryHandle?.close();
  }

  #path(id: string): string {
    return join(this.#directory, id);
  }
}

async function writeFile(path: string, source: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx');
  try {
    let size = 0;
    for await (const chunk of source) {
      await writeFully(file, chunk);
      size += chunk.byteLength;
    }
    if (size > 0) await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

async function writeFully(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let offset = 0;
  while (offset < chunk.byteLength) {
    const { bytesWritten } = await file.write(chunk, offset);
    offset += bytesWritten;
  }
}
