-- The articles of the content service, what groups them, when they are published, and the lists of them.

do $$
begin
  if current_setting('server_version_num')::integer < 180000 then
    raise exception 'PostgreSQL % is too old: Pressroom needs version 18 or later (casefold, uuidv7)',
      current_setting('server_version');
  end if;
end
$$;

create schema content;

create table content.category (
  id integer generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 100),
  slug text not null constraint category_slug_key unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  description text check (char_length(description) <= 500),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

create table content.tag (
  id integer generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 100),
  slug text not null constraint tag_slug_key unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  description text check (char_length(description) <= 500),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

create index tag_by_name on content.tag (name, id);

create table content.author (
  id integer generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 100),
  slug text not null constraint author_slug_key unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  bio text check (char_length(bio) <= 2000),
  picture text check (char_length(picture) <= 500),
  -- [{"label"?, "url"}]
  links jsonb not null default '[]' check (jsonb_typeof(links) = 'array'),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

create index author_by_name on content.author (name, id);

-- Articles that are published together.
create table content.release (
  name text primary key check (name ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(name) <= 100),
  -- Null: not decided yet.
  publish_at timestamptz(3),
  -- When it was; nothing joins it from then on.
  published_at timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp()
);

create index release_by_time on content.release (publish_at desc, name);
create index release_by_due on content.release (publish_at) where published_at is null;

create table content.article (
  id integer generated always as identity primary key,
  title text not null check (char_length(title) between 1 and 255),
  slug text not null constraint article_slug_key unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  content text not null,
  excerpt text check (char_length(excerpt) <= 500),
  -- A category that still has articles cannot be deleted, even in a race.
  category_id integer constraint article_category_id_fkey references content.category,
  featured_image text check (char_length(featured_image) <= 500),
  alt_text text check (char_length(alt_text) <= 255),
  meta_title text check (char_length(meta_title) <= 255),
  meta_description text check (char_length(meta_description) <= 320),
  canonical_url text check (char_length(canonical_url) <= 500),
  author text not null check (char_length(author) <= 255),
  is_published boolean not null default false,
  -- The first publication; kept when the article becomes a draft again. Milliseconds, as the API shows them.
  published_at timestamptz(3) check (published_at is not null or not is_published),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  -- The distinct words of the title in lower case, for finding related articles.
  title_words text[] not null,
  -- A slug that somebody gave stays, whatever the title becomes.
  slug_is_given boolean not null default false,
  -- In the order in which they were given. They belong to the row, so that whatever watches the row sees them
  -- change.
  tag_ids integer[] not null default '{}',
  -- Likewise. Where there are any, their names are what the article's author is read as, so a new name writes
  -- no article.
  author_ids integer[] not null default '{}',
  -- What a site needs of an article besides its members.
  extra jsonb check (jsonb_typeof(extra) = 'object'),
  -- Of a draft that has not got a release, which has its own time.
  publish_at timestamptz(3),
  unpublish_at timestamptz(3),
  release text constraint article_release_fkey references content.release on delete set null,
  -- Of the revision that the row itself is: its number, when and with which key it was written, and the
  -- transaction, since what one commit changes is one revision. The time tells apart the transactions of two
  -- servers, after a restore.
  revision integer not null default 1,
  revised_at timestamptz not null default transaction_timestamp(),
  revised_by text collate "C" default nullif(current_setting('pressroom.key', true), ''),
  revised_in xid8 default pg_current_xact_id()
);

-- Lists are ordered by published_at descending, id breaking ties; drafts that were never published come
-- first. Lists of all states merge the ordered lists of each state. For the whole site; for a category, its
-- related articles and the foreign key; and for an author's name.
create index article_by_state on content.article (is_published, published_at desc, id desc);
create index article_by_category_and_state on content.article (category_id, is_published, published_at desc, id desc);
create index article_by_author on content.article (author, is_published, published_at desc, id desc);
-- Lists by sort=updated and updated_since: of the whole site, and of a category.
create index article_by_update on content.article (is_published, updated_at desc, id desc);
create index article_by_category_and_update on content.article (category_id, is_published, updated_at desc, id desc);
-- The files of the sitemap, of 10,000 ids each, and when the newest of the articles of each changed.
create index article_by_sitemap_file on content.article (((id - 1) / 10000), updated_at desc) where is_published;
-- What is due next; and what is planned, in the order of time, page by page.
create index article_by_due on content.article ((case when is_published then unpublish_at else publish_at end), id)
  where (case when is_published then unpublish_at else publish_at end) is not null;
create index article_by_release on content.article (release) where release is not null;

-- The Idempotency-Key of a request that created an article, so that a repeated request finds the article.
create table content.idempotency_key (
  key text primary key,
  -- SHA-256 of the request's body: a different body is a different request.
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  article_id integer not null references content.article on delete cascade,
  -- 'infinity' for imported articles, whose keys identify them permanently.
  expires_at timestamptz(3) not null
);

create index idempotency_key_by_article on content.idempotency_key (article_id);
create index idempotency_key_by_end on content.idempotency_key (expires_at);

-- The articles of a tag, with copies of what orders a list: a tag's list is read by its index alone, like a
-- category's. Kept by triggers; its foreign key keeps a tag while articles have it.
create table content.article_tag (
  article_id integer not null references content.article on delete cascade,
  tag_id integer not null constraint article_tag_tag_id_fkey references content.tag,
  is_published boolean not null,
  published_at timestamptz(3),
  primary key (article_id, tag_id)
);

create index article_tag_by_tag on content.article_tag (tag_id, is_published, published_at desc, article_id desc);

-- Likewise of an author.
create table content.article_author (
  article_id integer not null references content.article on delete cascade,
  author_id integer not null constraint article_author_author_id_fkey references content.author,
  is_published boolean not null,
  published_at timestamptz(3),
  primary key (article_id, author_id)
);

create index article_author_by_author
  on content.article_author (author_id, is_published, published_at desc, article_id desc);

-- Which media of the gallery an article shows or leads to: whoever deletes or renames one asks first. A path
-- is as the article spells it: what follows /media/ in an address, without a version.
create table content.article_media (
  article_id integer not null references content.article on delete cascade,
  path text collate "C" not null,
  primary key (path, article_id)
);

create index article_media_by_article on content.article_media (article_id);

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: f8ff5f6685a89c989bc2d51752b2cb3ea764f3e71db5dfb162c34a79e2c1b598
