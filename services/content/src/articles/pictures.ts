import { isPublicMedia, sourceSet } from '@pressroom/client';
import { backoffOf, Lease } from '@pressroom/common/database/leases';
import { anyText, text } from '@pressroom/common/fields/fields';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import type { ContentTables } from '../tables.ts';

type Database = Kysely<ContentTables>;

const SIDE = z.int().min(1).max(10_000_000);
const COLOR = /^#[0-9a-f]{6}$/;

/** What the gallery says of a public picture. */
const pictureFacts = z.strictObject({
  path: z
    .string()
    .max(4000)
    .regex(
      /^\/media\/v[0-9a-f]{12}\/[\w./%!~*'()-]+$/,
      'must be a path such as /media/v0123456789ab/public/a.png',
    )
    .describe('Where this version is for good.'),
  width: SIDE,
  height: SIDE,
  thumbhash: z.base64().max(100),
  color: z.string().regex(COLOR, 'must be a colour such as #8aa4b8'),
  alt: text(2000).nullable(),
  credit: text(2000).nullable(),
  rights: text(2000).nullable(),
});

type PictureFacts = z.infer<typeof pictureFacts>;

/** A picture that the gallery has looked at. */
export const lookedAt = z.strictObject({
  url: anyText().max(500),
  picture: pictureFacts.nullable().describe('Null: it is no public picture of the gallery.'),
  is_own: z.boolean().default(false).describe('People use the desk on this host.'),
});

/** The picture of an article, in answers. */
export const shownPicture = z
  .object({
    url: z.string().describe('Its version for good, where the gallery knows it; else `featured_image`.'),
    width: z.int().nullable().describe('In pixels, as it is seen.'),
    height: z.int().nullable(),
    srcset: z.string().nullable().describe('Every width that the gallery draws of it.'),
    thumbhash: z.string().nullable().describe('A ThumbHash in base64: what to show until it is there.'),
    color: z.string().regex(COLOR).nullable().describe('The dominant colour.'),
    alt: z.string().nullable().describe('`alt_text`, else what the file has. Text, never HTML.'),
    credit: z.string().nullable().describe('Whom the file names: the credit line, else the creator.'),
    rights: z.string().nullable().describe('The notice of rights in the file.'),
  })
  .meta({
    id: 'ArticlePicture',
    description:
      'The `featured_image` of an article. What only the gallery knows is null of pictures that are elsewhere,' +
      ' and of new ones until it has looked at them.',
  });

export type ShownPicture = z.infer<typeof shownPicture>;

/** The members of an article that its picture is made of. */
export const PICTURE_MEMBERS = ['featured_image', 'alt_text'] as const;

export interface Pictured {
  featured_image?: string | null;
  alt_text?: string | null;
}

/** Each article's picture, in their order; null of one without. Reads once, by the key of the table. */
export async function picturesOf(
  db: Database,
  articles: readonly Pictured[],
): Promise<(ShownPicture | null)[]> {
  const urls = articles.flatMap(({ featured_image: url }) => (url == null ? [] : [url]));
  const { rows } = urls.some(isPublicMedia)
    ? await sql<{ url: string; facts: PictureFacts }>`
        select url, facts from content.picture as picture where url = any(${urls}::text[]) and facts is not null
          and exists (select from content.picture as proof where proof.origin = picture.origin and proof.is_proof)
      `.execute(db)
    : { rows: [] };
  const known = new Map(rows.map(({ url, facts }) => [url, facts]));
  return articles.map(({ featured_image: url, alt_text: alt }) =>
    url == null ? null : shownOf(url, alt ?? null, known.get(url)),
  );
}

function shownOf(url: string, alt: string | null, facts: PictureFacts | undefined): ShownPicture {
  if (facts === undefined) {
    const unknown = { width: null, height: null, srcset: null, thumbhash: null, color: null };
    return { url, ...unknown, alt, credit: null, rights: null };
  }
  const { path, width, height, thumbhash, color, credit, rights } = facts;
  const address = url.replace(/\/media\/.*$/is, '') + path;
  const srcset = sourceSet(address, { width });
  return { url: address, width, height, srcset, thumbhash, color, alt: alt ?? facts.alt, credit, rights };
}

/** Pictures that the gallery gets at once: it may have to draw the new ones. */
const MOST_UNDESCRIBED = 16;
const MOST_OUTDATED = 32;

/** The time after which a picture is looked at again: somebody may have replaced or removed it. */
const OUTDATED_MINUTES = 60;

/** Longer with each attempt without an answer: what ends the gallery may be the picture. */
const LEASE = new Lease({
  table: 'content.picture',
  key: ['url'],
  until: 'lease_until',
  seconds: backoffOf({ firstSeconds: 180, mostSeconds: 3600 }, sql`attempts + 1`),
});

/** The pictures of articles, between content and the gallery. */
export class ArticlePictures {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Notes what the gallery says of pictures, and hands out the next ones. Said again, it changes nothing. */
  async work(looks: readonly z.infer<typeof lookedAt>[]) {
    return this.#db.transaction().execute(async (tx) => {
      for (const look of looks.toSorted((a, b) => (a.url < b.url ? -1 : 1))) await note(tx, look);
      return {
        undescribed: await claim(tx, sql`looked_at is null`, MOST_UNDESCRIBED),
        outdated: await claim(
          tx,
          sql`looked_at < now() - make_interval(mins => ${OUTDATED_MINUTES})`,
          MOST_OUTDATED,
        ),
      };
    });
  }
}

/** The desk's host, and a version that is the picture's, show whose it is, also once it is replaced. */
async function note(
  tx: Transaction<ContentTables>,
  { url, picture, is_own: isOwn }: z.infer<typeof lookedAt>,
): Promise<void> {
  const isProof = picture !== null && (isOwn || versionOf(url) === versionOf(picture.path));
  await sql`
    update content.picture set facts = ${picture && JSON.stringify(picture)}::jsonb, is_proof = is_proof or ${isProof},
      looked_at = clock_timestamp(), lease_until = null, attempts = 0 where url = ${url}`.execute(tx);
}

function versionOf(address: string): string | undefined {
  return /\/media\/(v[0-9a-f]{12})\//.exec(address)?.[1];
}

async function claim(
  tx: Transaction<ContentTables>,
  isDue: ReturnType<typeof sql<boolean>>,
  most: number,
): Promise<string[]> {
  const rows = await LEASE.claim<{ url: string }>(tx, {
    due: sql`${isDue} and ${LEASE.isFree()}`,
    order: sql`looked_at nulls first, lease_until nulls first`,
    most,
    set: sql`attempts = attempts + 1`,
    returning: sql`url`,
  });
  return rows.map(({ url }) => url);
}

const MOST_PRUNED = 1000;

const IS_UNUSED = sql`not exists (select from content.articles_with_picture(picture.url))`;

/** Forgets pictures that no article has any more, and returns how many. */
export async function prunePictures(db: Database): Promise<{ pictures: number }> {
  const { rows } = await sql<{ url: string }>`
    select url from content.picture as picture where ${IS_UNUSED} limit ${MOST_PRUNED}`.execute(db);
  if (rows.length === 0) return { pictures: 0 };
  const urls = rows.map(({ url }) => url);
  return db.transaction().execute(async (tx) => {
    // Who writes an article with one of them holds the table until the article is there; the next time then.
    await sql`lock table content.picture in share row exclusive mode nowait`.execute(tx);
    const { numAffectedRows = 0n } = await sql`
      delete from content.picture as picture where url = any(${urls}::text[]) and ${IS_UNUSED}`.execute(tx);
    return { pictures: Number(numAffectedRows) };
  });
}
