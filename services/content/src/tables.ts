import type { ColumnType, Generated } from 'kysely';
import type { Scope } from './api-keys.ts';
import type { Extra } from './articles/schema.ts';

/** A time that the database sets when a row is created. */
type DefaultedTime = ColumnType<Date, never, Date | undefined>;

/** `content.article` */
export interface ArticleTable {
  id: ColumnType<number, never, never>;
  title: string;
  slug: string;
  content: string;
  excerpt: string | null;
  category_id: number | null;
  featured_image: string | null;
  alt_text: string | null;
  meta_title: string | null;
  meta_description: string | null;
  canonical_url: string | null;
  author: string;
  is_published: Generated<boolean>;
  published_at: Date | null;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  title_words: string[];
  /** In the order in which they were given; `content.article_tag` follows by a trigger. */
  tag_ids: Generated<number[]>;
  /** Like `tag_ids`; where there are any, `author` has their names as they were when these were written. */
  author_ids: Generated<number[]>;
  extra: Extra | null;
  /** Whether the slug was given: else it follows the title until the first publication. */
  slug_is_given: Generated<boolean>;
  /** When a draft is published; null if that is not planned, or its release says so. */
  publish_at: Date | null;
  unpublish_at: Date | null;
  /** The name of the release that a draft is published with. */
  release: string | null;
  /** The number of the revision that the row is. A trigger keeps this and the following. */
  revision: ColumnType<number, never, never>;
  revised_at: ColumnType<Date, never, never>;
  revised_by: Generated<string | null>;
}

/** `content.deleted_article`, kept by triggers. */
interface DeletedArticleTable {
  article_id: number;
  number: ColumnType<number, never, never>;
  deleted_at: ColumnType<Date, never, never>;
  deleted_by: ColumnType<string | null, never, never>;
  members: ColumnType<RowAsJson, never, never>;
  content: ColumnType<string, never, never>;
}

/** `content.idempotency_key` */
interface IdempotencyKeyTable {
  key: string;
  fingerprint: Buffer;
  article_id: number;
  expires_at: Date;
}

/** What `content.category`, `content.tag` and `content.author` have; the rest is in each `TermKind`. */
interface TermTable {
  id: ColumnType<number, never, never>;
  name: string;
  slug: string;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
}

/** `content.release` */
interface ReleaseTable {
  name: string;
  publish_at: Date | null;
  published_at: Date | null;
  created_at: DefaultedTime;
}

/** `content.audit`: written by triggers. */
interface AuditTable {
  id: Generated<number>;
  at: DefaultedTime;
  action: string;
  article_id: number | null;
  key: string | null;
  request_id: string | null;
  address: string | null;
  program: Generated<string>;
  detail: object;
}

/** `content.list_count`: maintained by triggers. */
interface ListCountTable {
  kind: string;
  id: number;
  period: 'all' | 'month' | 'day';
  is_published: boolean;
  since: ColumnType<Date, never, never>;
  articles: ColumnType<number, never, never>;
}

/** `content.working_copy` */
interface WorkingCopyTable {
  article_id: number;
  revision: number;
  changes: RowAsJson;
  saved_at: Date;
  saved_by: string | null;
}

/** `content.preview` */
interface PreviewTable {
  id: ColumnType<number, never, never>;
  article_id: number;
  token_hash: Buffer;
  created_at: DefaultedTime;
  expires_at: Date;
}

/** `content.api_key` */
interface ApiKeyTable {
  prefix: string;
  name: string;
  secret_hash: Buffer;
  scope: Generated<Scope>;
  category_id: number | null;
  created_at: DefaultedTime;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

/** `content.hook` */
interface HookTable {
  id: ColumnType<number, never, never>;
  url: string;
  events: string[];
  category_id: number | null;
  drafts: boolean;
  secret: string;
  paused_at: Date | null;
}

/** The tables of the content service, as the migrations `…_content…` create them. */
export interface ContentTables {
  'content.article': ArticleTable;
  'content.deleted_article': DeletedArticleTable;
  'content.idempotency_key': IdempotencyKeyTable;
  'content.category': TermTable;
  'content.tag': TermTable;
  'content.author': TermTable;
  'content.release': ReleaseTable;
  'content.audit': AuditTable;
  'content.list_count': ListCountTable;
  'content.api_key': ApiKeyTable;
  'content.working_copy': WorkingCopyTable;
  'content.preview': PreviewTable;
  'content.hook': HookTable;
}

/** A row as PostgreSQL writes it as JSON, by column. */
export type RowAsJson = Record<string, unknown>;

/** The columns of such a row, with the time of publication as answers have it. */
export function membersOfJson({ published_at, ...rest }: RowAsJson): RowAsJson {
  const time = typeof published_at === 'string' ? new Date(published_at).toISOString() : null;
  return { ...rest, published_at: time };
}
