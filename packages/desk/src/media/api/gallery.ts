import { type ReadonlySignal, signal } from '@preact/signals';
import { type ApiClient, type GalleryClient, galleryClient } from '@pressroom/client';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';
import type { Step } from '../state/steps.ts';
import { TRASH } from '../trash.ts';
import type { BatchState, BucketForm, BucketView, Entry, EntryPage, Uses } from './types.ts';

type GalleryPaths = GalleryClient extends ApiClient<infer Paths> ? Paths : never;

/** The names of files that may be pictures. */
const PICTURES = /\.(?:jpe?g|png|gif|webp|avif|hei[cf]|svg|tiff?|bmp)$/i;

/** The most paths of one look-up. */
const LOOKED_UP = 1000;

const NOT_KNOWN = { data: { canChange: false, hasMore: false, articles: [] } };

/** An upload request that Uppy wants to send, signed. */
export interface SignedRequest {
  readonly url: string;
  readonly key: string;
  readonly headers: Record<string, string>;
}

type BodyOf<Path extends keyof GalleryPaths> = GalleryPaths[Path] extends {
  post: { requestBody?: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

/** An upload request that Uppy wants to send. */
export type UploadRequest = BodyOf<'/api/upload/sign'>;

/** The gallery's API in the page's own words. Every method throws an `ApiProblem`. */
export class GalleryApi {
  readonly #client: GalleryClient;
  readonly #service: Service;
  /** The address of the bucket's objects, once a listing has shown it. */
  #objects = '';
  readonly #store: string;
  readonly #isElsewhere = signal(false);

  /**
   * @param store the origin that the document's policy allows for the bucket
   */
  constructor(service: Service, store: string) {
    this.#store = store;
    this.#client = galleryClient(service);
    this.#service = service;
  }

  /** True once a listing came from a store that this document may not read: the active bucket has changed. */
  get isElsewhere(): ReadonlySignal<boolean> {
    return this.#isElsewhere;
  }

  /** The folders whose files anybody may read. */
  async publicPrefixes(): Promise<readonly string[]> {
    return (await asked(this.#client.get('/api/desk'))).data.media.publicPrefixes;
  }

  async list(path: string, continuationToken?: string, signal?: AbortSignal): Promise<EntryPage> {
    if (path === TRASH) return this.#trash(continuationToken, signal);
    const data = await this.#page({ path, continuationToken, thumbhash: '1' }, signal);
    const [first] = data.files;
    if (first !== undefined) {
      this.#objects = addressOf(first.url, first.path);
      this.#isElsewhere.value = new URL(first.url).origin !== this.#store;
    }
    return {
      entries: [...data.folders.map(folderEntry), ...data.files.map(fileEntry)],
      next: data.continuationToken,
    };
  }

  async #trash(continuationToken?: string, signal?: AbortSignal): Promise<EntryPage> {
    const query = continuationToken === undefined ? {} : { continuationToken };
    const { data } = await asked(
      this.#client.get('/api/gallery/trash', { query, ...(signal && { signal }) }),
    );
    const dated = (entry: Entry, { deletedAt }: { deletedAt: string }) => ({
      ...entry,
      modified: Date.parse(deletedAt),
    });
    const folders = data.folders.map((folder) => dated(folderEntry(folder), folder));
    const files = data.files.map((file) => dated(fileEntry(file), file));
    return { entries: [...folders, ...files], next: data.continuationToken };
  }

  /** The folders in a folder, all of them. */
  async folders(path: string): Promise<Entry[]> {
    const found: Entry[] = [];
    let continuationToken: string | undefined;
    do {
      const data = await this.#page({ path, continuationToken, foldersOnly: '1' });
      found.push(...data.folders.map(folderEntry));
      continuationToken = data.continuationToken ?? undefined;
    } while (continuationToken !== undefined);
    return found;
  }

  /** Those of `names` that a file or folder in `folder` has. */
  async takenNames(folder: string, names: readonly string[]): Promise<Set<string>> {
    const found = await this.#lookUp(names.map((name) => `${folder}${name}`));
    return new Set(names.filter((_, index) => found[index]?.folder || found[index]?.file != null));
  }

  /** The files at paths, of those where there is one; their kinds are what their names say. */
  async filesAt(paths: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
    const found = await this.#lookUp(paths);
    const entries = paths.flatMap((path, index): Entry[] => {
      const file = found[index]?.file;
      if (file == null) return [];
      const kind = PICTURES.test(path) ? 'image' : 'file';
      const { size, lastModified } = file;
      const modified = Date.parse(lastModified);
      return [{ kind, name: path.slice(path.lastIndexOf('/') + 1), path, size, modified, contentType: '' }];
    });
    return new Map(entries.map((entry) => [entry.path, entry]));
  }

  async #lookUp(all: readonly string[]) {
    const found = [];
    for (let from = 0; from < all.length; from += LOOKED_UP) {
      const paths = all.slice(from, from + LOOKED_UP);
      found.push(...(await asked(this.#client.post('/api/gallery/lookup', { body: { paths } }))).data);
    }
    return found;
  }

  /** The articles that show files; none if that is unknown. */
  async uses(paths: readonly string[]): Promise<Uses> {
    const found = new Map<number, Uses['articles'][number]>();
    const all = { canChange: false, hasMore: false };
    for (let from = 0; from < paths.length; from += LOOKED_UP) {
      const body = { paths: paths.slice(from, from + LOOKED_UP) };
      const { data } = await this.#client.post('/api/gallery/uses', { body }).catch(() => NOT_KNOWN);
      for (const article of data.articles) found.set(article.id, article);
      all.canChange ||= data.canChange;
      all.hasMore ||= data.hasMore;
    }
    return { ...all, articles: [...found.values()] };
  }

  /** Changes the addresses of a moved file or folder in up to 100 articles. */
  async moveUses(from: string, to: string) {
    return (await asked(this.#client.post('/api/gallery/uses/move', { body: { from, to } }))).data;
  }

  /** Creates an empty folder. */
  async createFolder(path: string): Promise<void> {
    await asked(this.#client.post('/api/gallery/folder', { body: { path } }));
  }

  /** Addresses from which the browser reads files for an hour. */
  async sign(keys: readonly string[]): Promise<Record<string, string>> {
    const body = { action: 'sign-get-objects' as const, keys: [...keys] };
    return (await asked(this.#client.post('/api/gallery', { body }))).data;
  }

  /** Addresses from which the browser saves files, for an hour. */
  async signDownloads(keys: readonly string[]): Promise<Record<string, string>> {
    const body = { action: 'sign-get-objects' as const, keys: [...keys], download: true };
    return (await asked(this.#client.post('/api/gallery', { body }))).data;
  }

  /** The address of a zip of files and folders, for an hour. */
  async archive(paths: readonly string[]): Promise<string> {
    const { data } = await asked(this.#client.post('/api/gallery/archives', { body: { paths: [...paths] } }));
    return this.#client.url('/api/gallery/archives/{id}', { path: { id: data.id } });
  }

  /** The address of a picture of a file; a new version of the file has another. */
  thumbnail({ path, modified, size: bytes }: Entry, size: 'small' | 'large' = 'small'): string {
    const version = `${modified}-${bytes}`;
    const query = { key: path, thumbnail: 'true', ...(size === 'large' && { size }), version } as const;
    return this.#client.url('/api/gallery/media', { query });
  }

  /** The address of a small picture of the file that a path has at the time. */
  thumbnailOf(path: string): string {
    return this.#client.url('/api/gallery/media', { query: { key: path, thumbnail: 'true' } });
  }

  /** The code of why there is no picture of a file, or only a part of one; undefined if it is not said. */
  async whyUnseen(entry: Entry): Promise<string | undefined> {
    const response = await this.#service.fetch(this.thumbnail(entry), {});
    if (response.ok) return response.headers.get('x-thumbnail-reason') ?? undefined;
    const problem: { code?: string } = await response.json();
    return problem.code;
  }

  /**
   * The lasting address of a file; if it is not public, the bucket decides whether anyone can read it there.
   */
  address({ path, publicPath }: Pick<Entry, 'path' | 'publicPath'>): string {
    if (publicPath !== undefined) return new URL(publicPath, location.origin).href;
    return `${this.#objects}${escapeKey(path)}`;
  }

  /** Starts a step in the background; the same key is carried out once, however often it is sent. */
  async start(step: Step, idempotencyKey: string): Promise<BatchState> {
    const background = true;
    if (step.action === 'rename') {
      const { path, name } = step;
      const options = { body: { path, name, background }, idempotencyKey };
      return startedBy(await asked(this.#client.post('/api/gallery/rename', options)));
    }
    const paths = [...step.paths];
    const body =
      step.action === 'delete'
        ? { ...step, paths, background }
        : { ...step, paths, background, names: step.names && [...step.names] };
    return startedBy(await asked(this.#client.post('/api/gallery/batch', { body, idempotencyKey })));
  }

  /** The progress of a batch, and the steps that take it back once it is done. */
  async readBatch(id: string): Promise<{ batch: BatchState; undo: readonly Step[] }> {
    return asked(this.#client.get('/api/gallery/batches/{id}', { path: { id } }));
  }

  /** Finishes a batch that was interrupted or has failed. */
  async resumeBatch(id: string): Promise<void> {
    await asked(this.#client.post('/api/gallery/batches/{id}/resume', { path: { id } }));
  }

  /** The batches that run and the last ones that ended, the newest first, whoever began them. */
  async batches(): Promise<readonly BatchState[]> {
    return (await asked(this.#client.get('/api/gallery/batches'))).data;
  }

  signUpload(body: UploadRequest): Promise<SignedRequest> {
    return asked(this.#client.post('/api/upload/sign', { body }));
  }

  async buckets(): Promise<BucketView[]> {
    return (await asked(this.#client.get('/api/settings/buckets'))).data.buckets;
  }

  /** The access key of a bucket; its secret key is never shown. */
  async accessKeyOf(id: string): Promise<string> {
    const answer = await this.#settings({ action: 'get-bucket', id });
    return 'data' in answer && 'accessKeyId' in answer.data ? answer.data.accessKeyId : '';
  }

  /** Tests a bucket; the code says what to mend, and is null if there is nothing. */
  async testBucket(bucket: BucketForm) {
    const answer = await this.#settings({ action: 'test', bucket });
    return 'code' in answer ? answer.code : 'bucket_unusable';
  }

  async saveBucket(bucket: BucketForm, setActive: boolean): Promise<void> {
    await this.#settings({ action: 'save', bucket, setActive });
  }

  async activateBucket(id: string): Promise<void> {
    await this.#settings({ action: 'set-active', id });
  }

  /** Removes a bucket from the settings; its objects stay in the store. */
  async removeBucket(id: string): Promise<void> {
    await this.#settings({ action: 'remove', id });
  }

  #settings(body: BodyOf<'/api/settings/buckets'>) {
    return asked(this.#client.post('/api/settings/buckets', { body }));
  }

  async #page(
    query: { path: string; continuationToken?: string | undefined; foldersOnly?: '1'; thumbhash?: '1' },
    signal?: AbortSignal,
  ) {
    const { continuationToken, ...rest } = query;
    const token = continuationToken === undefined ? {} : { continuationToken };
    const options = { query: { json: '1', ...rest, ...token } as const, ...(signal && { signal }) };
    const answer = await asked(this.#client.get('/api/gallery', options));
    if (answer.mode !== 'json') throw new Error('the service has not listed the folder');
    return answer.data;
  }
}

function startedBy(answer: { batch: BatchState } | { affected: number }): BatchState {
  if ('batch' in answer) return answer.batch;
  throw new Error('the service has not answered with a batch');
}

function folderEntry({ name, path }: { name: string; path: string }): Entry {
  return { kind: 'folder', name, path, size: 0, modified: 0, contentType: '' };
}

function fileEntry(file: {
  type: Exclude<Entry['kind'], 'folder'>;
  name: string;
  path: string;
  size: number;
  lastModified: string;
  contentType: string;
  publicPath?: string | undefined;
  thumbhash?: string | undefined;
}): Entry {
  const { type: kind, lastModified, name, path, size, contentType, publicPath, thumbhash } = file;
  return { kind, name, path, size, modified: Date.parse(lastModified), contentType, publicPath, thumbhash };
}

/** The start that the addresses of all objects share. */
function addressOf(signed: string, key: string): string {
  const [address = ''] = signed.split('?');
  return address.slice(0, address.length - escapeKey(key).length);
}

/** A key as a URL's path, escaped as the service does (RFC 3986: all but unreserved characters and `/`). */
function escapeKey(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}
