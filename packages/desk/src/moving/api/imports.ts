import { type ContentClient, galleryClient } from '@pressroom/client';
import { deskContentClient } from '../../shared/api/content-client.ts';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

/** A file that is none of what can be imported. */
export class UnknownFormat extends Error {}

export type Format = 'wordpress' | 'ghost' | 'jsonl';

export type Import = Awaited<ReturnType<ImportsApi['read']>>;

export type Entry = Awaited<ReturnType<ImportsApi['entries']>>['entries'][number];

export type Reason = Pick<Entry['reasons'][number], 'code' | 'about'>;

export const OUTCOMES = ['created', 'adapted', 'known', 'refused'] as const;

export type Outcome = (typeof OUTCOMES)[number];

export interface Options {
  author?: string;
  site?: string;
  clean: boolean;
  short: boolean;
  truncate: boolean;
  redirects: boolean;
  exact?: boolean;
  ignore?: string[];
  pictures?: string | null;
}

export const DEFAULTS: Options = { clean: true, short: true, truncate: true, redirects: true };

/** The bytes at the beginning of a file that show what it is. */
const LOOKED_AT = 65_536;

/** Imports, by way of the desk. Every method throws an `ApiProblem`. */
export class ImportsApi {
  /** The address of everything as a file. */
  readonly exportUrl: string;
  readonly #client: ContentClient;
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
    this.#client = deskContentClient(service);
    this.exportUrl = `${service.baseUrl}/api/desk/content/exports/content.jsonl`;
  }

  /** The address at which readers get the pictures of the gallery; null if they see none of its folders. */
  async pictureAddress(): Promise<string | null> {
    const { media } = (await asked(galleryClient(this.#service).get('/api/desk'))).data;
    return media.publicPrefixes.length === 0 ? null : location.origin;
  }

  async list() {
    return (await asked(this.#client.get('/api/imports'))).data;
  }

  async read(id: number) {
    return (await asked(this.#client.get('/api/imports/{id}', { path: { id } }))).data;
  }

  /** Articles of the file after a number, those with one outcome if it is given. */
  async entries(id: number, outcome: Outcome | undefined, cursor: number) {
    const query = { cursor, ...(outcome !== undefined && { outcome }) };
    const { data, meta } = await asked(
      this.#client.get('/api/imports/{id}/entries', { path: { id }, query }),
    );
    return { entries: data, next: meta.next_cursor };
  }

  /** Sends a file in parts, and returns the id of its import; throws an {@link UnknownFormat} too. */
  async upload(file: File, onSent: (bytes: number) => void): Promise<number> {
    const body = { name: file.name.slice(0, 255), format: await formatOf(file), size: file.size };
    const { data: made } = await asked(this.#client.post('/api/imports', { body }));
    const { id, part_size: size } = made;
    for (let number = 1; (number - 1) * size < file.size; number += 1) {
      const data = await base64Of(file.slice((number - 1) * size, number * size));
      const path = { id, number };
      await asked(this.#client.put('/api/imports/{id}/parts/{number}', { path, body: { data } }));
      onSent(Math.min(number * size, file.size));
    }
    return id;
  }

  async check(id: number, body: Options): Promise<void> {
    await asked(this.#client.post('/api/imports/{id}/check', { path: { id }, body }));
  }

  async run(id: number): Promise<void> {
    await asked(this.#client.post('/api/imports/{id}/run', { path: { id } }));
  }

  async undo(id: number): Promise<void> {
    await asked(this.#client.post('/api/imports/{id}/undo', { path: { id } }));
  }

  async remove(id: number): Promise<void> {
    await asked(this.#client.delete('/api/imports/{id}', { path: { id } }));
  }
}

/**
 * Tells a file's format by its beginning: Ghost's is one object with tables, or a list of those.
 *
 * @throws UnknownFormat for a picture, a page or anything else
 */
async function formatOf(file: File): Promise<Format> {
  const text = (await file.slice(0, LOOKED_AT).text()).replace(/^\uFEFF/, '').trimStart();
  if (text.startsWith('<')) return 'wordpress';
  if (!text.startsWith('{')) throw new UnknownFormat();
  return /^\{\s*"(?:db|meta|data)"\s*:\s*[[{]/.test(text) ? 'ghost' : 'jsonl';
}

function base64Of(part: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    // Such as one that was changed since it was chosen.
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(part);
  });
}
