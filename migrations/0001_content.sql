-- Articles and categories of the content service, and the API keys of their writers.

create schema content;

create table content.category (
  id integer generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 100),
  slug text not null constraint category_slug_key unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  description text check (char_length(description) <= 500),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

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
  title_words text[] not null
);

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

-- Lists are ordered by published_at descending, id breaking ties; drafts that were never published come
-- first. The first two serve the lists of the whole site (with and without a publication state), the others
-- the lists of a category, its related articles, and the foreign key.
create index article_by_state on content.article (is_published, published_at desc, id desc);
create index article_by_date on content.article (published_at desc, id desc);
create index article_by_category_and_state on content.article (category_id, is_published, published_at desc, id desc);
create index article_by_category on content.article (category_id, published_at desc, id desc);

-- Slugs are made under one lock per table, which is held until the transaction ends, so a free slug stays
-- free until it is taken. Every writer of a slug takes the lock, even in manual SQL, so no writer can lose a
-- race for one.
create function content.lock_slugs() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(tg_relid::integer, 0);
  return null;
end
$$;

create trigger lock_slugs before insert or update of slug on content.article
  for each statement execute function content.lock_slugs();
create trigger lock_slugs before insert or update of slug on content.category
  for each statement execute function content.lock_slugs();

-- base, base-2, base-3, …: a slug that no other row of the table has, and the next number if none was
-- deleted. The search doubles its stride until a slug is free and then halves it, so the ten-thousandth
-- article with the same title costs only a few look-ups. `own` is the slug of the row being changed, which
-- the row may keep.
create function content.free_slug(of_table regclass, base text, own text default null) returns text
language plpgsql as $$
declare
  most constant integer := 100;
  taken integer := 0;
  free integer := 1;
  middle integer;
begin
  perform pg_advisory_xact_lock(of_table::oid::integer, 0);
  while content.slug_is_taken(of_table, content.numbered_slug(base, free, most), own) loop
    taken := free;
    free := free * 2;
  end loop;
  while free - taken > 1 loop
    middle := (taken + free) / 2;
    if content.slug_is_taken(of_table, content.numbered_slug(base, middle, most), own) then
      taken := middle;
    else
      free := middle;
    end if;
  end loop;
  return content.numbered_slug(base, free, most);
end
$$;

create function content.slug_is_taken(of_table regclass, candidate text, own text) returns boolean
language plpgsql as $$
declare
  found_one boolean;
begin
  if candidate = own then
    return false;
  end if;
  execute format('select exists (select from %s where slug = $1)', of_table) into found_one using candidate;
  return found_one;
end
$$;

-- base for 1, else base-n, with base truncated if the number would not fit.
create function content.numbered_slug(base text, n integer, most integer) returns text language sql immutable as $$
  select case when n = 1 then base else rtrim(left(base, most - 1 - length(n::text)), '-') || '-' || n end
$$;

create table content.api_key (
  -- The public part of the key, used to list and revoke it.
  prefix text primary key check (prefix ~ '^[A-Za-z0-9]{8}$'),
  name text not null check (char_length(name) between 1 and 255),
  -- SHA-256 of the whole key; the key itself is shown only once and never stored.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3)
);

-- Replicas cache finished answers and drop them on this notification, which is sent when the change commits.
-- It names what has changed: the article, its categories before and after, and "articles" for the lists. An
-- empty notification means everything.
create function content.announce_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('content_changed', '');
  return null;
end
$$;

-- What an answer that shows this article may depend on.
create function content.subjects_of(id integer, category_id integer) returns setof text language sql immutable as $$
  values ('articles'), ('article:' || id), ('category:' || category_id)
$$;

-- A statement that writes very many articles announces everything: no more rows are looked at than could fit.
create function content.announce_articles() returns trigger language plpgsql as $$
declare
  -- A notification holds 8000 bytes; the subjects of a row take 40 at most.
  most constant integer := 200;
  places jsonb[];
  subjects text;
begin
  -- Only what was or is published can be in a cached answer.
  if tg_op = 'INSERT' then
    places := array(
      select jsonb_build_object('id', id, 'category', category_id) from added where is_published limit most + 1);
  elsif tg_op = 'DELETE' then
    places := array(
      select jsonb_build_object('id', id, 'category', category_id) from removed where is_published limit most + 1);
  else
    places := array(
      select jsonb_build_object('id', id, 'category', category_id) from (
        select id, category_id, is_published from removed union all select id, category_id, is_published from added
      ) as article where is_published limit most + 1);
  end if;
  if cardinality(places) = 0 then
    return null;
  end if;
  if cardinality(places) <= most then
    select string_agg(distinct subject, ' ') into subjects
      from unnest(places) as place
      cross join lateral content.subjects_of((place ->> 'id')::integer, (place ->> 'category')::integer) as subject;
  end if;
  perform pg_notify('content_changed', coalesce(subjects, ''));
  return null;
end
$$;

create trigger announce_inserted after insert on content.article
  referencing new table as added for each statement execute function content.announce_articles();
create trigger announce_updated after update on content.article
  referencing old table as removed new table as added for each statement execute function content.announce_articles();
create trigger announce_deleted after delete on content.article
  referencing old table as removed for each statement execute function content.announce_articles();
create trigger announce_truncated after truncate on content.article
  for each statement execute function content.announce_change();

create trigger announce_change after insert or update or delete or truncate on content.category
  for each statement execute function content.announce_change();
