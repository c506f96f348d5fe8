-- The API keys of writers, links by which drafts are read, and the audit trail of what is done with both and
-- without.

create table content.api_key (
  -- The public part of the key, used to list and revoke it.
  prefix text primary key check (prefix ~ '^[A-Za-z0-9]{8}$'),
  name text not null check (char_length(name) between 1 and 255),
  -- SHA-256 of the whole key; the key itself is shown only once and never stored.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  -- What it may do: `read` sees drafts, `write` also creates and changes drafts, `publish` does everything
  -- about articles and categories, `full` everything that the API has.
  scope text collate "C" not null default 'full' check (scope in ('read', 'write', 'publish', 'full')),
  -- Writes are restricted to the articles of this category. No foreign key: when the category is deleted, the
  -- key must not become one without a restriction.
  category_id integer check (category_id > 0),
  constraint api_key_reads_every_category check (category_id is null or scope in ('write', 'publish'))
);

-- Links to one article that whoever has them may read, published or not, until they expire or are revoked.
create table content.preview (
  id integer generated always as identity primary key,
  article_id integer not null references content.article on delete cascade,
  -- SHA-256 of the token; the token itself is shown only once and never stored.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null
);

create index preview_by_article on content.preview (article_id, id);

-- The trail: who did what. Triggers write it in the transaction of the change, so that what is done by a
-- command, at a time or in SQL is in it too.
create table content.audit (
  id bigint generated always as identity,
  at timestamptz(3) not null default clock_timestamp(),
  -- Such as article.published.
  action text collate "C" not null,
  article_id integer,
  -- The public prefix of the API key; null for what was done without one.
  key text collate "C" default nullif(current_setting('pressroom.key', true), ''),
  request_id text default nullif(current_setting('pressroom.request', true), ''),
  address text default nullif(current_setting('pressroom.address', true), ''),
  -- Who was connected: a service, a command, or a person.
  program text not null default current_setting('application_name'),
  detail jsonb not null,
  primary key (at, id)
);

create index audit_by_key on content.audit (key, at desc, id desc) where key is not null;
create index audit_by_article on content.audit (article_id, at desc, id desc) where article_id is not null;

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: 2810e6911401b6fcabc8e469e00b1d2d46e7b94047c9b127e5dc53935d3dd878
