import { setTimeout as pause } from 'node:timers/promises';
import { Lease } from '@pressroom/common/database/leases';
import {
  keyOf,
  type PICTURE_CODES,
  PictureFault,
  type PictureSource,
  picturesOf,
  type Showing,
} from '@pressroom/moving/pictures';
import { Refusal } from '@pressroom/moving/reasons';
import { type Kysely, sql, type Transaction } from 'kysely';
import { spellingsOf } from '../articles/filters.ts';
import type { ContentTables } from '../tables.ts';
import type { ClaimedImport } from './imports-store.ts';

type Database = Kysely<ContentTables>;

/** The most bytes that an import brings along: what is under way by then still comes. */
const MOST_BYTES = 20 * 2 ** 30;

/** Pictures that the gallery gets in one answer to take in, and those looked at for it to remove. */
const MOST_WANTED = 16;
const MOST_LOOKED = 500;

/** How often the gallery may begin a picture: what ends it may be the picture. */
const MOST_ATTEMPTS = 5;

/** The time between two looks of an import at its pictures, and for which a gallery may rest, in ms. */
const LOOK_MS = 500;
const PATIENCE_MS = 180_000;

/** The interval at which it is looked whether something names a picture of an undone import, in seconds. */
const LOOKED_SECONDS = 3600;

/** More than the gallery may need for what it gets at once. */
const LEASE = new Lease({
  table: 'content.imported_picture',
  key: ['key'],
  until: 'lease_until',
  seconds: 180,
});

/** What came of a picture: its public path, why it is refused, or that it is removed. */
export type PictureResult =
  | { key: string; path: string; bytes: number }
  | { key: string; reason: (typeof PICTURE_CODES)[number] }
  | { key: string; removed: true };

/** What the gallery is to do. */
export interface PictureWork {
  /** Pictures to take in, at these places in its public folder. */
  wanted: { key: string; url: string }[];
  /** Files to remove, by their place in that folder and by their whole path. */
  unnamed: { key: string; file: string }[];
  /** True while an import runs that may want more at any moment. */
  more: boolean;
}

/** The pictures of imports, between the imports that want them and the gallery. */
export class ImportedPictures {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Has pictures taken in; those that this import has heard of before keep their state. */
  async want({ id }: Pick<ClaimedImport, 'id'>, urls: ReadonlyMap<string, string>): Promise<void> {
    const rows = [...urls].map(([key, url]) => ({ key, url })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    // One that was in another bucket, or is being removed, is looked for once more.
    await sql`
      insert into content.imported_picture as known (key, url, import_id)
      select key, url, ${id}::integer from json_to_recordset(${JSON.stringify(rows)}) as wanted (key text, url text)
      on conflict (key) do update set url = excluded.url, import_id = excluded.import_id, state = 'waiting',
        bytes = 0, attempts = 0
      where known.import_id <> excluded.import_id or known.state = 'undone'`.execute(this.#db);
  }

  /** The pictures with these keys that are there or refused, and whether the gallery has another in hand. */
  async answers(keys: readonly string[]) {
    const { rows } = await sql<{ key: string; path: string | null; reason: string | null; state: string }>`
      select key, path, reason, state from content.imported_picture
      where key = any(${keys}::text[]) and (state <> 'waiting' or ${LEASE.isHeld()})`.execute(this.#db);
    const ended = rows.filter(({ state }) => state !== 'waiting');
    return { ended, isInHand: ended.length < rows.length };
  }

  /** Notes what came of pictures, each once however often it is said, and hands out the next ones. */
  async work(folder: string | null, results: readonly PictureResult[]): Promise<PictureWork> {
    return this.#db.transaction().execute(async (tx) => {
      for (const result of results.toSorted((a, b) => (a.key < b.key ? -1 : 1))) await note(tx, result);
      if (folder === null) return { wanted: [], unnamed: [], more: false };
      const { rows } = await sql<{ id: number; is_full: boolean }>`
        select id, (select coalesce(sum(bytes), 0) from content.imported_picture where import_id = import.id)
          >= ${MOST_BYTES} as is_full
        from content.import where state = 'running' and options ->> 'pictures' is not null`.execute(tx);
      const full = rows.flatMap(({ id, is_full }) => (is_full ? [id] : []));
      await sql`
        update content.imported_picture set state = 'refused',
          reason = case when attempts >= ${MOST_ATTEMPTS} then 'picture_gone' else 'pictures_full' end
        where state = 'waiting' and ${LEASE.isFree()}
          and (import_id = any(${full}::integer[]) or attempts >= ${MOST_ATTEMPTS})`.execute(tx);
      const running = rows.map(({ id }) => id);
      const wanted = await LEASE.claim<{ key: string; url: string }>(tx, {
        due: sql`state = 'waiting' and ${LEASE.isFree()} and import_id = any(${running}::integer[])`,
        order: sql`lease_until nulls first, key`,
        most: MOST_WANTED,
        set: sql`attempts = attempts + 1`,
        returning: sql`key, url`,
      });
      return { wanted, unnamed: await this.#unnamed(tx, folder), more: rows.length > 0 };
    });
  }

  async #unnamed(tx: Transaction<ContentTables>, folder: string): Promise<PictureWork['unnamed']> {
    const looked = await LEASE.claim<{ key: string; path: string | null }>(tx, {
      due: sql`state = 'undone' and ${LEASE.isFree()}
        and coalesce(looked_at < clock_timestamp() - make_interval(secs => ${LOOKED_SECONDS}), true)`,
      order: sql`lease_until nulls first, key`,
      most: MOST_LOOKED,
      set: sql`looked_at = clock_timestamp()`,
      returning: sql`key, path`,
    });
    if (looked.length === 0) return [];
    const files = looked.map(({ key, path }) => ({ key, file: path === null ? folder + key : fileOf(path) }));
    const free = await unnamed(tx, files);
    const named = looked.map(({ key }) => key).filter((key) => !free.some((one) => one.key === key));
    await sql`
      update content.imported_picture set lease_until = null where key = any(${named}::text[])`.execute(tx);
    return free;
  }
}

async function note(tx: Transaction<ContentTables>, result: PictureResult): Promise<void> {
  const { key } = result;
  if ('removed' in result) {
    await sql`delete from content.imported_picture where key = ${key} and state = 'undone'`.execute(tx);
    await sql`update content.imported_picture set lease_until = null where key = ${key}`.execute(tx);
    return;
  }
  const { path, bytes } = 'path' in result ? result : { path: null, bytes: 0 };
  const [state, reason] = 'path' in result ? ['there', null] : ['refused', result.reason];
  await sql`
    update content.imported_picture set state = ${state}, path = ${path}, reason = ${reason}, bytes = ${bytes},
      lease_until = null where key = ${key} and state = 'waiting'`.execute(tx);
}

/** Marks, after an undo, what may be removed once nothing names it. */
export async function undoPictures(tx: Transaction<ContentTables>, importId: number): Promise<void> {
  await sql`
    delete from content.imported_picture where import_id = ${importId} and state = 'refused'`.execute(tx);
  await sql`
    update content.imported_picture set state = 'undone', looked_at = null where import_id = ${importId}`.execute(
    tx,
  );
}

/** The key in the bucket that a public path leads to. */
function fileOf(path: string): string {
  return decodeURIComponent(path.replace(/^\/media\/(?:v[0-9a-f]{12}\/)?/, ''));
}

/** Those of these files of the gallery that nothing names: no article, revision or article in the trash. */
async function unnamed<File extends { file: string }>(
  tx: Transaction<ContentTables>,
  files: readonly File[],
): Promise<File[]> {
  const paths = files.flatMap(({ file }) => spellingsOf(file).map((path) => ({ file, path })));
  const { rows } = await sql<{ file: string }>`
    with wanted as (
      select * from json_to_recordset(${JSON.stringify(paths)}) as wanted (file text, path text)
    ), other as (
      select content.media_in(concat_ws(' ', members ->> 'featured_image', members ->> 'social_image'), content)
        as path from content.deleted_article
      union all
      select content.media_in(concat_ws(' ', members ->> 'featured_image', members ->> 'social_image'), content)
      from content.article_revision where article_id in (select article_id from content.imported_article)
      union all
      select content.media_in(concat_ws(' ', changes ->> 'featured_image', changes ->> 'social_image'),
        changes ->> 'content') from content.working_copy
      union all select content.media_in(picture, '') from content.category where picture is not null
      union all select content.media_in(picture, '') from content.author where picture is not null
    )
    select distinct file from wanted where path in (select path from content.article_media)
      or path in (select path from other)`.execute(tx);
  const named = new Set(rows.map(({ file }) => file));
  return files.filter(({ file }) => !named.has(file));
}

const WHY: Readonly<Record<string, string>> = {
  picture_unfit: 'it is no picture that is taken, or too large',
  pictures_full: `${MOST_BYTES / 2 ** 30} GiB of pictures have come already`,
};

/** The pictures of an import that the gallery takes in, whose public address is at `base`. */
export class GalleryPictures implements PictureSource {
  readonly #pictures: ImportedPictures;
  readonly #claimed: ClaimedImport;
  readonly #base: string;
  readonly #onWork: () => void;
  /** The new addresses of the last articles' pictures, or why they stay. */
  #known = new Map<string, string | PictureFault>();

  constructor(db: Database, claimed: ClaimedImport, base: string, onWork: () => void) {
    this.#pictures = new ImportedPictures(db);
    this.#claimed = claimed;
    this.#base = base;
    this.#onWork = onWork;
  }

  async close(): Promise<void> {}

  /** @throws Refusal `gallery_away` if the gallery does nothing for too long */
  async prepare(articles: readonly Showing[]): Promise<void> {
    const own = new URL('/media/', this.#base).href;
    const urls = new Set(articles.flatMap((article) => [...picturesOf(article)]));
    this.#known = new Map([...urls].filter((url) => url.startsWith(own)).map((url) => [url, url]));
    const keys = new Map<string, string>();
    for (const url of urls) if (isFetched(url) && !this.#known.has(url)) keys.set(keyOf(url), url);
    await this.#pictures.want(this.#claimed, keys);
    const found = await this.#awaited([...keys.keys()]);
    for (const url of urls) {
      const answer = isFetched(url) ? found.get(keyOf(url)) : undefined;
      if (answer !== undefined && !this.#known.has(url)) this.#known.set(url, answer);
    }
  }

  async bring(url: string): Promise<string | PictureFault> {
    return this.#known.get(url) ?? url;
  }

  async #awaited(keys: readonly string[]): Promise<Map<string, string | PictureFault>> {
    const found = new Map<string, string | PictureFault>();
    let patientUntil = performance.now() + PATIENCE_MS;
    for (let missing = keys; missing.length > 0; missing = keys.filter((key) => !found.has(key))) {
      const { ended, isInHand } = await this.#pictures.answers(missing);
      for (const { key, path, reason } of ended) found.set(key, this.#answer(path, reason));
      this.#onWork();
      if (isInHand || ended.length > 0) patientUntil = performance.now() + PATIENCE_MS;
      else if (performance.now() > patientUntil) throw new Refusal('gallery_away');
      if (found.size < keys.length) await pause(LOOK_MS);
    }
    return found;
  }

  #answer(path: string | null, reason: string | null): string | PictureFault {
    if (path !== null) return new URL(path, this.#base).href;
    const code = reason === 'picture_unfit' || reason === 'pictures_full' ? reason : 'picture_gone';
    return new PictureFault(code, WHY[code] ?? 'it could not be fetched');
  }
}

/** True for an address that a picture can be fetched from. */
function isFetched(url: string): boolean {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '');
}
