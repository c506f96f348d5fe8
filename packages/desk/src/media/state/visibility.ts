import type { ReadonlySignal } from '@preact/signals';
import { signal } from '@preact/signals';
import type { GalleryApi } from '../api/gallery.ts';
import type { Entry } from '../api/types.ts';
import { isInTrash } from '../trash.ts';

/** Who sees something: anybody, nobody without the desk, or the one and the other, in a folder. */
export type Audience = 'public' | 'private' | 'mixed';

/** Which files readers see: those in the public folders. */
export class Visibility {
  readonly #api: GalleryApi;
  readonly #prefixes = signal<readonly string[]>([]);

  constructor(api: GalleryApi) {
    this.#api = api;
  }

  /** The public folders; none as long as they are not known. */
  get prefixes(): ReadonlySignal<readonly string[]> {
    return this.#prefixes;
  }

  async learn(): Promise<void> {
    this.#prefixes.value = await this.#api.publicPrefixes().catch(() => this.#prefixes.peek());
  }

  /** Who sees a file or folder; of the trash, nobody does. */
  of({ kind, path, publicPath }: Entry): Audience {
    if (kind !== 'folder') return publicPath === undefined ? 'private' : 'public';
    return this.ofFolder(path);
  }

  /** Who sees what is put into a folder. */
  ofFolder(path: string): Audience {
    const prefixes = this.#prefixes.value;
    if (isInTrash(path)) return 'private';
    if (prefixes.some((prefix) => path.startsWith(prefix))) return 'public';
    return prefixes.some((prefix) => prefix.startsWith(path)) ? 'mixed' : 'private';
  }
}
