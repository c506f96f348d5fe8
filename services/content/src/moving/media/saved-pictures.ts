import { DiskMap } from '../disk-map.ts';
import type { PictureStore } from './picture-store.ts';

/** Saves the pictures that an export shows from the bucket, each once. */
export class SavedPictures {
  readonly #store: PictureStore;
  readonly #folder: string;
  readonly #keys = new DiskMap<true>();
  #missing = 0;

  constructor(store: PictureStore, folder: string) {
    this.#store = store;
    this.#folder = folder;
  }

  /** How many there are. */
  get saved(): number {
    return this.#keys.size - this.#missing;
  }

  /** Whether all were found. */
  get isWhole(): boolean {
    return this.#missing === 0;
  }

  /** Saves those that a line shows; prints those that the bucket does not have. */
  async save(line: string): Promise<void> {
    for (const key of this.#store.keysIn(line)) {
      if (this.#keys.has(key)) continue;
      this.#keys.add(key, true);
      try {
        await this.#store.save(key, this.#folder);
      } catch (error) {
        this.#missing += 1;
        console.error(`picture ${key}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
}
