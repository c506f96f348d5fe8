import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Permitted } from '../api-keys/scope.ts';
import { checkReferences, type UpdatedArticle, updateIn, type Writer } from '../articles/store.ts';
import type { ContentTables } from '../tables.ts';
import type { WorkingChanges } from './schema.ts';

/** Changes of an article that readers do not see yet. */
export interface WorkingCopy {
  /** The revision of the article that they are meant to change. */
  revision: number;
  is_current: boolean;
  changes: WorkingChanges;
  saved_at: Date;
  saved_by: string | null;
  /** The name of that key. */
  key_name: string | null;
}

/** Who saves: the public prefix of a key, and what it asks. */
export interface Saver {
  key: string;
  /** Checks the article; throws to forbid what is asked. */
  check: (article: Permitted) => void;
  /** Checks the working copy that is there before it is replaced or removed; throws to forbid that. */
  precondition?: ((own: object | undefined) => void) | undefined;
}

/** The working copies of published articles. */
export class WorkingCopies {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /**
   * The working copy of an article.
   *
   * @throws Failure `missing` if there is none
   */
  read(articleId: number): Promise<WorkingCopy> {
    return find(this.#db, articleId);
  }

  /**
   * Saves the working copy of a published article in place of the one it has.
   *
   * @throws Failure `missing`, `conflict` for a draft, `invalid` for a category or tag that does not
   * exist, and whatever `saver` throws
   */
  save(articleId: number, changes: WorkingChanges, saver: Saver): Promise<WorkingCopy> {
    return this.#db.transaction().execute(async (tx) => {
      await checkReferences(tx, changes);
      const article = await lockArticle(tx, articleId);
      saver.check(article);
      saver.check({ ...article, ...changes });
      if (!article.is_published) throw notPublished();
      const before = await findMaybe(tx, articleId);
      saver.precondition?.(before && ownOf(before));
      const saved = {
        revision: article.revision,
        changes: sql<WorkingChanges>`${JSON.stringify(changes)}::jsonb`,
        saved_at: sql<Date>`clock_timestamp()`,
        saved_by: saver.key,
      };
      await tx
        .insertInto('content.working_copy')
        .values({ article_id: articleId, ...saved })
        .onConflict((conflict) => conflict.column('article_id').doUpdateSet(saved))
        .execute();
      return find(tx, articleId);
    });
  }

  /**
   * Removes the working copy of an article.
   *
   * @throws Failure `missing`, and whatever `saver` throws
   */
  remove(articleId: number, saver: Saver): Promise<void> {
    return this.#db.transaction().execute(async (tx) => {
      saver.check(await lockArticle(tx, articleId));
      const copy = await find(tx, articleId);
      saver.precondition?.(ownOf(copy));
      await tx.deleteFrom('content.working_copy').where('article_id', '=', articleId).execute();
    });
  }

  /**
   * Makes the changes of a working copy to its article, in one commit.
   *
   * @param seen the working copy as it was read
   * @param mayHaveChanged whether the article may be another than the working copy was made for
   * @throws Failure `missing`, `conflict` if the working copy, or the article, is not as it was, or as
   * `ArticleStore.update`
   */
  publish(
    articleId: number,
    seen: WorkingCopy,
    mayHaveChanged: boolean,
    writer: Writer,
  ): Promise<UpdatedArticle> {
    return this.#db.transaction().execute(async (tx) => {
      // Before the article, as every writer does.
      await checkReferences(tx, seen.changes);
      const article = await lockArticle(tx, articleId);
      const copy = await find(tx, articleId);
      if (copy.saved_at.getTime() !== seen.saved_at.getTime()) throw changedMeanwhile();
      if (!article.is_published) throw notPublished();
      if (!copy.is_current && !mayHaveChanged) throw articleChanged(copy.revision, article.revision);
      const published = await updateIn(tx, articleId, copy.changes, writer);
      await tx.deleteFrom('content.working_copy').where('article_id', '=', articleId).execute();
      return published;
    });
  }
}

/** What of a working copy changes when it is saved. */
export function ownOf({ revision, changes, saved_at, saved_by }: WorkingCopy): object {
  return { revision, changes, saved_at, saved_by };
}

async function lockArticle(tx: Transaction<ContentTables>, id: number) {
  return tx
    .selectFrom('content.article')
    .select(['is_published', 'category_id', 'revision'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new Failure('missing', 'this article does not exist'));
}

async function find(db: Kysely<ContentTables>, articleId: number): Promise<WorkingCopy> {
  const copy = await findMaybe(db, articleId);
  if (copy === undefined) throw new Failure('missing', 'the article has no working copy');
  return copy;
}

function findMaybe(db: Kysely<ContentTables>, articleId: number): Promise<WorkingCopy | undefined> {
  return db
    .selectFrom('content.working_copy as copy')
    .innerJoin('content.article as article', 'article.id', 'copy.article_id')
    .leftJoin('content.api_key as key', 'key.prefix', 'copy.saved_by')
    .select(['copy.revision', 'copy.changes', 'copy.saved_at', 'copy.saved_by', 'key.name as key_name'])
    .select(({ eb }) => eb('copy.revision', '=', eb.ref('article.revision')).as('is_current'))
    .where('copy.article_id', '=', articleId)
    .executeTakeFirst() as Promise<WorkingCopy | undefined>;
}

function notPublished(): Failure {
  return new Failure('conflict', 'the article is a draft, which no reader sees: change it by PATCH', {
    code: 'not_published',
  });
}

function changedMeanwhile(): Failure {
  return new Failure('conflict', 'the working copy was saved again meanwhile; look at it, then repeat this', {
    code: 'working_copy_changed',
  });
}

function articleChanged(from: number, to: number): Failure {
  return new Failure(
    'conflict',
    `the article has changed since the working copy was saved (revision ${from}, now ${to}): look at it, then` +
      ' save the working copy again, or publish it with the ETag of the article in If-Match',
    { code: 'article_changed' },
  );
}
