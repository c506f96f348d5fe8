import { type ReadonlySignal, signal } from '@preact/signals';
import { galleryClient } from '@pressroom/client';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

/** Filters of the list under a name. */
export interface SavedFilter {
  readonly id: string;
  readonly name: string;
  /** The query of the list's address. */
  readonly query: string;
  /** True if everybody has it. */
  readonly shared: boolean;
  /** True if it is of whoever is logged in. */
  readonly own: boolean;
}

/** The saved filters, one's own and the shared ones. Every change throws an `ApiProblem`. */
export class SavedFilters {
  readonly #service: Service;
  readonly #all = signal<readonly SavedFilter[]>([]);

  constructor(service: Service) {
    this.#service = service;
  }

  /** The first saved first. */
  get all(): ReadonlySignal<readonly SavedFilter[]> {
    return this.#all;
  }

  async load(): Promise<void> {
    this.#all.value = (await asked(this.#client.get('/api/me/filters'))).data.filters;
  }

  /** Saves one of one's own. */
  async save({ id, name, query, shared }: Omit<SavedFilter, 'own'>): Promise<void> {
    await asked(this.#client.put('/api/me/filters/{id}', { path: { id }, body: { name, query, shared } }));
    await this.load();
  }

  async remove(id: string): Promise<void> {
    await asked(this.#client.delete('/api/me/filters/{id}', { path: { id } }));
    await this.load();
  }

  get #client() {
    return galleryClient(this.#service);
  }
}
