import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { RowAsJson } from '../row-as-json.ts';
import type { ContentTables } from '../tables.ts';

/** When and how an article was changed. */
export interface Revision {
  revision: number;
  created_at: Date;
  created_by: string | null;
  /** The name of that key. */
  key_name: string | null;
  /** The columns that are other than before; null if that is not kept. */
  changed: string[] | null;
}

/** A revision with the whole article. */
export interface WholeRevision extends Revision {
  /** The values of its columns as JSON, all but the content. */
  members: RowAsJson;
  content: string;
  /** The slugs of its tags and authors in their order; null for one that does not exist any more. */
  tags: (string | null)[];
  authors: (string | null)[];
}

/** The revisions of articles in the database. */
export class RevisionStore {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /**
   * The newest revisions of an article before the number `before`: one more than `perPage` if there are as
   * many.
   *
   * @throws Failure `missing` if the article does not exist
   */
  async list(articleId: number, perPage: number, before = 2 ** 31 - 1): Promise<Revision[]> {
    const { rows } = await sql<Revision>`
      select ${ENTRY} from ${revisionsOf(articleId)} where revision < ${before}
      order by revision desc limit ${perPage + 1}
    `.execute(this.#db);
    if (rows.length === 0 && !(await this.#exists(articleId)))
      throw new Failure('missing', 'this article does not exist');
    return rows;
  }

  async #exists(articleId: number): Promise<boolean> {
    const query = this.#db.selectFrom('content.article').select('id').where('id', '=', articleId);
    return (await query.executeTakeFirst()) !== undefined;
  }

  /**
   * One revision of an article.
   *
   * @throws Failure `missing` if there is none, or not any more
   */
  async read(articleId: number, revision: number): Promise<WholeRevision> {
    const { rows } = await sql<WholeRevision>`
      select ${ENTRY}, whole.members, whole.content, ${slugsOf('tag')} as tags, ${slugsOf('author')} as authors
      from ${revisionsOf(articleId)} cross join lateral (
        select
          to_jsonb(article) - 'content' || coalesce((
            select jsonb_object_agg(key, value order by later.number desc)
            from content.article_revision as later cross join jsonb_each(later.members)
            where later.article_id = article.id and later.number >= numbered.revision
          ), '{}') as members,
          coalesce((
            select later.content from content.article_revision as later
            where later.article_id = article.id and later.number >= numbered.revision and later.content is not null
            order by later.number limit 1
          ), article.content) as content
        from content.article as article where article.id = numbered.article_id
      ) as whole
      where revision = ${revision}
    `.execute(this.#db);
    const [found] = rows;
    if (found === undefined)
      throw new Failure('missing', 'the article has no such revision, or not any more');
    return found;
  }
}

/** The slugs of the tags or authors of the article `whole`. */
function slugsOf(noun: 'tag' | 'author') {
  return sql`array(
    select term.slug
    from jsonb_array_elements_text(whole.members -> ${sql.lit(`${noun}_ids`)}) with ordinality as given (id, place)
    left join ${sql.id('content', noun)} as term on term.id = given.id::integer order by place
  )`;
}

/** The revisions of an article, the current one among them, and their keys. */
function revisionsOf(articleId: number) {
  return sql`(
    select id as article_id, revision, revised_at as created_at, revised_by as created_by
    from content.article where id = ${articleId}
    union all
    select former.article_id, former.number, former.created_at, former.created_by
    from content.article join content.article_revision as former on former.article_id = id where id = ${articleId}
  ) as numbered left join content.api_key as key on key.prefix = created_by`;
}

/** The columns of a {@link Revision}; what one changed is in the one before it. */
const ENTRY = sql`revision, numbered.created_at, created_by, key.name as key_name, (
  select array(select jsonb_object_keys(former.members))
    || case when former.content is null then '{}' else '{content}'::text[] end
  from content.article_revision as former
  where former.article_id = numbered.article_id and former.number = numbered.revision - 1
) as changed`;
