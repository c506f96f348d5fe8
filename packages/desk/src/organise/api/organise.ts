import type { ContentClient } from '@pressroom/client';
import { deskContentClient } from '../../shared/api/content-client.ts';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

export const KINDS = ['categories', 'tags', 'authors'] as const;

export type Kind = (typeof KINDS)[number];

/** A page elsewhere about an author. */
export interface AuthorLink {
  readonly label?: string | undefined;
  readonly url: string;
}

/** A category, tag or author; which of the last members it has depends on its kind. */
export interface Term {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** Published articles. */
  readonly article_count: number;
  readonly description?: string | null | undefined;
  readonly bio?: string | null | undefined;
  readonly picture?: string | null | undefined;
  readonly position?: number | null | undefined;
  readonly links?: readonly AuthorLink[] | undefined;
}

/** Without a slug, it is made from the name, or stays. */
export interface TermInput {
  name: string;
  slug?: string;
  description?: string | null;
  bio?: string | null;
  picture?: string | null;
  links?: AuthorLink[];
}

export interface TermPage {
  readonly terms: readonly Term[];
  readonly total: number;
}

export const PER_PAGE = 100;

/** Categories, tags and authors, by way of the desk. Every method throws an `ApiProblem`. */
export class OrganiseApi {
  readonly #client: ContentClient;

  constructor(service: Service) {
    this.#client = deskContentClient(service);
  }

  /** A page of those with a text in their names; categories come all at once. */
  async list(kind: Kind, text: string, page: number): Promise<TermPage> {
    if (kind === 'categories') {
      const query = { include: 'picture,position' };
      const { data } = await asked(this.#client.get('/api/categories', { query }));
      return { terms: data, total: data.length };
    }
    const query = { page, per_page: PER_PAGE, ...(text !== '' && { q: text }) };
    const { data, meta } =
      kind === 'tags'
        ? await asked(this.#client.get('/api/tags', { query }))
        : await asked(this.#client.get('/api/authors', { query }));
    return { terms: data, total: meta.total };
  }

  async create(kind: Kind, body: TermInput): Promise<void> {
    const options = { body };
    if (kind === 'categories') await asked(this.#client.post('/api/categories', options));
    else if (kind === 'tags') await asked(this.#client.post('/api/tags', options));
    else await asked(this.#client.post('/api/authors', options));
  }

  async change(kind: Kind, id: number, body: Partial<TermInput> & { position?: number }): Promise<void> {
    const options = { path: { id }, body };
    if (kind === 'categories') await asked(this.#client.patch('/api/categories/{id}', options));
    else if (kind === 'tags') await asked(this.#client.patch('/api/tags/{id}', options));
    else await asked(this.#client.patch('/api/authors/{id}', options));
  }

  async remove(kind: Kind, id: number): Promise<void> {
    const options = { path: { id } };
    if (kind === 'categories') await asked(this.#client.delete('/api/categories/{id}', options));
    else if (kind === 'tags') await asked(this.#client.delete('/api/tags/{id}', options));
    else await asked(this.#client.delete('/api/authors/{id}', options));
  }

  /** Gives some articles of one to another; `isComplete` once the first is gone. */
  async merge(
    kind: Exclude<Kind, 'categories'>,
    id: number,
    into: number,
  ): Promise<{ readonly moved: number; readonly isComplete: boolean }> {
    const options = { path: { id }, body: { into } };
    const { data } =
      kind === 'tags'
        ? await asked(this.#client.post('/api/tags/{id}/merge', options))
        : await asked(this.#client.post('/api/authors/{id}/merge', options));
    return { moved: data.moved, isComplete: data.is_complete };
  }
}
