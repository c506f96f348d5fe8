import { randomBytes } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { Permitted } from '../api-keys/scope.ts';
import { hashToken } from '../articles/preview-token.ts';
import type { ContentTables } from '../tables.ts';
import { type Actor, writtenBy } from '../written-by.ts';

/** Bytes of a token. */
const TOKEN_BYTES = 32;

/** How many links an article may have at once. */
const MOST_PREVIEWS = 100;

/** A link to an article as lists show it, without its token. */
export interface Preview {
  id: number;
  created_at: Date;
  expires_at: Date;
}

/** Checks the article of a preview; throws to forbid what is asked. */
export type ArticleCheck = (article: Permitted) => void;

/** The previews of articles in the database, which stores only hashes of their tokens. */
export class PreviewStore {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /**
   * Makes a link to an article for some seconds, and returns it with its token, the only time it can be seen.
   * Links that have expired go.
   *
   * @throws Failure `missing`, `conflict` if there are too many, and whatever `check` throws
   */
  create(
    articleId: number,
    seconds: number,
    actor: Actor,
    check: ArticleCheck,
  ): Promise<Preview & { token: string }> {
    return this.#db.transaction().execute(async (tx) => {
      await findArticle(tx, articleId, check);
      await tx
        .deleteFrom('content.preview')
        .where('article_id', '=', articleId)
        .where('expires_at', '<=', sql<Date>`clock_timestamp()`)
        .execute();
      const { count } = await tx
        .selectFrom('content.preview')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('article_id', '=', articleId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MOST_PREVIEWS) {
        const detail = `the article has ${MOST_PREVIEWS} previews; revoke one first`;
        throw new Failure('conflict', detail, { code: 'too_many_previews' });
      }
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const { writer: _, ...preview } = await tx
        .insertInto('content.preview')
        .values({
          article_id: articleId,
          token_hash: hashToken(token),
          expires_at: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`,
        })
        .returning(['id', 'created_at', 'expires_at', writtenBy(actor).as('writer')])
        .executeTakeFirstOrThrow();
      return { ...preview, token };
    });
  }

  /**
   * The links of an article that work, the newest first.
   *
   * @throws Failure `missing`, and whatever `check` throws
   */
  async list(articleId: number, check: ArticleCheck): Promise<Preview[]> {
    await findArticle(this.#db, articleId, check);
    return this.#db
      .selectFrom('content.preview')
      .select(['id', 'created_at', 'expires_at'])
      .where('article_id', '=', articleId)
      .where('expires_at', '>', sql<Date>`clock_timestamp()`)
      .orderBy('id', 'desc')
      .execute();
  }

  /**
   * Revokes a link: from the commit on it shows nothing.
   *
   * @throws Failure `missing`, and whatever `check` throws
   */
  async revoke(articleId: number, id: number, actor: Actor, check: ArticleCheck): Promise<void> {
    await findArticle(this.#db, articleId, check);
    const { numDeletedRows } = await this.#db
      .deleteFrom('content.preview')
      .where('article_id', '=', articleId)
      .where('id', '=', id)
      .where(writtenBy(actor), '=', actor.key)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw new Failure('missing', 'the article has no such preview');
  }
}

async function findArticle(db: Kysely<ContentTables>, id: number, check: ArticleCheck): Promise<void> {
  // Locked, so that two creates do not exceed the limit together; readers do not wait for it.
  const article = await db
    .selectFrom('content.article')
    .select(['is_published', 'category_id'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new Failure('missing', 'this article does not exist'));
  check(article);
}
