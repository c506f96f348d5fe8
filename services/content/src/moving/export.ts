import { once } from 'node:events';
import { createWriteStream, openSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import { DETAIL_MEMBERS, withoutUnset } from '../articles/schema.ts';
import type { ContentTables } from '../tables.ts';
import { AUTHORS, CATEGORIES, SERIES, TAGS, type TermKind } from '../terms/kinds.ts';

/** Rows read at once: articles have no bounded size. */
const BATCH = 20;

/**
 * Writes everything that readers and writers see as JSON Lines, as of one moment. Reports each line, and
 * returns how many there were.
 */
export async function exportContent(
  db: Kysely<ContentTables>,
  out: OutputFile,
  onLine: (line: string) => Promise<void> | undefined,
): Promise<number> {
  let lines = 0;
  for await (const line of exportedLines(db)) {
    await out.write(`${line}\n`);
    await onLine(line);
    lines += 1;
  }
  return lines;
}

/**
 * Everything that readers and writers see as lines of JSON: categories, tags, authors, series, releases and
 * articles, drafts too, in the order of their ids, as of one moment. The same content is always the same
 * bytes.
 */
export async function* exportedLines(db: Kysely<ContentTables>): AsyncGenerator<string> {
  const begin = db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  const tx = await begin.execute();
  try {
    for await (const line of linesOf(tx)) yield JSON.stringify(line);
  } finally {
    await tx.rollback().execute();
  }
}

/** Articles refer to these, so they come first. */
const TERMS: readonly TermKind[] = [CATEGORIES, TAGS, AUTHORS, SERIES];

async function* linesOf(tx: Transaction<ContentTables>): AsyncGenerator<object> {
  for (const { noun, table, shown, included } of TERMS) {
    const members = Object.keys({ ...shown, ...included?.shown }).map((name) => sql.ref(name));
    yield* rowsOf(
      (after) => sql`
        select ${noun} as type, id, name, slug, ${sql.join(members)}, created_at, updated_at, ${formerSlugs(noun)}
        from ${sql.table(table)} as one where id > ${after} order by id limit ${BATCH}`,
      tx,
    );
  }
  const { rows } = await sql<object>`
    select 'release' as type, name, publish_at, published_at, created_at from content.release order by name collate "C"
  `.execute(tx);
  yield* rows;
  const articles = rowsOf(
    (after) => sql`
      select 'article' as type, one.id, title, one.slug, slug_is_given, content, excerpt, category.slug as category,
        array(
          select tag.slug from unnest(tag_ids) with ordinality as given (id, place)
          join content.tag as tag on tag.id = given.id order by place
        ) as tags,
        array(
          select author.slug from unnest(author_ids) with ordinality as given (id, place)
          join content.author as author on author.id = given.id order by place
        ) as authors,
        (
          select json_build_object('name', series.name, 'slug', series.slug, 'position', series_position)
          from content.series as series where series.id = series_id
        ) as series,
        publish_at, unpublish_at, release, featured_image, ${sql.join(DETAIL_MEMBERS.map((name) => sql.ref(name)))}, extra, corrections,
        coalesce(content.author_names(author_ids), author) as author, is_published, published_at,
        one.created_at, one.updated_at, ${formerSlugs('article')}
      from content.article as one left join content.category as category on category.id = category_id
      where one.id > ${after} order by one.id limit ${BATCH}`,
    tx,
  );
  for await (const article of articles) {
    const {
      extra,
      corrections,
      series,
      ...others
    }: Partial<Record<'extra' | 'corrections' | 'series', unknown>> = article;
    yield {
      ...withoutUnset(others),
      ...(series !== null && { series }),
      ...(extra !== null && { extra }),
      ...(corrections !== null && { corrections }),
    };
  }
}

function formerSlugs(noun: string) {
  return sql`array(
    select former.slug from content.former_slug as former
    where former.resource = ${noun} and former.id = one.id order by former.slug collate "C"
  ) as former_slugs`;
}

async function* rowsOf(
  select: (after: number) => ReturnType<typeof sql>,
  tx: Transaction<ContentTables>,
): AsyncGenerator<object> {
  for (let after = 0; ; ) {
    const { rows } = await (select(after) as ReturnType<typeof sql<{ id: number }>>).execute(tx);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** Explains why nothing more can be written, by Node's error code. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EPIPE: 'the reader has gone',
};

/**
 * A file, or standard output for `-`, that is written piece by piece. It is opened at once, so that nothing
 * is done if that fails.
 *
 * Its methods throw a {@link Failure} when not everything could be written.
 */
export class OutputFile {
  readonly #file: string;
  readonly #out;

  constructor(file: string) {
    this.#file = file === '-' ? 'the output' : file;
    this.#out = file === '-' ? process.stdout : createWriteStream(file, { fd: openSync(file, 'w') });
    // Thrown by what writes next.
    this.#out.on('error', () => undefined);
  }

  async write(text: string): Promise<void> {
    const isFull = !this.#out.write(text);
    if (this.#out.errored) throw this.#failure(this.#out.errored);
    if (isFull) await once(this.#out, 'drain').catch((error) => Promise.reject(this.#failure(error)));
  }

  async close(): Promise<void> {
    if (this.#out === process.stdout) await this.write('');
    else await finished(this.#out.end()).catch((error) => Promise.reject(this.#failure(error)));
  }

  #failure(error: NodeJS.ErrnoException): Failure {
    const reason = REASONS[error.code ?? ''] ?? error.message;
    return new Failure('incomplete', `${this.#file} is not whole: ${reason}`, { cause: error });
  }
}
