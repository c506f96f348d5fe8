import { type RawBuilder, sql } from 'kysely';

/** The forms of a copy: `full` has the bodies and everything else that articles show. */
export const FORMS = ['default', 'full'] as const;

/** A form of a copy. */
export type Form = (typeof FORMS)[number];

/** A kind of what is copied. */
interface SyncKind {
  table: string;
  /** Which of its rows are in the set. */
  isMember: RawBuilder<unknown>;
  /** The time by which an index has these rows in order, the latest first; absent where their ids have. */
  time?: 'published_at';
  /** The columns that a copy shows. The trigger `record_update` of the table compares all of them. */
  columns: Readonly<Record<Form, readonly string[]>>;
}

/** The columns of categories and tags. */
const TERM_COLUMNS = ['id', 'name', 'slug', 'description', 'created_at', 'updated_at'];

const AUTHOR_COLUMNS = ['id', 'name', 'slug', 'bio', 'picture', 'links', 'created_at', 'updated_at'];

const ARTICLE_COLUMNS = [
  'id',
  'title',
  'slug',
  'excerpt',
  'featured_image',
  'category_id',
  'tag_ids',
  'author_ids',
  'author',
  'published_at',
];

/**
 * What is copied, in the order of the snapshot: first what articles refer to. A new kind is an entry here,
 * its schema in `schema.ts`, and the triggers of its table (`content.record_all`); then every copy begins
 * again.
 */
const KINDS = {
  category: allOf('content.category', TERM_COLUMNS),
  tag: allOf('content.tag', TERM_COLUMNS),
  author: allOf('content.author', AUTHOR_COLUMNS),
  article: {
    table: 'content.article',
    isMember: sql`is_published`,
    time: 'published_at',
    columns: {
      default: ARTICLE_COLUMNS,
      full: [
        ...ARTICLE_COLUMNS,
        'alt_text',
        'meta_title',
        'meta_description',
        'canonical_url',
        'extra',
        'created_at',
        'updated_at',
        'content',
      ],
    },
  },
} as const satisfies Record<string, SyncKind>;

/** The name of a kind. */
export type KindName = keyof typeof KINDS;

/** The names of the kinds, in the order of the snapshot. */
export const KIND_NAMES = Object.keys(KINDS) as KindName[];

/** The kind of that name. */
export function kindOf(name: KindName): SyncKind {
  return KINDS[name];
}

/** A kind whose rows all are in the set. */
function allOf(table: string, columns: readonly string[]): SyncKind {
  return { table, isMember: sql`true`, columns: { default: columns, full: columns } };
}
