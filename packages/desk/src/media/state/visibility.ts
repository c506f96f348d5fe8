import type { ReadonlySignal } from '@preact/signals';
import { signal } from '@preact/signals';
import type { GalleryApi } from '../api/gallery.ts';
import type { Entry } from '../api/types.ts';
import { isInTrash } from '../trash.ts';

/** Public, readable only at the desk, or a folder with both. */
export type Audience = 'public' | 'private' | 'mixed';

/** Files are public if they lie in a public folder. */
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

  /** Nothing in the trash is public. */
  of({ kind, path, publicPath }: Entry): Audience {
    if (kind !== 'folder') return publicPath === undefined ? 'private' : 'public';
    return this.ofFolder(path);
  }

  /** The audience of a file that is put into the folder. */
  ofFolder(path: string): Audience {
    const prefixes = this.#prefixes.value;
    if (isInTrash(path)) return 'private';
    if (prefixes.some((prefix) => path.startsWith(prefix))) return 'public';
    return prefixes.some((prefix) => prefix.startsWith(path)) ? 'mixed' : 'private';
  }

  /** What of a file or folder (with `/` at its end) readers see where it is, but not where it goes. */
  hidden(from: string, to: string): string[] {
    const prefixes = this.#prefixes.value;
    const isPublic = (path: string) => prefixes.some((prefix) => path.startsWith(prefix));
    const seen = isPublic(from)
      ? [from]
      : prefixes.filter((prefix) => from.endsWith('/') && prefix.startsWith(from));
    return seen.filter((path) => !isPublic(`${to}${path.slice(from.length)}`));
  }
}
