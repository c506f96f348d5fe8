import { ApiClient, type ContentClient, type GalleryClient, galleryClient } from '@pressroom/client';
import type { Paths } from '../../news/api/newsroom.ts';
import { reportAfter } from '../../news/state/report-dates.ts';
import { deskContentClient } from '../../shared/api/content-client.ts';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

/** The number of rows in each block. */
export const SHOWN = 6;

/** A site's name before anybody has named it (the default of `SITE_NAME`). */
const UNNAMED = 'Pressroom';

/** A service that is away is said at once: the others are shown all the same. */
const ONCE = { attempts: 1, patience: 5000 };

export interface Draft {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly state: 'draft' | 'submitted' | 'returned' | 'approved' | 'scheduled';
  /** When it was saved, or is published. */
  readonly at: string;
}

/** The first of a list. */
export interface Some<One> {
  readonly some: readonly One[];
  readonly hasMore: boolean;
}

/** A planned publication or withdrawal. */
export interface Planned {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  /** True if readers see it now, so that the plan withdraws it. */
  readonly isPublished: boolean;
  readonly at: string;
}

interface FailingSource {
  readonly id: number;
  readonly name: string;
  readonly failingSince: string | null;
}

export interface NextReport {
  /** The number of items so far. */
  readonly items: number;
  readonly lead: string | null;
  readonly at: string;
}

export interface NewsNow {
  readonly sources: number;
  readonly failing: Some<FailingSource>;
  readonly report: NextReport | undefined;
}

/** Stopped work that needs a person. */
export interface Stopped {
  /** The number of batches that stopped halfway. */
  readonly batches: number;
  /** Where the hooks go that are paused. */
  readonly hooks: readonly string[];
  readonly isBackupLate: boolean;
}

/** The start page's requests to each service. Every method throws an `ApiProblem`. */
export class HomeApi {
  readonly #content: ContentClient;
  readonly #newsroom: ApiClient<Paths>;
  readonly #gallery: GalleryClient;

  constructor(service: Service) {
    const { baseUrl, fetch } = service;
    this.#content = deskContentClient(service, ONCE);
    this.#newsroom = new ApiClient<Paths>({ baseUrl: `${baseUrl}/api/desk/newsroom`, fetch, retry: ONCE });
    this.#gallery = galleryClient({ baseUrl, fetch, retry: ONCE });
  }

  /** The name of the site, and whether it is still that of the software. */
  async site(): Promise<{ readonly name: string | null; readonly isUnnamed: boolean }> {
    const { siteName: name } = (await asked(this.#gallery.get('/api/desk'))).data;
    return { name, isUnnamed: name === UNNAMED };
  }

  async articleCount(): Promise<number> {
    const query = { status: 'all', fields: 'id', per_page: 1 } as const;
    return (await asked(this.#content.get('/api/articles', { query }))).meta.total;
  }

  /** Drafts, the last changed first: those of an author, or of a state of review. */
  async drafts(
    only: { responsible?: number; review?: 'submitted' | 'approved' },
    count: number,
  ): Promise<Some<Draft>> {
    const query = {
      ...({ status: 'draft', sort: 'updated', per_page: count, include: 'schedule,review' } as const),
      ...{ fields: 'title,author,updated_at', ...only },
    };
    const { data, meta } = await asked(this.#content.get('/api/articles', { query }));
    const some = data.map(({ id, title = '', author = '', updated_at: saved = '', schedule, review }) => {
      const due = schedule?.publish_at ?? undefined;
      const state: Draft['state'] = due === undefined ? (review?.state ?? 'draft') : 'scheduled';
      return { id, title, author, state, at: due ?? saved };
    });
    return { some, hasMore: meta.total > some.length };
  }

  /** Planned publications and withdrawals, the next first. */
  async planned(): Promise<readonly Planned[]> {
    const { data } = await asked(this.#content.get('/api/schedule', { query: { per_page: SHOWN } }));
    return data.map(({ id, title, author, is_published: isPublished, due_at: at }) => ({
      ...{ id, title, author, isPublished, at },
    }));
  }

  async news(): Promise<NewsNow> {
    const query = { state: 'failing', limit: SHOWN } as const;
    const { sources } = await asked(this.#newsroom.get('/status'));
    const [failing, report] = await Promise.all([
      sources.failing === 0
        ? []
        : asked(this.#newsroom.get('/sources', { query })).then((found) => found.sources),
      sources.active === 0 ? undefined : this.#nextReport(),
    ]);
    return {
      sources: sources.active + sources.paused + sources.gone,
      failing: { some: failing, hasMore: sources.failing > failing.length },
      report,
    };
  }

  async #nextReport(): Promise<NextReport> {
    const preview = (date?: string) =>
      asked(this.#newsroom.get('/reports/{period}/preview', { path: { period: 'daily' }, query: { date } }));
    const due = await preview();
    // After one that was published early, the next is that of the day after.
    const { report, windowEnd: at } =
      due.publishedAt === null ? due : await preview(reportAfter('daily', due.date, 1));
    const items = [
      ...(report?.sections.flatMap((section) => section.items) ?? []),
      ...(report?.flashes ?? []),
    ];
    return { items: items.length, lead: report?.lead?.title ?? null, at };
  }

  async hasMedia(): Promise<boolean> {
    const { data } = await asked(this.#gallery.get('/api/gallery'));
    return 'files' in data && data.folders.length + data.files.length > 0;
  }

  /** Stopped work, for owners. */
  async stopped(): Promise<Stopped> {
    const { backups, content, files } = (await asked(this.#gallery.get('/api/desk/operations'))).data;
    const hooks = content.hooks.filter(({ state }) => state === 'paused' || state === 'gave_up');
    return {
      batches: files.stopped.length,
      hooks: hooks.map(({ host }) => host),
      isBackupLate: backups.state === 'late' || backups.state === 'failing',
    };
  }

  /** The same for those who may not see the operations. */
  async stoppedBatches(): Promise<Stopped> {
    const { data } = await asked(this.#gallery.get('/api/gallery/batches'));
    const batches = data.filter(({ state }) => state === 'failed' || state === 'interrupted').length;
    return { batches, hooks: [], isBackupLate: false };
  }
}
