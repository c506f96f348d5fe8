import { ApiClient, type ContentClient, type GalleryClient, galleryClient } from '@pressroom/client';
import type { Paths } from '../../news/api/newsroom.ts';
import { deskContentClient } from '../../shared/api/content-client.ts';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

/** The state of the site's services, as gallery-admin describes it. */
export type Condition = Awaited<ReturnType<OperationsApi['read']>>;

/** Failed work that can be tried again. */
export interface Retried {
  readonly kind: 'hook' | 'source' | 'batch';
  readonly id: number | string;
}

/** The state of the site's services and retries of failed work. Every method throws an `ApiProblem`. */
export class OperationsApi {
  readonly #gallery: GalleryClient;
  readonly #content: ContentClient;
  readonly #newsroom: ApiClient<Paths>;

  constructor(service: Service) {
    const { baseUrl, fetch } = service;
    this.#gallery = galleryClient({ baseUrl, fetch });
    this.#content = deskContentClient(service);
    this.#newsroom = new ApiClient<Paths>({ baseUrl: `${baseUrl}/api/desk/newsroom`, fetch });
  }

  async read() {
    return (await asked(this.#gallery.get('/api/desk/operations'))).data;
  }

  /** Tries again what has failed; once more changes nothing. */
  async retry({ kind, id }: Retried): Promise<void> {
    if (kind === 'hook') {
      const body = { is_paused: false };
      await asked(this.#content.patch('/api/hooks/{id}', { path: { id: Number(id) }, body }));
    } else if (kind === 'source') {
      await asked(this.#newsroom.post('/sources/{id}/resume', { path: { id: Number(id) } }));
    } else {
      await asked(this.#gallery.post('/api/gallery/batches/{id}/resume', { path: { id: String(id) } }));
    }
  }
}
