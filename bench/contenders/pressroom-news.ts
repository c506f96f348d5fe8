import type { ServerProcess } from '../child.ts';
import { listerAt, type NewsItem, type NewsLister, type Paged } from './paged.ts';

/** The news feed as other servers are measured. */
export interface PressroomNews extends NewsLister {
  /** The selected set in pages of `limit`. */
  copy: (limit: number) => Paged;
  /** What has changed in the selected set since a cursor, in pages of `limit`. */
  changes: (limit: number, since: string) => Paged;
}

/** A list, in the form of the news feed. */
interface ListAnswer {
  items: NewsItem[];
  page: { nextCursor: string | null };
}

/** A page of the selected set. */
interface CopyAnswer {
  items: NewsItem[];
  nextPage: string | null;
}

/** A page of changes; nothing is removed while the bench runs. */
interface ChangesAnswer {
  changes: { item: NewsItem }[];
  hasMore: boolean;
  cursor: string;
}

/** The requests to a running news feed. */
export function pressroomNews(name: string, process: ServerProcess): PressroomNews {
  const lister = listerAt('/api/v1/items', {
    name,
    process,
    read: (answer) => {
      const { items, page } = answer as ListAnswer;
      return { items, cursor: page.nextCursor ?? undefined };
    },
  });
  return {
    ...lister,
    copy: (limit) => ({
      name,
      process,
      path: (page) => `/api/v1/selected/snapshot?limit=${limit}${page === undefined ? '' : `&page=${page}`}`,
      read: (answer) => {
        const { items, nextPage } = answer as CopyAnswer;
        return { items, cursor: nextPage ?? undefined };
      },
    }),
    changes: (limit, since) => ({
      name,
      process,
      path: (cursor = since) => `/api/v1/selected/changes?limit=${limit}&cursor=${cursor}`,
      read: (answer) => {
        const { changes, hasMore, cursor } = answer as ChangesAnswer;
        return { items: changes.map(({ item }) => item), cursor: hasMore ? cursor : undefined };
      },
    }),
  };
}
