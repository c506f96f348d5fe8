import { Failure, invalid } from '@pressroom/common/failures/failure';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { databaseTime, timeFaults } from '../articles/schedule.ts';
import type { Page, Total } from '../envelope.ts';
import type { ContentTables } from '../tables.ts';
import { type Actor, writtenBy } from '../written-by.ts';

/** A release in the database. */
export type Release = Selectable<ContentTables['content.release']>;

/** An article of a release. */
interface ReleasedArticle {
  id: number;
  title: string;
  slug: string;
}

/** Checks a release before it is written; throws to forbid the write. */
export type ReleasePrecondition = (release: Release | undefined) => void;

/** The releases in the database: articles that are published in one transaction. */
export class ReleaseStore {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /** A page of the releases, those without a time first, then the latest first, and how many there are. */
  async page({ page, perPage }: Page): Promise<{ releases: Release[]; total: Total }> {
    const [releases, { total }] = await Promise.all([
      this.#db
        .selectFrom('content.release')
        .selectAll()
        .orderBy('publish_at', 'desc')
        .orderBy('name')
        .offset((page - 1) * perPage)
        .limit(perPage)
        .execute(),
      this.#db
        .selectFrom('content.release')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow(),
    ]);
    return { releases, total: { total, isExact: true } };
  }

  /**
   * One release with the articles that will be published with it.
   *
   * @throws Failure `missing`
   */
  async read(name: string): Promise<{ release: Release; articles: ReleasedArticle[] }> {
    const release = await selectRelease(this.#db, name).executeTakeFirstOrThrow(() => noSuchRelease(name));
    const articles = await this.#db
      .selectFrom('content.article')
      .select(['id', 'title', 'slug'])
      .where('release', '=', name)
      .orderBy('id')
      .execute();
    return { release, articles };
  }

  /**
   * Makes a release, or gives it another time; all of its articles follow.
   *
   * @throws Failure `invalid` for a time that cannot be meant, `conflict` with code `already_published`, and
   * whatever `precondition` throws
   */
  put(
    name: string,
    publish_at: Date | null,
    actor: Actor,
    precondition?: ReleasePrecondition,
  ): Promise<{ release: Release; isNew: boolean }> {
    return this.#db.transaction().execute(async (tx) => {
      const made = await tx
        .insertInto('content.release')
        .values({ name, publish_at: null })
        .onConflict((conflict) => conflict.doNothing())
        .returning(writtenBy(actor).as('writer'))
        .executeTakeFirst();
      const before = await selectRelease(tx, name).forUpdate().executeTakeFirst();
      if (before === undefined) throw new Failure('conflict', 'this release is being deleted; try again');
      const isNew = made !== undefined;
      precondition?.(isNew ? undefined : before);
      if (before.published_at !== null) {
        // The answer was lost, and what the request asks for has been done.
        if (publish_at?.getTime() === before.publish_at?.getTime()) return { release: before, isNew };
        const detail = `the release has been published (${before.publish_at?.toISOString()}); take another name`;
        throw new Failure('conflict', detail, { code: 'already_published' });
      }
      await checkTime(tx, name, publish_at);
      const release = await tx
        .updateTable('content.release')
        .set({ publish_at })
        .where('name', '=', name)
        .where(writtenBy(actor), '=', actor.key)
        .returningAll()
        .executeTakeFirstOrThrow();
      return { release, isNew };
    });
  }

  /**
   * Deletes a release: its articles remain drafts, those that it has published remain published.
   *
   * @throws Failure `missing`, and whatever `precondition` throws
   */
  async delete(name: string, actor: Actor, precondition?: ReleasePrecondition): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const release = await selectRelease(tx, name)
        .forUpdate()
        .executeTakeFirstOrThrow(() => noSuchRelease(name));
      precondition?.(release);
      await tx
        .deleteFrom('content.release')
        .where('name', '=', name)
        .where(writtenBy(actor), '=', actor.key)
        .execute();
    });
  }
}

function selectRelease(db: Kysely<ContentTables>, name: string) {
  return db.selectFrom('content.release').selectAll().where('name', '=', name);
}

async function checkTime(
  tx: Transaction<ContentTables>,
  name: string,
  publish_at: Date | null,
): Promise<void> {
  if (publish_at === null) return;
  const faults = timeFaults('publish_at', publish_at, await databaseTime(tx));
  if (faults.length > 0) throw invalid(faults);
  const over = await tx
    .selectFrom('content.article')
    .select('id')
    .where('release', '=', name)
    .where('unpublish_at', '<=', publish_at)
    .executeTakeFirst();
  if (over === undefined) return;
  const message = `is not before the unpublish_at of article ${over.id}`;
  throw invalid([{ field: 'publish_at', code: 'wrong_order', message }]);
}

function noSuchRelease(name: string): Failure {
  return new Failure('missing', `the release ${name} does not exist`);
}
