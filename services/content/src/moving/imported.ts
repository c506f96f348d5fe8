import { Refusal } from '@pressroom/moving/reasons';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { explainSlug, freeSlug, idOfSlug, SLUG_PATTERN, type Slugged, slugify } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import { AUTHORS, CATEGORIES, SERIES, TAGS, type TermKind } from '../terms/kinds.ts';
import { termSchemas } from '../terms/terms.ts';
import type { ImportedArticle, ImportedTerm, Past } from './import-line.ts';

/** An article that an earlier import may have made. */
interface Candidate {
  key: string | null;
  id: number;
  slug: string;
  created_at: Date;
  published_at: Date | null;
  former_slugs: string[];
}

/**
 * The ids of those of these articles that are there since an earlier import: by the key that it kept, or in
 * an export by id and slug.
 */
export async function importedBefore(
  db: Kysely<ContentTables>,
  articles: readonly ImportedArticle[],
): Promise<Map<ImportedArticle, number>> {
  const keys = articles.flatMap(({ key, otherKeys, formerKeys }) => [
    ...otherKeys,
    ...formerKeys,
    ...(key === undefined ? [] : [key]),
  ]);
  const ids = articles.flatMap(({ ownId }) => ownId ?? []);
  const members = sql`article.id, article.slug, article.created_at, article.published_at, array(
    select former.slug from content.former_slug as former
    where former.resource = 'article' and former.id = article.id) as former_slugs`;
  const { rows } = await sql<Candidate>`
    select kept.key, ${members} from content.idempotency_key as kept
      join content.article as article on article.id = kept.article_id where kept.key = any(${keys}::text[])
    union all select null, ${members} from content.article as article where article.id = any(${ids}::integer[])
  `.execute(db);
  const known = new Map<ImportedArticle, number>();
  for (const article of articles) {
    const row =
      rows.find(({ key }) => key !== null && key === article.key) ??
      rows.find(({ key }) => key !== null && article.otherKeys.includes(key)) ??
      rows.find((one) =>
        one.key === null
          ? isItself(article, one)
          : article.formerKeys.includes(one.key) && isLike(article, one),
      );
    if (row !== undefined) known.set(article, row.id);
  }
  return known;
}

/**
 * Deletes for good those of these articles that an earlier import made and its undo put in the trash: they
 * come anew, and need their slugs.
 */
export async function forgetUndone(
  tx: Kysely<ContentTables>,
  articles: readonly ImportedArticle[],
): Promise<void> {
  const keys = articles.flatMap(({ key, otherKeys }) => [...otherKeys, ...(key === undefined ? [] : [key])]);
  const restored = articles.flatMap(({ past: { id }, body: { slug } }) =>
    id === undefined ? [] : { id, slug },
  );
  await sql`
    delete from content.deleted_article as deleted using content.imported_article as made
    where made.article_id = deleted.article_id and made.undone = 'removed' and deleted.article_id in (
      select kept.article_id from content.idempotency_key as kept where kept.key = any(${keys}::text[])
      union all select id from json_to_recordset(${JSON.stringify(restored)}) as restored (id integer, slug text)
      where slug = deleted.members ->> 'slug')
  `.execute(tx);
}

/** True if an article comes back to the place it was exported from. */
function isItself({ ownId, past, body }: ImportedArticle, { id, slug, created_at }: Candidate): boolean {
  if (id !== ownId || slug !== body.slug) return false;
  return past.id !== undefined || Number(past.created_at) === Number(created_at);
}

/** True if an article may be the one with the key of an earlier version, which different articles shared. */
function isLike({ wanted, past }: ImportedArticle, { slug, published_at, former_slugs }: Candidate): boolean {
  if (wanted.isGiven) return slug === wanted.slug || former_slugs.includes(wanted.slug);
  return past.published_at === undefined || Number(past.published_at) === Number(published_at);
}

type Database = Kysely<ContentTables>;

/** The kinds of terms that a file may have. */
export const TERM_KINDS: Readonly<Record<TermKind['noun'], TermKind>> = {
  category: CATEGORIES,
  tag: TAGS,
  author: AUTHORS,
  series: SERIES,
};

interface KnownTerm {
  id: number;
  slug: string;
  isNew: boolean;
  /** Former slugs that lead to another one, and so are not kept. */
  lostSlugs: readonly string[];
}

/**
 * The category, tag, author or series with this slug, also a former one, or else this name; made if there is
 * none, by the API's rules unless it is `unchecked`. Throws an error that says what is wrong with it.
 */
export async function findOrMakeTerm(
  db: Database,
  kind: TermKind,
  term: ImportedTerm,
  past?: Past,
  unchecked = false,
): Promise<KnownTerm> {
  return (await findTerm(db, kind, term, past?.id)) ?? makeTerm(db, kind, term, unchecked, past);
}

async function findTerm(
  db: Database,
  { noun, table }: TermKind,
  { name, slug }: ImportedTerm,
  id: number | undefined,
): Promise<KnownTerm | undefined> {
  const given = slug ?? (SLUG_PATTERN.test(name) ? name : undefined);
  if (given !== undefined) {
    const row = await select(db, table, sql`id = ${idOfSlug(noun, sql`${given}`)}`);
    if (row !== undefined) {
      if (id !== undefined && row.id !== id)
        throw new Error(`the slug ${given} belongs to the ${noun} ${row.id}; restore into an empty database`);
      return { ...row, isNew: false, lostSlugs: [] };
    }
  }
  // With a slug given, others may have the same name.
  const forms = ['NFC', 'NFD'].map((form) => name.normalize(form));
  const named =
    slug === undefined ? await select(db, table, sql`name = any(${[name, ...forms]}::text[])`) : undefined;
  return named && { ...named, isNew: false, lostSlugs: [] };
}

async function select(
  db: Database,
  table: TermKind['table'],
  where: RawBuilder<unknown>,
): Promise<{ id: number; slug: string } | undefined> {
  const { rows } = await sql<{ id: number; slug: string }>`
    select id, slug from ${sql.table(table)} where ${where} order by id limit 1`.execute(db);
  return rows[0];
}

async function makeTerm(
  db: Database,
  kind: TermKind,
  { name, slug, more }: ImportedTerm,
  unchecked: boolean,
  { id, created_at, updated_at, former_slugs }: Past = { former_slugs: [] },
): Promise<KnownTerm> {
  const { noun, table } = kind;
  const { error } = termSchemas(kind).create.safeParse({ name, ...more });
  const issue = (!unchecked || id === undefined) && error?.issues[0];
  if (issue) {
    const at = issue.path[0] === 'name' ? '' : ` ${issue.path.join('.')}:`;
    const advice =
      issue.code === 'custom' && issue.params?.code === 'too_long' ? '; --truncate shortens it' : '';
    const about = `${noun} "${name}"`;
    throw new Refusal('value_refused', about, `${about}:${at} ${issue.message}${advice}`);
  }
  const row = {
    name,
    ...more,
    ...(more.links !== undefined && { links: JSON.stringify(more.links) }),
    slug: slug ?? freeSlug(noun, slugify(name, noun)),
    ...(id !== undefined && { id }),
    ...(created_at && { created_at }),
    ...(updated_at && { updated_at }),
  };
  const columns = Object.keys(row).map((column) => sql.ref(column));
  const { rows } = await sql<{ id: number; slug: string }>`
    insert into ${sql.table(table)} (${sql.join(columns)}) overriding system value
    values (${sql.join(Object.values(row))}) returning id, slug
  `
    .execute(db)
    .catch((fault) => explainSlug(fault, noun));
  const made = { id: 0, slug: '', ...rows[0], isNew: true };
  const lostSlugs = await keepFormerSlugs(db, noun, made.id, former_slugs);
  if (id !== undefined && lostSlugs.length > 0)
    throw new Error(`former_slugs: ${lostSlugs[0]} belongs to another ${noun}`);
  return { ...made, lostSlugs };
}

/**
 * Keeps the slugs that a new row had elsewhere, so that they lead to it, and returns those that belong to
 * another row, which are not kept. Whoever calls this has written a slug of the table, and so holds its lock.
 */
export async function keepFormerSlugs(
  db: Kysely<ContentTables>,
  resource: Slugged,
  id: number,
  slugs: readonly string[],
): Promise<string[]> {
  if (slugs.length === 0) return [];
  const { rows } = await sql<{ slug: string; is_taken: boolean }>`
    select slug, content.slug_is_taken(${`content.${resource}`}::regclass, slug, null) as is_taken
    from unnest(${slugs}::text[]) as slug
  `.execute(db);
  const free = rows.filter(({ is_taken }) => !is_taken).map(({ slug }) => slug);
  await sql`
    insert into content.former_slug (resource, slug, id)
    select distinct ${resource}, slug, ${id}::integer from unnest(${free}::text[]) as slug
  `.execute(db);
  return rows.filter(({ is_taken }) => is_taken).map(({ slug }) => slug);
}
