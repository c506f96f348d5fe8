import type { GalleryApi } from '../api/gallery.ts';
import type { Entry } from '../api/types.ts';

/** Everything below a folder, page by page: each folder's own entries before those of its folders. */
export async function* walk(
  api: Pick<GalleryApi, 'list'>,
  folder: string,
  stop: AbortSignal,
): AsyncGenerator<readonly Entry[], void> {
  const waiting = [folder];
  for (let under = waiting.shift(); under !== undefined; under = waiting.shift()) {
    let token: string | undefined;
    do {
      stop.throwIfAborted();
      const { entries, next } = await api.list(under, token, stop);
      waiting.push(...entries.filter(({ kind }) => kind === 'folder').map(({ path }) => path));
      token = next ?? undefined;
      yield entries;
    } while (token !== undefined);
  }
}
