import type { ServerProcess } from '../server.ts';
import { listerAt, type NewsItem, type NewsPage, type Paged } from './paged.ts';

/** The news feed as other servers are measured. */
export type PressroomNews = ReturnType<typeof pressroomNews>;

/** The members read of an answer of the news feed; nothing is removed while the bench runs. */
interface Answer {
  items: NewsItem[];
  page: { nextCursor: string | null };
  nextPage: string | null;
  changes: { item: NewsItem }[];
  hasMore: boolean;
  cursor: string;
}

/** The requests to a running news feed. */
export function pressroomNews(name: string, process: ServerProcess) {
  const selected = '/api/v1/selected';
  const paged = (path: Paged['path'], pageOf: (answer: Answer) => NewsPage): Paged => {
    return { name, process, path, read: (answer) => pageOf(answer as Answer) };
  };
  return {
    process,
    list: listerAt('/api/v1/items', (path) =>
      paged(path, ({ items, page }) => ({ items, cursor: page.nextCursor })),
    ),
    /** The selected set in pages of `limit`. */
    copy: (limit: number) =>
      paged(
        (page) => `${selected}/snapshot?limit=${limit}${page === undefined ? '' : `&page=${page}`}`,
        ({ items, nextPage }) => ({ items, cursor: nextPage }),
      ),
    /** Returns the changes in the selected set since a cursor, in pages of `limit`. */
    changes: (limit: number, since: string) =>
      paged(
        (cursor = since) => `${selected}/changes?limit=${limit}&cursor=${cursor}`,
        ({ changes, hasMore, cursor }) => {
          return { items: changes.map(({ item }) => item), cursor: hasMore ? cursor : null };
        },
      ),
  };
}
