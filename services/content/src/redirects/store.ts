import { violates } from '@pressroom/common/database/database';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import type { SearchGate } from '@pressroom/common/search/search';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { type Actor, writtenBy } from '../envelope.ts';
import { PAGE_KINDS, type PageKind, type SiteValues } from '../site.ts';
import type { ContentTables } from '../tables.ts';
import { asUri, siteAddress, withoutQuery } from './addresses.ts';
import {
  firstRedirectsOf,
  from,
  isFromOneOf,
  type Lead,
  leadsOf,
  pagesAt,
  patternsOf,
  redirectsOf,
  regexOf,
  rootOf,
  siteAddressOf,
  to,
} from './computed.ts';

type Database = Kysely<ContentTables>;

/** The status of a redirect's answer: moved for good, moved for now, or gone for good. */
export const STATUSES = [301, 302, 410] as const;

type Status = (typeof STATUSES)[number];

/** Who made a redirect: a person, an import, a slug that changed, or an address pattern that changed. */
export const SOURCES = ['manual', 'import', 'slug', 'pattern'] as const;

/** A redirect as a person writes it. */
export interface RedirectBody {
  from: string;
  /** Null for 410. */
  to: string | null;
  status: Status;
}

/** A redirect as it was made. */
export interface Redirect extends RedirectBody {
  id: number;
  source: (typeof SOURCES)[number];
  /** Null for that of a slug or a pattern. */
  updated_at: Date | null;
}

/** The final answer of a site, after all redirects that follow. */
type RedirectAnswer = { status: 301 | 302; location: string } | { status: 410; location: null };

/** A redirect with its answer, which is null where redirects lead in a circle. */
export interface ResolvedRedirect extends Redirect {
  answer: RedirectAnswer | null;
}

/** The most redirects that one address is led through. */
const MOST_FOLLOWED = 100;

/** The most redirects in a file for a web server. */
const MOST_EXPORTED = 100_000;

/** The most redirects that are looked at when address patterns change. */
const MOST_FROM_PAGES = 10_000;

/** Why readers do not find a page: there is none, or it is a draft. */
type LinkFault = 'missing' | 'draft';

/** The redirects of the site: those that were made, and the former slugs of what readers see. */
export class RedirectStore {
  readonly #db: Database;
  readonly #readDb: Database;
  readonly #origin: string | undefined;
  readonly #leads: readonly Lead[];
  readonly #patterns: Readonly<Record<PageKind, string>>;
  /** The path of the site itself, which each pattern begins with. */
  readonly #root: string;
  readonly #siteIn: (tx: Database) => Promise<SiteValues>;

  /** `siteIn` reads the settings in a transaction, for writes: others may have changed them since. */
  constructor(
    db: Database,
    readDb: Database,
    site: SiteValues,
    siteIn: (tx: Database) => Promise<SiteValues> = () => Promise.resolve(site),
  ) {
    this.#siteIn = siteIn;
    this.#db = db;
    this.#readDb = readDb;
    this.#origin = site.url === null ? undefined : new URL(site.url).origin;
    this.#patterns = patternsOf(site);
    this.#root = rootOf(site);
    this.#leads = leadsOf(this.#patterns, site.former_patterns);
  }

  /** Some redirects and one more, the newest first. */
  async list(limit: number, before: number | undefined): Promise<ResolvedRedirect[]> {
    return this.#resolve(this.#readDb, await this.#newest(this.#readDb, limit + 1, before));
  }

  /** {@link list} of those with this text in an address. */
  search(
    gate: SearchGate<ContentTables>,
    limit: number,
    before: number | undefined,
    text: string,
  ): Promise<ResolvedRedirect[]> {
    return gate.run(async (db) => this.#resolve(db, await this.#newest(db, limit + 1, before, text)));
  }

  /** The redirect from an address, or else from the same without its query. */
  async find(address: string): Promise<ResolvedRedirect[]> {
    const found = await this.#from(this.#readDb, [address]);
    const redirect = leadingFrom(found, address);
    return redirect === undefined ? [] : this.#resolve(this.#readDb, [redirect]);
  }

  /** The links that lead to no page of the site that readers find, and to no redirect. */
  async brokenAmong(urls: readonly string[]): Promise<Map<string, LinkFault>> {
    const addresses = new Map(urls.flatMap((url) => this.#addressOf(url).map((address) => [url, address])));
    const faults = await this.#faultsOf([...new Set(addresses.values())]);
    const found = await this.#from(this.#readDb, [...addresses.values()]);
    const redirects = await this.#resolve(this.#readDb, [...found.values()]);
    const answers = new Map(redirects.map((redirect) => [redirect.from, redirect]));
    return new Map(
      [...addresses].flatMap(([url, address]): [string, LinkFault][] => {
        const fault = faults.get(withoutQuery(address));
        // A site asks for redirects where it has no page.
        if (fault === 'found') return [];
        const redirect = answers.get(address) ?? answers.get(withoutQuery(address));
        if (redirect === undefined) return fault === undefined ? [] : [[url, fault]];
        const { answer } = redirect;
        return answer === null || answer.status === 410 ? [[url, 'missing']] : [];
      }),
    );
  }

  /** The address on this site that a link leads to, if it is one. */
  #addressOf(link: string): string[] {
    const isPath = link.startsWith('/') && !/^[/\\]{2}/.test(link);
    const url = this.#origin === undefined ? null : URL.parse(link, isPath ? this.#origin : undefined);
    const address = url?.origin === this.#origin && siteAddress(`${url?.pathname}${url?.search}`);
    return address ? [address] : [];
  }

  /** Finds the pages at these addresses, without their queries; others may be of other pages. */
  async #faultsOf(addresses: readonly string[]): Promise<Map<string, LinkFault | 'found'>> {
    const faults = new Map<string, LinkFault | 'found'>();
    const all = [...new Set(addresses.map((address) => withoutQuery(address)))];
    for (const kind of PAGE_KINDS) {
      const pattern = siteAddressOf(this.#patterns[kind]);
      // Other pages of the site may have the same form, such as /about and /{slug}.
      if (pattern.startsWith(`${this.#root}/{`)) continue;
      const form = new RegExp(regexOf(pattern), 'u');
      const paths = all.filter((path) => form.test(path));
      if (paths.length === 0) continue;
      const { rows } = await sql<{
        path: string;
        is_public: boolean;
      }>`${pagesAt(kind, pattern, paths)}`.execute(this.#readDb);
      for (const path of paths) if (!faults.has(path)) faults.set(path, 'missing');
      for (const { path, is_public } of rows) {
        if (is_public) faults.set(path, 'found');
        else if (faults.get(path) === 'missing') faults.set(path, 'draft');
      }
    }
    return faults;
  }

  /** Every redirect, up to 100,000, for a web server. */
  async all(): Promise<ResolvedRedirect[]> {
    return this.#resolve(this.#readDb, await this.#newest(this.#readDb, MOST_EXPORTED, undefined));
  }

  /** The addresses of these patterns from which redirects that were made lead in a circle. */
  async circlesFrom(patterns: readonly string[]): Promise<string[]> {
    const { rows } = await sql<Redirect>`
      select ${COLUMNS} from content.redirect where from_address ~ any(${patterns.map(regexOf)}::text[])
      order by id desc limit ${MOST_FROM_PAGES}`.execute(this.#db);
    const resolved = await this.#resolve(this.#db, rows);
    return resolved.flatMap(({ from, answer }) => (answer === null ? [from] : []));
  }

  /** @throws Failure `conflict` with code `redirect_exists`, `invalid` if it leads in a circle */
  create(body: RedirectBody, actor: Actor): Promise<ResolvedRedirect> {
    return this.#write(actor, async (tx) => {
      const { rows } = await sql<Redirect>`
        insert into content.redirect (from_address, to_address, status, source)
        values (${body.from}, ${body.to}, ${body.status}, 'manual') returning ${COLUMNS}`.execute(tx);
      return this.#written(tx, rows);
    });
  }

  /**
   * Changes the members that `change` has; a redirect of an import is a person's from then on.
   *
   * @throws Failure `missing`, `conflict` with code `redirect_exists`, `invalid`
   */
  update(id: number, change: Partial<RedirectBody>, actor: Actor): Promise<ResolvedRedirect> {
    return this.#write(actor, async (tx) => {
      const { rows: found } = await sql<Redirect>`
        select ${COLUMNS} from content.redirect where id = ${id}`.execute(tx);
      const [before] = found;
      if (before === undefined) throw await this.#missing(id);
      const { from, to, status } = checked({ ...before, ...change });
      const { rows } = await sql<Redirect>`
        update content.redirect set from_address = ${from}, to_address = ${to}, status = ${status},
          source = 'manual', updated_at = clock_timestamp()
        where id = ${id} returning ${COLUMNS}`.execute(tx);
      return this.#written(tx, rows);
    });
  }

  /** @throws Failure `missing` */
  remove(id: number, actor: Actor): Promise<void> {
    return this.#write(actor, async (tx) => {
      const { numAffectedRows } = await sql`delete from content.redirect where id = ${id}`.execute(tx);
      if (numAffectedRows === 0n) throw await this.#missing(id);
    });
  }

  /** Adds the redirects of an import, or has them lead where it says now; those of people stay. */
  async import(redirects: readonly { from: string; to: string; articleId: number }[]): Promise<void> {
    const given = [...new Map(redirects.map((redirect) => [redirect.from, redirect])).values()];
    const [froms, tos] = [given.map(({ from }) => from), given.map(({ to }) => to)];
    await sql`
      insert into content.redirect (from_address, to_address, status, source, article_id)
      select "from", "to", 301, 'import', article
      from unnest(${froms}::text[], ${tos}::text[], ${given.map(({ articleId }) => articleId)}::integer[])
        as new ("from", "to", article)
      on conflict (from_address) do update
        set to_address = excluded.to_address, article_id = excluded.article_id, updated_at = clock_timestamp()
        where redirect.source = 'import' and (redirect.to_address, redirect.article_id)
          is distinct from (excluded.to_address, excluded.article_id)`.execute(this.#db);
  }

  /** One write at a time, so that two of them close no circle together. */
  async #write<Result>(
    actor: Actor,
    work: (tx: Transaction<ContentTables>) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.#db.transaction().execute(async (tx) => {
        await sql`select ${writtenBy(actor)}`.execute(tx);
        await lockRedirects(tx);
        return work(tx);
      });
    } catch (error) {
      if (!violates(error, 'redirect_from_address_key')) throw error;
      throw new Failure('conflict', 'there is a redirect from this address; change that one', {
        code: 'redirect_exists',
      });
    }
  }

  async #written(tx: Database, rows: readonly Redirect[]): Promise<ResolvedRedirect> {
    const now = new RedirectStore(tx, tx, await this.#siteIn(tx));
    const [redirect] = await now.#resolve(tx, rows);
    if (redirect === undefined) throw new Error('a redirect was written and not returned');
    if (redirect.answer === null) {
      const isItself = this.#next(redirect) === redirect.from;
      throw invalid([
        {
          field: 'to',
          code: 'redirect_loop',
          message: isItself
            ? 'must be another address than the one it leads from'
            : 'leads in a circle of redirects; name an address that readers can reach',
        },
      ]);
    }
    return redirect;
  }

  async #missing(id: number): Promise<Failure> {
    const isOfSlug = await this.#db
      .selectFrom('content.former_slug')
      .select('id')
      .where('resource', 'in', PAGE_KINDS)
      .where('redirect_id', '=', id)
      .executeTakeFirst();
    return isOfSlug === undefined
      ? new Failure('missing', `there is no redirect ${id}`)
      : new Failure(
          'missing',
          `redirect ${id} follows a slug; add one from the same address to lead elsewhere`,
        );
  }

  async #newest(db: Database, limit: number, before: number | undefined, text?: string): Promise<Redirect[]> {
    const isFound = (...addresses: RawBuilder<unknown>[]) => {
      if (text === undefined) return sql`true`;
      const places = addresses.flatMap((address) =>
        [text, asUri(text)].map((part) => sql`strpos(lower(${address}), lower(${part})) > 0`),
      );
      return sql`(${sql.join(places, sql` or `)})`;
    };
    const isOlder = before === undefined ? sql`true` : sql`id < ${before}::bigint`;
    const made = sql`
      select ${COLUMNS} from content.redirect
      where ${isOlder} and ${isFound(sql`from_address`, sql`to_address`)} order by id desc limit ${limit}`;
    const computed = this.#leads.flatMap((lead) => {
      const condition = isFound(from(lead), to(lead));
      return firstRedirectsOf(lead, { condition, before, limit }) ?? [];
    });
    const parts = [made, ...computed].map((part) => sql`(${part})`);
    const { rows } = await sql<Redirect>`
      ${sql.join(parts, sql` union all `)} order by id desc limit ${limit}`.execute(db);
    return rows;
  }

  /** The redirects from these addresses, and from the same without their queries. */
  async #from(db: Database, addresses: readonly string[]): Promise<Map<string, Redirect>> {
    const all = [...new Set(addresses.flatMap((address) => [address, withoutQuery(address)]))];
    const computed = this.#leads.flatMap((lead) => {
      const condition = isFromOneOf(lead, all);
      return condition === undefined ? [] : redirectsOf(lead, condition);
    });
    const made = sql`select ${COLUMNS} from content.redirect where from_address = any(${all}::text[])`;
    const { rows } = await sql<Redirect>`${sql.join([made, ...computed], sql` union all `)}`.execute(db);
    return new Map(rows.map((row) => [row.from, row]));
  }

  async #resolve(db: Database, redirects: readonly Redirect[]): Promise<ResolvedRedirect[]> {
    const known = new Map(redirects.map((redirect) => [redirect.from, redirect]));
    const asked = new Set<string>();
    let targets = redirects;
    for (let followed = 0; followed < MOST_FOLLOWED; followed += 1) {
      const next = targets.flatMap((redirect) => this.#next(redirect) ?? []);
      const unknown = [...new Set(next)].filter((address) => !known.has(address) && !asked.has(address));
      if (unknown.length === 0) break;
      for (const address of unknown) asked.add(address);
      const found = await this.#from(db, unknown);
      targets = [...found.values()].filter(({ from }) => !known.has(from));
      for (const redirect of targets) known.set(redirect.from, redirect);
    }
    return redirects.map((redirect) => ({ ...redirect, answer: this.#answer(redirect, known) }));
  }

  #answer(first: Redirect, known: ReadonlyMap<string, Redirect>): RedirectAnswer | null {
    const seen = new Set<string>();
    let isForNow = false;
    for (let redirect = first; !seen.has(redirect.from) && seen.size < MOST_FOLLOWED; ) {
      seen.add(redirect.from);
      if (redirect.to === null) return { status: 410, location: null };
      isForNow ||= redirect.status === 302;
      const address = this.#next(redirect);
      const next = address === undefined ? undefined : leadingFrom(known, address);
      if (next === undefined) return { status: isForNow ? 302 : 301, location: redirect.to };
      redirect = next;
    }
    return null;
  }

  /** The address of the site that a redirect leads to; undefined if it leads elsewhere. */
  #next({ to }: Redirect): string | undefined {
    if (to === null || to.startsWith('/')) return to === null ? undefined : siteAddress(to);
    const url = new URL(to);
    return url.origin === this.#origin ? siteAddress(url.pathname + url.search) : undefined;
  }
}

/** Until the end of the transaction, nobody else changes where addresses lead. */
export async function lockRedirects(tx: Transaction<ContentTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock('content.redirect'::regclass::oid::integer, 0)`.execute(tx);
}

/**
 * Checks what members say together.
 *
 * @throws Failure `invalid`
 */
export function checked({ from, to, status }: RedirectBody): RedirectBody {
  if (status === 410 && to !== null)
    throw invalid([
      { field: 'to', code: 'invalid_value', message: 'must be null: with 410 nothing follows' },
    ]);
  if (status !== 410 && to === null)
    throw invalid([
      { field: 'to', code: 'required', message: 'must say where it leads, unless the status is 410' },
    ]);
  return { from, to, status };
}

const COLUMNS = sql`id, from_address as "from", to_address as "to", status, source, updated_at`;

function leadingFrom(redirects: ReadonlyMap<string, Redirect>, address: string): Redirect | undefined {
  return redirects.get(address) ?? redirects.get(withoutQuery(address));
}
