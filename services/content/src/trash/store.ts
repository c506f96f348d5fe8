import { violates } from '@pressroom/common/database/database-fault';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Permitted } from '../api-keys/scope.ts';
import { checkReferences, type OwnArticle, writtenIn } from '../articles/store.ts';
import { termIds } from '../articles/terms.ts';
import type { RowAsJson } from '../row-as-json.ts';
import type { ContentTables } from '../tables.ts';
import { type Actor, writtenBy } from '../written-by.ts';
import type { Differing } from './schema.ts';

/** A deleted article. */
export interface DeletedArticle {
  /** In the order of deletion. */
  number: number;
  deleted_at: Date;
  deleted_by: string | null;
  /** The name of that key. */
  key_name: string | null;
  /** The values of its columns as JSON, all but the content. */
  members: RowAsJson;
}

/** A restored article, and whether it was there already. */
export interface RestoredArticle extends OwnArticle {
  category_id: number | null;
  repeated: boolean;
}

/** Who restores, and what they may restore. */
export interface Restorer {
  actor: Actor;
  /** Called with the article as it was and as it will be; throws to forbid it. */
  check: (article: Permitted) => void;
}

/** The deleted articles that can be restored. */
export class Trash {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /** What was deleted last before the number `before`: one more than `perPage` if there are as many. */
  list(perPage: number, before = Number.MAX_SAFE_INTEGER): Promise<DeletedArticle[]> {
    return this.#db
      .selectFrom('content.deleted_article as deleted')
      .leftJoin('content.api_key as key', 'key.prefix', 'deleted.deleted_by')
      .select([
        'deleted.number',
        'deleted.deleted_at',
        'deleted.deleted_by',
        'deleted.members',
        'key.name as key_name',
      ])
      .where('deleted.number', '<', before)
      .orderBy('deleted.number', 'desc')
      .limit(perPage + 1)
      .execute();
  }

  /**
   * Brings a deleted article back as it was but for what `differing` says; one that is there stays as it is.
   *
   * @throws Failure `missing` if there is none or it cannot be restored any more, `invalid` if its
   * category or a tag does not exist any more, and whatever `check` throws
   */
  restore(id: number, differing: Differing, restorer: Restorer): Promise<RestoredArticle> {
    const restoring = this.#db.transaction().execute((tx) => restore(tx, id, differing, restorer));
    return restoring.catch(explainMissing);
  }
}

async function restore(
  tx: Transaction<ContentTables>,
  id: number,
  { tags, authors, ...differing }: Differing,
  { actor, check }: Restorer,
): Promise<RestoredArticle> {
  await checkReferences(tx, differing);
  const tag_ids = tags && (await termIds(tx, 'tags', tags));
  const author_ids = authors && (await termIds(tx, 'authors', authors));
  const deleted = await tx
    .selectFrom('content.deleted_article')
    .select(({ ref }) => [
      sql<boolean>`(${ref('members')} -> 'is_published')::boolean`.as('is_published'),
      sql<number | null>`(${ref('members')} ->> 'category_id')::integer`.as('category_id'),
    ])
    .where('article_id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (deleted !== undefined) {
    check(deleted);
    check({ ...deleted, ...differing });
    const columns = JSON.stringify({
      ...differing,
      ...(tag_ids && { tag_ids }),
      ...(author_ids && { author_ids }),
    });
    await sql`select ${writtenBy(actor)}, content.restore_article(${id}, ${columns}::jsonb)`.execute(tx);
  }
  const restored = await writtenIn(tx, id);
  if (restored === undefined)
    throw new Failure('missing', 'there is no such article, or it cannot be restored any more');
  check({ is_published: restored.article.is_published, category_id: restored.category_id });
  return { ...restored, repeated: deleted === undefined };
}

/** What a restored article refers to, by its foreign keys: the member, and what to do without it. */
const REFERENCES = {
  article_category_id_fkey: [
    'category_id',
    'its category does not exist any more; give another one, or null',
  ],
  article_tag_tag_id_fkey: ['tags', 'one does not exist any more; give those that the article shall have'],
  article_author_author_id_fkey: ['authors', 'one does not exist any more; give those that it shall have'],
} as const;

/** Names what an article had that does not exist any more. */
function explainMissing(error: unknown): never {
  for (const [key, [field, message]] of Object.entries(REFERENCES)) {
    if (violates(error, key)) throw invalid([{ field, code: 'not_found', message }]);
  }
  throw error;
}
