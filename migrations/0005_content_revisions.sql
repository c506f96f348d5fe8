-- Every commit that changes an article is a revision, and what is deleted can be restored for a while:
-- also by SQL. Writers say which key they use by `set_config('pressroom.key', …, true)`.

-- The revisions before: what each had other than the next one, so that nothing is stored twice. Its members
-- are those, and for what is not among them the nearest later revision's, at last the article's. Numbers have
-- no gap; the oldest can go at any time.
create table content.article_revision (
  -- No foreign key: the revisions of a deleted article stay until it cannot be restored any more.
  article_id integer not null,
  number integer not null,
  created_at timestamptz not null,
  created_by text collate "C",
  replaced_at timestamptz not null default transaction_timestamp(),
  -- By column, all but `content`.
  members jsonb not null,
  content text,
  primary key (article_id, number)
);

-- Changes of published articles that no reader sees before they are published.
create table content.working_copy (
  -- No foreign key: with a deleted article it can be restored.
  article_id integer primary key,
  -- The revision of the article that it is meant to change.
  revision integer not null,
  -- As a PATCH of the article takes them.
  changes jsonb not null,
  saved_at timestamptz(3) not null default clock_timestamp(),
  saved_by text collate "C"
);

-- What was deleted, whole.
create table content.deleted_article (
  article_id integer primary key,
  -- In the order of deletion.
  number bigint generated always as identity unique,
  deleted_at timestamptz not null default clock_timestamp(),
  deleted_by text collate "C",
  -- By column, all but `content`.
  members jsonb not null,
  content text not null
);

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: 96b4424f7bbe5b133b3e9d25303717e1aeee955f36c990a8762f929dbe73d226
