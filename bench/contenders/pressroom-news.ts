import type { ServerProcess } from '../server.ts';
import { listerAt, type NewsItem, type NewsLister, type Paged } from './paged.ts';

/** The news feed as other servers are measured. */
export interface PressroomNews {
  process: ServerProcess;
  list: NewsLister;
  /** The selected set in pages of `limit`. */
  copy: (limit: number) => Paged;
  /** What has changed in the selected set since a cursor, in pages of `limit`. */
  changes: (limit: number, since: string) => Paged;
}

/** What is read of an answer of the news feed; nothing is removed while the bench runs. */
interface Answer {
  items: NewsItem[];
  page: { nextCursor: string | null };
  nextPage: string | null;
  changes: { item: NewsItem }[];
  hasMore: boolean;
  cursor: string;
}

/** The requests to a running news feed. */
export function pressroomNews(name: string, process: ServerProcess): PressroomNews {
  const selected = '/api/v1/selected';
  return {
    process,
    list: listerAt('/api/v1/items', {
      name,
      process,
      read: (answer) => {
        const { items, page } = answer as Answer;
        return { items, cursor: page.nextCursor ?? undefined };
      },
    }),
    copy: (limit) => ({
      name,
      process,
      path: (page) => `${selected}/snapshot?limit=${limit}${page === undefined ? '' : `&page=${page}`}`,
      read: (answer) => {
        const { items, nextPage } = answer as Answer;
        return { items, cursor: nextPage ?? undefined };
      },
    }),
    changes: (limit, since) => ({
      name,
      process,
      path: (cursor = since) => `${selected}/changes?limit=${limit}&cursor=${cursor}`,
      read: (answer) => {
        const { changes, hasMore, cursor } = answer as Answer;
        return { items: changes.map(({ item }) => item), cursor: hasMore ? cursor : undefined };
      },
    }),
  };
}
