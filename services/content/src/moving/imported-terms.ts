import { type Kysely, type RawBuilder, sql } from 'kysely';
import { explainSlug, freeSlug, idOfSlug, SLUG_PATTERN, slugify } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import { AUTHORS } from '../terms/authors.ts';
import { CATEGORIES } from '../terms/categories.ts';
import type { TermKind } from '../terms/kind.ts';
import { termSchemas } from '../terms/schema.ts';
import { TAGS } from '../terms/tags.ts';
import { keepFormerSlugs } from './former-slugs.ts';
import type { ImportedTerm, Past } from './import-line.ts';

type Database = Kysely<ContentTables>;

/** The kinds of terms that a file may have. */
export const TERM_KINDS: Readonly<Record<TermKind['noun'], TermKind>> = {
  category: CATEGORIES,
  tag: TAGS,
  author: AUTHORS,
};

/** A term that articles name. */
export interface KnownTerm {
  id: number;
  slug: string;
  isNew: boolean;
  /** Former slugs that lead to another one, and so are not kept. */
  lostSlugs: readonly string[];
}

/**
 * The category, tag or author with this slug, also a former one, or else this name; made if there is none.
 * Throws an error that says what is wrong with it.
 */
export async function findOrMakeTerm(
  db: Database,
  kind: TermKind,
  term: ImportedTerm,
  past?: Past,
): Promise<KnownTerm> {
  return (await findTerm(db, kind, term, past?.id)) ?? makeTerm(db, kind, term, past);
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
  // Where a slug is given, others may have the same name.
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
  { id, created_at, updated_at, former_slugs }: Past = { former_slugs: [] },
): Promise<KnownTerm> {
  const { noun, table } = kind;
  const { error } = termSchemas(kind).create.safeParse({ name, ...more });
  const issue = id === undefined && error?.issues[0];
  if (issue) {
    const at = issue.path[0] === 'name' ? '' : ` ${issue.path.join('.')}:`;
    const advice =
      issue.code === 'custom' && issue.params?.code === 'too_long' ? '; --truncate shortens it' : '';
    throw new Error(`${noun} "${name}":${at} ${issue.message}${advice}`);
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
