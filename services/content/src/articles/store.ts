import { PreparedQueries, PreparedQuery, PreparedTexts, violates } from '@pressroom/common/database/database';
import { type FieldFault, invalid } from '@pressroom/common/failures/failure';
import { type InsertObject, type Kysely, sql, type Transaction, type UpdateObject } from 'kysely';
import type { Permitted } from '../api-keys.ts';
import type { ArticlePlace } from '../cache-subjects.ts';
import { changesBetween } from '../changes.ts';
import { type Actor, keyOf, writtenBy } from '../envelope.ts';
import { TOO_SHORT } from '../html/html-inspector.ts';
import { explainSlug, freeSlug, type LanguageOf, noLanguage, slugify } from '../slug.ts';
import type { ArticleTable, ContentTables } from '../tables.ts';
import {
  type ArticleRow,
  ASSIGNEE,
  columnsFor,
  type DetailRow,
  noSuchArticle,
  type OwnMembers,
  ownMembers,
  type ReadArticle,
  type Reader,
  readArticle,
  readArticleBySlug,
  selectDetail,
  type TermsOfArticle,
  termIds,
  termsOf,
  titleWords,
} from './detail.ts';
import { findRepeated, type IdempotentRequest, keepKey } from './idempotency.ts';
import { type Pictured, picturesOf, type ShownPicture } from './pictures.ts';
import {
  hasSchedule,
  joinRelease,
  planContext,
  planOf,
  type ReleaseTime,
  releaseOf,
  type ShownSchedule,
  schedulesOf,
} from './publication.ts';
import { type RelatedCard, relatedCards } from './related.ts';
import {
  type ArticleChange,
  type ArticleChanges,
  type ArticleCreate,
  DETAIL_MEMBERS,
  type Extra,
  eachDetailMember,
  OPTIONAL_MEMBERS,
  type ReviewState,
} from './schema.ts';

type Database = Kysely<ContentTables>;
type ArticleUpdate = UpdateObject<ContentTables & { article: ArticleTable }, 'article'>;

/** A written article, and its own members as a read would find them. */
export interface OwnArticle {
  article: WrittenArticle;
  own: object;
}

/** An updated article: the changed members, and the category before and after. */
export interface UpdatedArticle extends OwnArticle {
  changes: ArticleChanges;
  place: ArticlePlace;
}

/**
 * Columns that an imported article had elsewhere, as far as they are known; with its id, also its schedule.
 */
export type ImportedColumns = Partial<
  Pick<ArticleRow, 'id' | 'created_at' | 'updated_at' | 'publish_at' | 'unpublish_at' | 'release'> & {
    published_at: Date;
    slug_is_given: boolean;
    series_id: number;
    series_position: number;
  }
>;

/**
 * Checks an article's own members, and what decides who may write it, before it is written; throws to forbid
 * the write.
 */
type Precondition = (own: OwnMembers, article: Permitted) => void;

/** The writer, and further conditions on the article. */
export interface Writer {
  actor: Actor;
  precondition?: Precondition;
  /** Checks that readers may get to see what the change makes of an article, which is locked. */
  approve?: ((tx: Transaction<ContentTables>, before: DetailRow) => Promise<void>) | undefined;
}

/** The articles of the content service in the database. */
export class ArticleStore {
  readonly #db: Database;
  readonly #readDb: Database;
  readonly #language: LanguageOf;

  /** Public reads take `readDb`, which may be a replica of `db`; slugs are spelled as in `language`. */
  constructor(db: Database, readDb: Database = db, language: LanguageOf = noLanguage) {
    this.#db = db;
    this.#readDb = readDb;
    this.#language = language;
  }

  /**
   * One article with its neighbours.
   *
   * @throws Failure `missing` if it does not exist or `reader` may not see it
   */
  read(id: number, reader: Reader): Promise<ReadArticle> {
    return readArticle(this.#dbFor(reader), id, reader);
  }

  /**
   * Like {@link read}, by the slug.
   *
   * @throws Failure `missing` if no article has it, or `reader` may not see the one that has
   * @throws MovedSlug if the article has another slug by now
   */
  readBySlug(slug: string, reader: Reader): Promise<ReadArticle> {
    return readArticleBySlug(this.#dbFor(reader), slug, reader);
  }

  /** A replica may not have what was saved a moment ago, and still have a preview that was revoked. */
  #dbFor({ preview }: Reader): Database {
    return preview === undefined ? this.#readDb : this.#db;
  }

  /** The tags or authors of each of these articles, in their order. */
  terms<Member extends keyof TermsOfArticle>(
    member: Member,
    articleIds: readonly number[],
  ): Promise<Map<number, TermsOfArticle[Member][]>> {
    return termsOf(this.#readDb, member, articleIds);
  }

  /** What the gallery says of each article's picture, in their order; null of one without. */
  pictures(articles: readonly Pictured[]): Promise<(ShownPicture | null)[]> {
    return picturesOf(this.#readDb, articles);
  }

  /** Published articles that have something in common with this one, at most `most`. */
  related(id: number, most: number): Promise<RelatedCard[]> {
    return relatedCards(this.#readDb, id, most);
  }

  /** The `extra` of each of these articles. */
  async extras(articleIds: readonly number[]): Promise<Map<number, Extra | null>> {
    const query = this.#readDb.selectFrom('content.article').select(['id', 'extra']);
    const rows = await query.where('id', '=', sql<number>`any(${articleIds}::integer[])`).execute();
    return new Map(rows.map(({ id, extra }) => [id, extra]));
  }

  /** When each of these articles is published and taken back. */
  schedules(articleIds: readonly number[]): Promise<Map<number, ShownSchedule>> {
    return schedulesOf(this.#readDb, articleIds);
  }

  /** The working copies of those that have one. A replica may not have what was saved a moment ago. */
  workingCopies(articleIds: readonly number[]): Promise<Map<number, ShownWorkingCopy>> {
    return workingCopiesOf(this.#db, articleIds);
  }

  /** Returns the reviews of the articles that are under review. */
  reviews(articleIds: readonly number[]): Promise<Map<number, ShownReview>> {
    return reviewsOf(this.#db, articleIds);
  }

  /** The authors to whom these are assigned. */
  async assignees(articleIds: readonly number[]): Promise<Map<number, Assignee>> {
    const rows = await this.#db
      .selectFrom('content.assignment as assignment')
      .innerJoin('content.author as author', 'author.id', 'assignment.author_id')
      .select(['assignment.article_id', 'author.id', 'author.name', 'author.slug'])
      .where('article_id', '=', sql<number>`any(${articleIds}::integer[])`)
      .execute();
    return new Map(rows.map(({ article_id, ...author }) => [article_id, author]));
  }

  /** The number of unresolved comments, for those of the articles that have any. */
  async openComments(articleIds: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.#db
      .selectFrom('content.article_comment')
      .select(({ fn }) => ['article_id', fn.countAll<string>().as('count')])
      .where('article_id', '=', sql<number>`any(${articleIds}::integer[])`)
      .where('parent_id', 'is', null)
      .where('resolved_at', 'is', null)
      .groupBy('article_id')
      .execute();
    return new Map(rows.map(({ article_id, count }) => [article_id, Number(count)]));
  }

  /**
   * Creates an article, and publishes it now if it says so; `actor` writes it. A repeated `request`
   * creates nothing and returns the article that the first one created.
   *
   * @throws Failure `invalid` for a category that does not exist, a schedule that cannot be meant, or if its
   * key belongs to a different request; `conflict` with code `slug_taken` if the body gives a slug that
   * another article has, or had
   */
  async create(
    body: NewArticle,
    actor?: Actor,
    request?: IdempotentRequest,
  ): Promise<OwnArticle & { repeated: boolean }> {
    const language = await this.#language();
    // Tags and authors that were found must stay until the article has them.
    const hasTerms = (body.tags ?? []).length + (body.authors ?? []).length > 0;
    if (request === undefined && !hasTerms && !hasSchedule(body)) {
      return {
        ...written(await insertArticle(this.#db, body, actor, language).catch(explainRefusal)),
        repeated: false,
      };
    }
    const creation = this.#db.transaction().execute(async (tx) => {
      const first = request && (await findRepeated(tx, request));
      if (first !== undefined) {
        const row = await selectDetail(tx, first).executeTakeFirstOrThrow();
        return { ...written(row), repeated: true };
      }
      const row = await insertArticle(tx, { ...body, ...(await firstPlan(tx, body)) }, actor, language);
      if (request !== undefined) await keepKey(tx, request, row.id);
      return { ...written(row), repeated: false };
    });
    return creation.catch(explainRefusal);
  }

  /**
   * Changes the members that `body` has while it holds the row lock. Returns the article, exactly what
   * changed, and where the article was and is.
   *
   * @throws Failure `missing`, `invalid` for a category that does not exist or a schedule that cannot be
   * meant, `conflict` with code `slug_taken` or `already_published`, and whatever `precondition` throws
   */
  async update(id: number, body: WrittenChange, writer: Writer): Promise<UpdatedArticle> {
    const { actor, precondition, approve } = writer;
    if (precondition === undefined && approve === undefined) {
      const updated = await updateAtOnce(this.#db, id, body, actor).catch(explainRefusal);
      if (updated !== undefined) return atOnce(updated);
    }
    const language = await this.#language();
    return this.#db.transaction().execute((tx) => updateIn(tx, id, body, writer, language));
  }

  /**
   * Deletes an article, which can be restored for a while, and returns where it was.
   *
   * @throws Failure `missing`, and whatever `precondition` throws
   */
  delete(id: number, { actor, precondition }: Writer): Promise<ArticlePlace> {
    return this.#db.transaction().execute(async (tx) => {
      const row = await lock(tx, id);
      precondition?.(ownMembers(row), row);
      await tx
        .deleteFrom('content.article')
        .where('id', '=', id)
        .where(writtenBy(actor), '=', actor.key)
        .execute();
      return { id, categories: [row.category_id] };
    });
  }
}

/** Parsing and planning a write would take as long as carrying it out. */
const WRITES = new PreparedTexts();

function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the database has not returned what it has written');
  return row;
}

async function firstPlan(tx: Transaction<ContentTables>, body: ArticleCreate) {
  if (!hasSchedule(body)) return {};
  const release = body.release ? await joinRelease(tx, body.release) : undefined;
  return planOf(undefined, body, await planContext(tx, release));
}

/**
 * Creates an article with its former dates, slugs and so on, and returns its id.
 *
 * @throws Failure as `create` of the store
 */
export async function importArticle(
  tx: Transaction<ContentTables>,
  body: NewArticle,
  past: ImportedColumns,
): Promise<number> {
  const created = await newRow(tx, { ...body, ...(await firstPlan(tx, body)) });
  const row = {
    ...created,
    slug: body.slug ?? freeSlug('article', created.slug),
    published_at: body.is_published ? sql<Date>`clock_timestamp()` : null,
    ...past,
  };
  const columns = Object.keys(row).map((column) => sql.ref(column));
  const { rows } = await sql<{ id: number }>`
    insert into content.article (${sql.join(columns)}) overriding system value
    values (${sql.join(Object.values(row))}) returning id
  `
    .execute(tx)
    .catch(explainRefusal);
  return rows[0]?.id ?? 0;
}

/** Throws a failure that names the fault of a body that the database refuses. */
function explainRefusal(error: unknown): never {
  if (violates(error, 'article_category_id_fkey')) throw noSuchCategory();
  if (violates(error, 'article_long_enough')) throw invalid([TOO_SHORT]);
  if (violates(error, 'article_titled')) throw invalid([UNTITLED]);
  explainSlug(error, 'article');
}

const UNTITLED: FieldFault = { field: 'title', code: 'required', message: 'must not be empty' };

function noSuchCategory() {
  return invalid([{ field: 'category_id', code: 'not_found', message: 'this category does not exist' }]);
}

function atOnce({ row, changed, formerCategory }: SingleUpdate): UpdatedArticle {
  const values = changed.map((name) => [name, row[name as keyof ArticleRow]]);
  const changes = { ...Object.fromEntries(values), id: row.id };
  return { ...written(row), changes, place: { id: row.id, categories: [formerCategory, row.category_id] } };
}

function written(row: ArticleRow): OwnArticle {
  return { article: row, own: ownMembers(row) };
}

/** An article as the answer to its write shows it, and its category; undefined if it does not exist. */
export async function writtenIn(
  tx: Transaction<ContentTables>,
  id: number,
): Promise<(OwnArticle & Pick<ArticleRow, 'category_id'>) | undefined> {
  const row = await selectDetail(tx, id).executeTakeFirst();
  return row && { ...written(row), category_id: row.category_id };
}

type LockedRow = DetailRow & Pick<Permitted, 'assignee_id'>;

const LOCKED = new PreparedQuery<ContentTables, { id: number }, LockedRow>((db, value) =>
  selectDetail(db, value('id')).select(ASSIGNEE).forUpdate('article'),
);

async function lock(tx: Transaction<ContentTables>, id: number): Promise<LockedRow> {
  const [row] = await LOCKED.execute(tx, { id });
  if (row === undefined) throw noSuchArticle(id);
  return row;
}

/** {@link ArticleStore.update} in a transaction, which ends if this throws. */
export function updateIn(
  tx: Transaction<ContentTables>,
  id: number,
  body: WrittenChange,
  writer: Writer,
  language?: string,
): Promise<UpdatedArticle> {
  return updateLocked(tx, id, body, writer, language).catch(explainRefusal);
}

/**
 * Checks that the category, tags and authors of a change exist; in a transaction the latter two stay until it
 * ends.
 *
 * @throws Failure `invalid`
 */
export async function checkReferences(
  db: Database,
  { category_id, tags = [], authors = [] }: ArticleChange,
): Promise<void> {
  await termIds(db, 'tags', tags);
  await termIds(db, 'authors', authors);
  if (category_id === undefined || category_id === null) return;
  const query = db.selectFrom('content.category').select('id').where('id', '=', category_id);
  if ((await query.executeTakeFirst()) === undefined) throw noSuchCategory();
}

async function updateLocked(
  tx: Transaction<ContentTables>,
  id: number,
  { tags, authors, is_short = false, ...body }: WrittenChange,
  { actor, precondition, approve }: Writer,
  language: string | undefined,
): Promise<UpdatedArticle> {
  const tag_ids = tags && (await termIds(tx, 'tags', tags));
  const author_ids = authors && (await termIds(tx, 'authors', authors));
  const joined = body.release ? await joinRelease(tx, body.release, id) : undefined;
  const before = await lock(tx, id);
  precondition?.(ownMembers(before), before);
  await approve?.(tx, before);
  const query = tx
    .updateTable('content.article as article')
    .set({
      ...withoutSchedule(body),
      ...correctionsOf(body),
      ...(body.content !== undefined && { is_short }),
      ...(tag_ids && { tag_ids }),
      ...authorship(before, body.author, author_ids),
      ...(await nextPlan(tx, before, body, joined)),
      ...consequences(before, body, language),
    })
    .where('article.id', '=', id)
    .where(writtenBy(actor), '=', actor.key)
    .returning(columnsFor(true));
  const after = { ...onlyRow(await WRITES.execute(tx, query)), content: body.content ?? before.content };
  const place = { id, categories: [before.category_id, after.category_id] };
  const changes = changesBetween(before, after);
  const termsIn = async <Member extends keyof TermsOfArticle>(member: Member) =>
    (await termsOf(tx, member, [id])).get(id) ?? [];
  const shown = {
    ...('tag_ids' in changes && { tags: await termsIn('tags') }),
    ...('author_ids' in changes && { authors: await termsIn('authors') }),
  };
  return { ...written(after), changes: { ...changes, ...shown }, place };
}

function withoutSchedule({ publish_at, unpublish_at, release, corrections, ...rest }: ArticleChange) {
  return rest;
}

async function nextPlan(
  tx: Transaction<ContentTables>,
  before: DetailRow,
  body: ArticleChange,
  joined: ReleaseTime | undefined,
) {
  if (!hasSchedule(body) && !(body.is_published && before.unpublish_at !== null)) return {};
  const release = joined ?? (before.release === null ? undefined : await releaseOf(tx, before.release));
  return planOf(before, body, await planContext(tx, release));
}

/**
 * Returns a change's effect on the authors and the text in their place. A client that knows only the text
 * gets what it writes: another text than it read takes the authors from the article.
 */
function authorship(
  before: DetailRow,
  author: string | undefined,
  author_ids: number[] | undefined,
): ArticleUpdate {
  if (author_ids !== undefined && author_ids.length > 0) return { author_ids };
  if (before.author_ids.length === 0) return {};
  if (author_ids === undefined && (author === undefined || author === before.author))
    return { author: undefined };
  return { author_ids: [], author: author ?? sql<string>`left(${before.author}, 255)` };
}

/**
 * Returns the effects of a change: unless it was given, the slug follows the title until the first
 * publication, which sets `published_at`.
 */
function consequences(before: DetailRow, body: ArticleChange, language: string | undefined): ArticleUpdate {
  const follows: ArticleUpdate = {
    updated_at: NEXT_UPDATED_AT,
  };
  if (body.slug !== undefined) follows.slug_is_given = true;
  if (body.is_published && before.published_at === null) follows.published_at = sql<Date>`clock_timestamp()`;
  if (body.title === undefined || body.title === before.title) return follows;
  follows.title_words = titleWords(body.title);
  if (body.slug !== undefined || before.published_at !== null) return follows;
  const derived = freeSlug('article', slugify(body.title, 'article', { language }), before.slug);
  follows.slug = sql<string>`case when slug_is_given then slug else ${derived} end`;
  return follows;
}

/** An article as the answer to a write shows it. */
interface WrittenArticle {
  id: number;
  title: string;
  slug: string;
  is_published: boolean;
}

/** The members from which no other follows, except the slug of a draft from its title. */
const PLAIN = new Set<string>(['title', 'content', ...OPTIONAL_MEMBERS, 'extra', 'corrections']);

/** The column `corrections` of a body that gives it: the driver takes a list for an array of PostgreSQL. */
function correctionsOf({ corrections }: Pick<ArticleChange, 'corrections'>) {
  return corrections === undefined ? {} : { corrections: corrections && JSON.stringify(corrections) };
}

/** An updated article, the members that differ from before, and the category that it had. */
interface SingleUpdate {
  row: ArticleRow;
  changed: string[];
  formerCategory: number | null;
}

/** Strictly later than before, so that writes can be distinguished. */
const NEXT_UPDATED_AT = sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;

const UPDATES = new PreparedTexts();

/**
 * Updates an article in one statement, where nothing has to be known of it first: a transaction that locks
 * and reads it takes three more round trips. Undefined if there is no such article, or it takes more.
 */
async function updateAtOnce(
  db: Kysely<ContentTables>,
  id: number,
  { is_short = false, ...body }: WrittenChange,
  actor: Actor,
): Promise<SingleUpdate | undefined> {
  const { title, content, corrections: _, ...members } = body;
  const names = Object.keys(body);
  if (!names.every((name) => PLAIN.has(name))) return undefined;
  const was = names.map((name) => sql`, ${sql.ref(name)} as ${sql.ref(`was_${name}`)}`);
  const isShown = title === undefined ? sql`` : sql`and published_at is not null`;
  const changed = names.map((name) => {
    const [before, after] = [sql.ref(`was_${name}`), sql.ref(`article.${name}`)];
    return sql`case when ${before} is distinct from ${after} then ${sql.lit(name)} end`;
  });
  const query = db
    // RETURNING reads as old the row before the writes that the statement has waited for.
    .with(
      'before',
      () => sql<{ was_id: number; formerCategory: number | null }>`(
        select id as was_id, category_id as ${sql.ref('formerCategory')} ${sql.join(was, sql``)}
        from content.article where id = ${id} ${isShown} for update)`,
    )
    .updateTable('content.article as article')
    .from('before')
    .set({
      ...members,
      ...correctionsOf(body),
      ...(content !== undefined && { content, is_short }),
      ...(title !== undefined && { title, title_words: titleWords(title) }),
      updated_at: NEXT_UPDATED_AT,
    })
    .whereRef('id', '=', 'was_id')
    .where(writtenBy(actor), '=', actor.key)
    .returning(columnsFor(content !== undefined))
    .returning([
      'formerCategory',
      sql<string[]>`array_remove(array[${sql.join(changed)}], null)`.as('changed'),
    ]);
  const [updated] = await UPDATES.execute(db, query);
  if (updated === undefined) return undefined;
  const { changed: differing, formerCategory, ...row } = updated;
  return { row: content === undefined ? row : { ...row, content }, changed: differing, formerCategory };
}

/** True if the text is too short for readers. */
interface Length {
  is_short?: boolean | undefined;
}

type WrittenChange = ArticleChange & Length;

type NewArticle = ArticleCreate & Length & { author: string };

/**
 * The columns of a new article; without a given slug, `slug` is the one from which a free one is made.
 *
 * @throws Failure `invalid` for tags and authors that do not exist
 */
async function newRow(
  db: Kysely<ContentTables>,
  { tags = [], authors = [], ...body }: NewArticle,
  language?: string,
) {
  return {
    ...body,
    corrections: body.corrections?.length ? JSON.stringify(body.corrections) : null,
    tag_ids: await termIds(db, 'tags', tags),
    author_ids: await termIds(db, 'authors', authors),
    slug: body.slug ?? slugify(body.title, 'article', { language }),
    slug_is_given: body.slug !== undefined,
    title_words: titleWords(body.title),
    is_published: body.is_published ?? false,
    is_short: body.is_short ?? false,
  };
}

type NewRow = Awaited<ReturnType<typeof newRow>>;

/** Values of an article's members that its body leaves out. */
const LEFT_OUT = {
  excerpt: null,
  category_id: null,
  featured_image: null,
  ...eachDetailMember(null),
  extra: null,
  publish_at: null,
  unpublish_at: null,
  release: null,
} satisfies Partial<NewRow>;

type Values = Required<Omit<NewRow, 'slug_is_given'>> & Actor;

const INSERT = new PreparedQueries<
  ContentTables,
  { givesSlug: boolean; isSigned: boolean },
  Values,
  ArticleRow
>((db, { givesSlug, isSigned }, value) =>
  db
    .insertInto('content.article')
    .values({
      title: value('title'),
      slug: givesSlug ? value('slug') : freeSlug('article', value('slug')),
      content: value('content'),
      excerpt: value('excerpt'),
      category_id: value('category_id'),
      featured_image: value('featured_image'),
      ...(Object.fromEntries(DETAIL_MEMBERS.map((name) => [name, value(name)])) as Pick<
        InsertObject<ContentTables, 'content.article'>,
        (typeof DETAIL_MEMBERS)[number]
      >),
      author: value('author'),
      is_published: value('is_published'),
      is_short: value('is_short'),
      published_at: sql<Date>`case when ${value('is_published')} then clock_timestamp() end`,
      title_words: value('title_words'),
      tag_ids: value('tag_ids'),
      author_ids: value('author_ids'),
      extra: value('extra'),
      corrections: value('corrections'),
      slug_is_given: sql.lit(givesSlug),
      publish_at: value('publish_at'),
      unpublish_at: value('unpublish_at'),
      release: value('release'),
      ...(isSigned && {
        begun_account: value('account'),
        revised_by: writtenBy({
          key: value('key'),
          account: value('account'),
          requestId: value('requestId'),
          address: value('address'),
        }),
      }),
    })
    .returning(columnsFor(true)),
);

async function insertArticle(
  db: Kysely<ContentTables>,
  body: NewArticle,
  actor: Actor | undefined,
  language: string | undefined,
): Promise<ArticleRow> {
  const { slug_is_given: givesSlug, ...row } = await newRow(db, body, language);
  const query = INSERT.of({ givesSlug, isSigned: actor !== undefined });
  const [created] = await query.execute(db, { ...LEFT_OUT, ...row, ...actor } as Values);
  if (created === undefined) throw new Error('the database has not returned what it has written');
  return { ...created, content: body.content };
}

/** The working copy of an article as lists show it. */
interface ShownWorkingCopy {
  saved_at: string;
  is_current: boolean;
  key: ReturnType<typeof keyOf>;
}

async function workingCopiesOf(
  db: Kysely<ContentTables>,
  articleIds: readonly number[],
): Promise<Map<number, ShownWorkingCopy>> {
  if (articleIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('content.working_copy as copy')
    .innerJoin('content.article as article', 'article.id', 'copy.article_id')
    .leftJoin('content.api_key as key', 'key.prefix', 'copy.saved_by')
    .select(['article.id', 'copy.saved_at', 'copy.saved_by', 'key.name'])
    .select(({ eb }) => eb('copy.revision', '=', eb.ref('article.revision')).as('is_current'))
    .where('article.id', 'in', articleIds)
    .execute();
  return new Map(
    rows.map(({ id, saved_at, saved_by, name, is_current }) => {
      const isCurrent = is_current === true;
      return [id, { saved_at: saved_at.toISOString(), is_current: isCurrent, key: keyOf(saved_by, name) }];
    }),
  );
}

/** State of a review, as lists show it. */
interface ShownReview {
  state: ReviewState;
  changed_at: string;
  key: ReturnType<typeof keyOf>;
}

interface Assignee {
  id: number;
  name: string;
  slug: string;
}

async function reviewsOf(
  db: Kysely<ContentTables>,
  articleIds: readonly number[],
): Promise<Map<number, ShownReview>> {
  const rows = await db
    .selectFrom('content.review as review')
    .leftJoin('content.api_key as key', 'key.prefix', 'review.changed_by')
    .select(['review.article_id', 'review.state', 'review.changed_at', 'review.changed_by', 'key.name'])
    .where('review.article_id', '=', sql<number>`any(${articleIds}::integer[])`)
    .execute();
  return new Map(
    rows.map(({ article_id, state, changed_at, changed_by, name }) => [
      article_id,
      { state, changed_at: changed_at.toISOString(), key: keyOf(changed_by, name) },
    ]),
  );
}
