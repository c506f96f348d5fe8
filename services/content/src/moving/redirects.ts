import { DiskMap } from '@pressroom/moving/source-entry';
import type { Kysely } from 'kysely';
import { siteAddress } from '../redirects/addresses.ts';
import { nginxPair } from '../redirects/nginx.ts';
import type { RedirectStore } from '../redirects/store.ts';
import type { Site } from '../site.ts';
import type { ContentTables } from '../tables.ts';
import { OutputFile } from './export.ts';
import type { Outcome } from './importer.ts';

/** The format of a map of redirects: the text before, between and after its pairs, and a pair. */
interface MapFormat {
  begin: string;
  between: string;
  end: string;
  pair: (from: string, to: string) => string;
}

const JSON_MAP: MapFormat = {
  begin: '{',
  between: ',',
  end: '\n}\n',
  pair: (from, to) => `\n  ${JSON.stringify(from)}: ${JSON.stringify(to)}`,
};

/** Lines of a `map` of nginx. */
const NGINX_MAP: MapFormat = {
  begin: '',
  between: '',
  end: '',
  pair: nginxPair,
};

/** Keeps where the paths lead that published articles had, as articles come in. */
export class OldAddresses {
  readonly #db: Kysely<ContentTables>;
  readonly #site: Site;
  readonly #redirects: RedirectStore;
  readonly #files: readonly RedirectFile[];

  constructor(db: Kysely<ContentTables>, site: Site, redirects: RedirectStore, files: readonly string[]) {
    this.#db = db;
    this.#site = site;
    this.#redirects = redirects;
    this.#files = files.map((file) => new RedirectFile(file));
  }

  /** Adds the articles among these that are there, wherever they came from. */
  async add(outcomes: readonly Outcome[]): Promise<void> {
    const moved = outcomes.flatMap((outcome) => {
      if (outcome.kind !== 'created' && outcome.kind !== 'known') return [];
      const path = oldPath(outcome.entry.address);
      return path === undefined ? [] : [{ path, id: outcome.id }];
    });
    if (moved.length === 0) return;
    const ids = moved.map(({ id }) => id);
    const rows = await this.#db
      .selectFrom('content.article')
      .select(['id', 'slug'])
      .where('id', 'in', ids)
      .execute();
    const articles = new Map(rows.map((row) => [row.id, row]));
    const leading = moved.flatMap(({ path, id }) => {
      const article = articles.get(id);
      return article === undefined ? [] : [{ path, id, to: this.#site.page('article', article) }];
    });
    for (const { path, to } of leading) for (const file of this.#files) await file.add(path, to);
    await this.#redirects.import(
      leading.flatMap(({ path, id, to }) => {
        const [from, { pathname }] = [siteAddress(path), new URL(to)];
        return from === undefined || from === siteAddress(pathname)
          ? []
          : [{ from, to: pathname, articleId: id }];
      }),
    );
  }

  async close(): Promise<void> {
    for (const file of this.#files) await file.close();
  }
}

/** A map of redirects: JSON for a file that ends with `.json`, else what a `map` of nginx includes. */
class RedirectFile {
  readonly #out: OutputFile;
  readonly #format: MapFormat;
  readonly #seen = new DiskMap<true>();

  constructor(file: string) {
    this.#format = file.endsWith('.json') ? JSON_MAP : NGINX_MAP;
    this.#out = new OutputFile(file);
  }

  /** Visitors leave out the slash at the end. */
  async add(path: string, to: string): Promise<void> {
    for (const from of new Set([path, path.replace(/(?<=.)\/$/, '')])) {
      if (this.#seen.has(from) || URL.parse(from, to)?.href === to) continue;
      await this.#out.write(
        `${this.#seen.size > 0 ? this.#format.between : this.#format.begin}${this.#format.pair(from, to)}`,
      );
      this.#seen.add(from, true);
    }
  }

  async close(): Promise<void> {
    await this.#out.write(`${this.#seen.size > 0 ? '' : this.#format.begin}${this.#format.end}`);
    await this.#out.close();
  }
}

/**
 * The path of an old address, with its query string; undefined for that of the front page, and for none.
 * Paths of other schemes than the web's may begin without a slash, which a `map` of nginx may take for a
 * pattern or a keyword.
 */
function oldPath(address: string | undefined): string | undefined {
  const url = address ? URL.parse(address, 'http://site.invalid') : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const path = `${url.pathname}${url.search}`;
  return path === '/' ? undefined : path;
}
