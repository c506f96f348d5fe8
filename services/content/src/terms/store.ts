import { violates } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import type { SearchGate } from '@pressroom/common/search/search';
import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import { ArticleList } from '../articles/list.ts';
import { NESTED_MEMBERS } from '../articles/schema.ts';
import { changesBetween } from '../changes.ts';
import { type Actor, COMMAND, type Page, type Total, writtenBy } from '../envelope.ts';
import { explainSlug, freeSlug, idOfSlug, type LanguageOf, MovedSlug, noLanguage, slugify } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import type { TermKind } from './kinds.ts';
import type {
  CountedTerm,
  Term,
  TermChange,
  TermCreate,
  TermDetail,
  TermFilters,
  WrittenTerm,
} from './terms.ts';

type Database = Kysely<ContentTables>;
type TermRow = Selectable<ContentTables[TermKind['table']]>;

/** A term with a page of its articles, and how many there are. */
export interface TermPage {
  term: TermDetail;
  /** The members that change only when the term itself is written. */
  own: object;
  total: Total;
}

/** Checks a term's own members before they are replaced; throws to forbid the write. */
export type TermPrecondition = (own: object) => void;

/** A written term, and its own members as a read would find them. */
export interface OwnTerm {
  term: WrittenTerm;
  own: object;
}

/** A term after a write, and what the write changed: `id` and those members. */
export interface ChangedTerm extends OwnTerm {
  changes: Pick<Term, 'id'> & Partial<WrittenTerm>;
}

/** The terms of a kind in the database. */
export class TermStore {
  readonly #kind: TermKind;
  readonly #db: Database;
  readonly #readDb: Database;
  readonly #language: LanguageOf;
  readonly #articles = new ArticleList(NESTED_MEMBERS);

  /** Public reads take `readDb`, which may be a replica of `db`; slugs are spelled as in `language`. */
  constructor(kind: TermKind, db: Database, readDb: Database = db, language: LanguageOf = noLanguage) {
    this.#kind = kind;
    this.#db = db;
    this.#readDb = readDb;
    this.#language = language;
  }

  /** All terms by position, then by name, with their numbers of published articles. */
  async list(include?: readonly string[]): Promise<CountedTerm[]> {
    return this.#counted(await this.#selectCounted().execute(), include);
  }

  /**
   * A page of the terms by name, with their numbers of published articles, and how many terms there are.
   */
  page(page: Page): Promise<{ terms: CountedTerm[]; total: Total }> {
    return this.#listed(this.#readDb, page);
  }

  /** Like {@link page}, of those with this text in their names, those that begin with it first. */
  search(gate: SearchGate<ContentTables>, page: Page, part: string): ReturnType<TermStore['page']> {
    // No index has parts of names, so all of them are read.
    return gate.run((db) => this.#listed(db, page, placeIn(part)));
  }

  async #listed(db: Kysely<ContentTables>, { page, perPage }: Page, place?: RawBuilder<number>) {
    const [rows, { total }] = await Promise.all([
      this.#selectCounted(db, place)
        .offset((page - 1) * perPage)
        .limit(perPage)
        .execute(),
      db
        .selectFrom(`${this.#kind.table} as term`)
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .$if(place !== undefined, (query) => query.where(sql<boolean>`${place} > 0`))
        .executeTakeFirstOrThrow(),
    ]);
    return { terms: this.#counted(rows), total: { total, isExact: true } };
  }

  #selectCounted(db: Kysely<ContentTables> = this.#readDb, place?: RawBuilder<number>) {
    return db
      .selectFrom(`${this.#kind.table} as term`)
      .leftJoin('content.list_count as count', (join) =>
        join
          .onRef('count.id', '=', 'term.id')
          .on('count.kind', '=', this.#kind.noun)
          .on('count.period', '=', 'all')
          .on('count.is_published', '=', true),
      )
      .selectAll('term')
      .select(({ fn }) => fn.coalesce('count.articles', sql<number>`0`).as('article_count'))
      .$if(place !== undefined, (query) =>
        query.where(sql<boolean>`${place} > 0`).orderBy(sql`${place} = 1`, 'desc'),
      )
      .$if(this.#kind.included !== undefined, (query) => query.orderBy(sql`term.position`))
      .orderBy('term.name')
      .orderBy('term.id');
  }

  #counted(rows: (TermRow & { article_count: number })[], include?: readonly string[]): CountedTerm[] {
    return rows.map((row) => ({ ...this.#shown(row, include), article_count: row.article_count }));
  }

  /**
   * One term with a page of its published articles that pass `filters`.
   *
   * @throws Failure `missing`
   */
  async read(id: number, filters: TermFilters, page: Page, include?: readonly string[]): Promise<TermPage> {
    const row = await this.#find(id);
    if (row === undefined) throw this.#missing(id);
    return this.#page(row, filters, page, include);
  }

  /**
   * Like {@link read}, by the slug.
   *
   * @throws Failure `missing`
   * @throws MovedSlug if the term has another slug by now
   */
  async readBySlug(
    slug: string,
    filters: TermFilters,
    page: Page,
    include?: readonly string[],
  ): Promise<TermPage> {
    const { noun } = this.#kind;
    const row = await this.#find(idOfSlug(noun, sql`${slug}`));
    if (row === undefined) throw new Failure('missing', `no ${noun} has this slug`);
    if (row.slug !== slug) throw new MovedSlug(row.slug);
    return this.#page(row, filters, page, include);
  }

  #find(id: number | RawBuilder<number>): Promise<TermRow | undefined> {
    return this.#readDb.selectFrom(this.#kind.table).selectAll().where('id', '=', id).executeTakeFirst();
  }

  async #page(
    row: TermRow,
    filters: TermFilters,
    page: Page,
    include?: readonly string[],
  ): Promise<TermPage> {
    const scope = {
      status: 'published',
      sort: this.#kind.sort,
      filters: { ...filters, [this.#kind.filter.name]: row[this.#kind.filter.by] },
    } as const;
    const { articles, total } = await this.#articles.page(this.#readDb, scope, page);
    return { term: { ...this.#shown(row, include), articles }, own: this.#own(row), total };
  }

  /**
   * Creates a term.
   *
   * @throws Failure `conflict` with code `slug_taken` if the body gives a slug that another term has, or had
   */
  async create({ slug, ...body }: TermCreate, actor: Actor = COMMAND): Promise<OwnTerm> {
    const { noun, table } = this.#kind;
    const base = slugify(body.name, noun, { language: await this.#language() });
    const { writer: _, ...term } = await this.#db
      .insertInto(table)
      .values({ ...stored(body), slug: slug ?? freeSlug(noun, base) })
      .returningAll()
      .returning(writtenBy(actor).as('writer'))
      .executeTakeFirstOrThrow()
      .catch((error) => explainSlug(error, noun));
    return { term, own: this.#own(term) };
  }

  /**
   * Changes the members that `body` has, and what `alongside` does, while it holds the row lock. Returns the
   * term and exactly what changed.
   *
   * @throws Failure `missing`, `conflict` with code `slug_taken`, and whatever the two functions throw
   */
  update(
    id: number,
    body: TermChange,
    actor: Actor,
    precondition?: TermPrecondition,
    alongside?: (tx: Transaction<ContentTables>) => Promise<void>,
  ): Promise<ChangedTerm> {
    const write = this.#db.transaction().execute(async (tx) => {
      const before = await this.#lock(tx, id, precondition);
      await alongside?.(tx);
      const term = await tx
        .updateTable(this.#kind.table)
        .set({
          ...stored(body),
          updated_at: sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`,
        })
        .where('id', '=', id)
        .where(writtenBy(actor), '=', actor.key)
        .returningAll()
        .executeTakeFirstOrThrow();
      return { term, own: this.#own(term), changes: changesBetween(before, term) };
    });
    return write.catch((error) => explainSlug(error, this.#kind.noun));
  }

  /**
   * Deletes a term.
   *
   * @throws Failure `missing`, `conflict` while it has articles, and whatever `precondition` throws
   */
  async delete(id: number, actor: Actor, precondition?: TermPrecondition): Promise<void> {
    const { noun, table, articleKey } = this.#kind;
    const remove = this.#db.transaction().execute(async (tx) => {
      await this.#lock(tx, id, precondition);
      await tx.deleteFrom(table).where('id', '=', id).where(writtenBy(actor), '=', actor.key).execute();
    });
    await remove.catch((error: unknown) => {
      if (!violates(error, articleKey)) throw error;
      throw new Failure('conflict', `the ${noun} still has articles; move or delete them first`, {
        code: `${noun}_not_empty`,
      });
    });
  }

  async #lock(tx: Database, id: number, precondition: TermPrecondition | undefined): Promise<TermRow> {
    const row = await tx
      .selectFrom(this.#kind.table)
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirstOrThrow(() => this.#missing(id));
    precondition?.(this.#own(row));
    return row;
  }

  #missing(id: number) {
    const { noun } = this.#kind;
    return new Failure('missing', id === 0 ? `this ${noun} does not exist` : `${noun} ${id} does not exist`);
  }

  /** All of its members, whatever an answer shows of them. */
  #own(row: TermRow): Term {
    return this.#shown(row, Object.keys(this.#kind.included?.shown ?? {}));
  }

  #shown(
    { id, name, slug, created_at, updated_at, ...rest }: TermRow,
    include: readonly string[] = [],
  ): Term {
    const own = Object.entries(rest).filter(
      ([member]) => member in this.#kind.shown || include.includes(member),
    );
    const times = { created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
    return { id, name, slug, ...Object.fromEntries(own), ...times };
  }
}

/**
 * Returns the position of a text in the name of a `term`, from 1; 0 if it has none, regardless of case and
 * width.
 */
function placeIn(part: string): RawBuilder<number> {
  return sql<number>`strpos(pressroom.fold(term.name), pressroom.fold(${part}))`;
}

/** The values of a body as the driver takes them: it would write a list as an array, not as JSON. */
function stored<Body extends TermChange>(body: Body): Body {
  const values = Object.entries(body).map(([name, value]) => [
    name,
    typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
  ]);
  return Object.fromEntries(values) as Body;
}
