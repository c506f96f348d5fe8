import { violates } from '@pressroom/common/database/database-fault';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type Selectable, sql } from 'kysely';
import { ArticleList } from '../articles/list.ts';
import { changesBetween } from '../changes.ts';
import type { Page } from '../envelope.ts';
import { freeSlug, slugify } from '../slug.ts';
import type { CategoryTable, ContentTables } from '../tables.ts';
import type {
  CategoryChange,
  CategoryChanges,
  CategoryCreate,
  CategoryDetail,
  CategoryListItem,
  WrittenCategory,
} from './schema.ts';

type Database = Kysely<ContentTables>;
type CategoryRow = Selectable<CategoryTable>;

/** The unique constraint on a category's slug. */
const SLUG_KEY = 'category_slug_key';

/** A category with a page of its articles, and the total number of its articles. */
export interface CategoryPage {
  category: CategoryDetail;
  /** The members that change only when the category itself is written. */
  own: object;
  total: number;
}

/** Checks a category's own members before they are replaced; throws to forbid the write. */
export type CategoryPrecondition = (own: object) => void;

/** A written category, and its own members as a read would find them. */
export interface OwnCategory {
  category: WrittenCategory;
  own: object;
}

/** A category after a write, and what the write changed. */
export interface ChangedCategory extends OwnCategory {
  changes: CategoryChanges;
}

/** The categories of the content service in the database. */
export class CategoryStore {
  readonly #db: Database;
  readonly #readDb: Database;
  readonly #articles = new ArticleList();

  /** Public reads take `readDb`, which may be a replica of `db`. */
  constructor(db: Database, readDb: Database = db) {
    this.#db = db;
    this.#readDb = readDb;
  }

  /** All categories by name, with their numbers of published articles. */
  async list(): Promise<CategoryListItem[]> {
    const rows = await this.#readDb
      .selectFrom('content.category as category')
      .leftJoin('content.article_count as count', (join) =>
        join.onRef('count.category_id', '=', 'category.id').on('count.is_published', '=', true),
      )
      .selectAll('category')
      .select(({ fn }) => fn.coalesce('count.articles', sql<number>`0`).as('article_count'))
      .orderBy('category.name')
      .orderBy('category.id')
      .execute();
    return rows.map((row) => ({ ...shown(row), article_count: row.article_count }));
  }

  /**
   * One category with a page of its published articles.
   *
   * @throws Failure `missing`
   */
  async read(id: number, page: Page): Promise<CategoryPage> {
    const row = await this.#readDb
      .selectFrom('content.category')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw noSuchCategory(id);
    return this.#page(this.#readDb, row, page);
  }

  /**
   * Creates a category.
   *
   * @throws Failure `conflict` with code `slug_taken` if the body gives a slug that another category has
   */
  async create({ slug, ...body }: CategoryCreate): Promise<OwnCategory> {
    const category = await this.#db
      .insertInto('content.category')
      .values({ ...body, slug: slug ?? freeSlug('content.category', slugify(body.name, 'category')) })
      .returningAll()
      .executeTakeFirstOrThrow()
      .catch(explainSlug);
    return { category, own: shown(category) };
  }

  /**
   * Changes the members that `body` has while it holds the row lock. Returns the category and exactly what
   * changed.
   *
   * @throws Failure `missing`, `conflict` with code `slug_taken`, and whatever `precondition` throws
   */
  update(id: number, body: CategoryChange, precondition?: CategoryPrecondition): Promise<ChangedCategory> {
    const write = this.#db.transaction().execute(async (tx) => {
      const before = await this.#lock(tx, id, precondition);
      const category = await tx
        .updateTable('content.category')
        .set({
          ...body,
          updated_at: sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`,
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return { category, own: shown(category), changes: changesBetween(before, category) };
    });
    return write.catch(explainSlug);
  }

  /**
   * Deletes a category.
   *
   * @throws Failure `missing`, `conflict` while it has articles, and whatever `precondition` throws
   */
  async delete(id: number, precondition?: CategoryPrecondition): Promise<void> {
    const remove = this.#db.transaction().execute(async (tx) => {
      await this.#lock(tx, id, precondition);
      await tx.deleteFrom('content.category').where('id', '=', id).execute();
    });
    await remove.catch((error: unknown) => {
      if (!violates(error, 'article_category_id_fkey')) throw error;
      throw new Failure('conflict', 'the category still has articles; move or delete them first', {
        code: 'category_not_empty',
      });
    });
  }

  async #lock(
    tx: Database,
    id: number,
    precondition: CategoryPrecondition | undefined,
  ): Promise<CategoryRow> {
    const row = await tx
      .selectFrom('content.category')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) throw noSuchCategory(id);
    precondition?.(shown(row));
    return row;
  }

  async #page(db: Database, row: CategoryRow, page: Page): Promise<CategoryPage> {
    const scope = { status: 'published', categoryId: row.id } as const;
    const { articles, total } = await this.#articles.read(db, scope, page);
    return { category: { ...shown(row), articles }, own: shown(row), total };
  }
}

function noSuchCategory(id: number) {
  return new Failure('missing', id === 0 ? 'this category does not exist' : `category ${id} does not exist`);
}

function explainSlug(error: unknown): never {
  if (violates(error, SLUG_KEY))
    throw new Failure('conflict', 'another category already has this slug; choose a different one', {
      code: 'slug_taken',
    });
  throw error;
}

function shown({ id, name, slug, description, created_at, updated_at }: CategoryRow) {
  return {
    id,
    name,
    slug,
    description,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
