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

-- Says who does what follows in the transaction, and returns the key. One expression, which becomes part of
-- the statement that writes.
create function content.written_by(key text, request_id text, address text) returns text language sql as $$
  select (array[
    set_config('pressroom.request', coalesce(request_id, ''), true),
    set_config('pressroom.address', coalesce(address, ''), true),
    set_config('pressroom.key', key, true)
  ])[3]
$$;

-- The trigger's arguments are the action, and the columns that its detail has.
create function content.audit_row() returns trigger language plpgsql as $$
declare
  changed constant jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
  article constant text := case tg_table_name when 'article' then 'id' else 'article_id' end;
begin
  insert into content.audit (action, article_id, detail) values (
    tg_argv[0], (changed ->> article)::integer,
    (select jsonb_object_agg(name, changed -> name) from unnest(tg_argv[1:]) as name)
  );
  return null;
end
$$;

-- Two members of the article: the whole row as JSON, its body included, would take longer than the entry.
create function content.audit_publication() returns trigger language plpgsql as $$
begin
  insert into content.audit (action, article_id, detail) values (
    'article.published', new.id, jsonb_build_object('slug', new.slug, 'published_at', new.published_at)
  );
  return null;
end
$$;

-- What is told of new articles: `content.follow_inserted_articles`.
create trigger audit_published after update on content.article for each row
  when (new.is_published and not old.is_published)
  execute function content.audit_publication();
create trigger audit_unpublished after update on content.article for each row
  when (old.is_published and not new.is_published)
  execute function content.audit_row('article.unpublished', 'slug');
create trigger audit_planned after update on content.article for each row
  when (new.is_published = old.is_published and (new.publish_at, new.unpublish_at, new.release)
    is distinct from (old.publish_at, old.unpublish_at, old.release))
  execute function content.audit_row('article.planned', 'publish_at', 'unpublish_at', 'release');
create trigger audit_deleted after delete on content.article for each row
  execute function content.audit_row('article.deleted', 'slug', 'title', 'is_published');

create trigger audit_deleted after delete on content.category for each row
  execute function content.audit_row('category.deleted', 'id', 'slug', 'name');
create trigger audit_deleted after delete on content.author for each row
  execute function content.audit_row('author.deleted', 'id', 'slug', 'name');
create trigger audit_deleted after delete on content.tag for each row
  execute function content.audit_row('tag.deleted', 'id', 'slug', 'name');

create trigger audit_created after insert on content.release for each row
  execute function content.audit_row('release.created', 'name', 'publish_at');
create trigger audit_planned after update on content.release for each row
  when (new.publish_at is distinct from old.publish_at)
  execute function content.audit_row('release.planned', 'name', 'publish_at');
create trigger audit_published after update on content.release for each row
  when (new.published_at is not null and old.published_at is null)
  execute function content.audit_row('release.published', 'name', 'publish_at');
create trigger audit_deleted after delete on content.release for each row
  execute function content.audit_row('release.deleted', 'name', 'publish_at', 'published_at');

create trigger audit_created after insert on content.preview for each row
  execute function content.audit_row('preview.created', 'id', 'expires_at');
-- Not what has expired, or goes with its article.
create trigger audit_revoked after delete on content.preview for each row
  when (old.expires_at > clock_timestamp() and pg_trigger_depth() = 0)
  execute function content.audit_row('preview.revoked', 'id', 'expires_at');

create trigger audit_created after insert on content.api_key for each row
  execute function content.audit_row('key.created', 'prefix', 'name', 'scope', 'category_id', 'expires_at');
create trigger audit_revoked after update on content.api_key for each row
  when (new.revoked_at is not null and old.revoked_at is null)
  execute function content.audit_row('key.revoked', 'prefix', 'name');
create trigger audit_changed after update on content.api_key for each row
  when ((new.name, new.scope, new.category_id, new.expires_at, new.secret_hash)
    is distinct from (old.name, old.scope, old.category_id, old.expires_at, old.secret_hash))
  execute function content.audit_row('key.changed', 'prefix', 'name', 'scope', 'category_id', 'expires_at');
create trigger audit_deleted after delete on content.api_key for each row
  execute function content.audit_row('key.deleted', 'prefix', 'name');

create function content.audit_truncation() returns trigger language plpgsql as $$
begin
  insert into content.audit (action, detail) values (tg_table_name || '.truncated', '{}');
  return null;
end
$$;

create trigger audit_truncated after truncate on content.article
  for each statement execute function content.audit_truncation();
create trigger audit_truncated after truncate on content.api_key
  for each statement execute function content.audit_truncation();

-- The role of the service may add to the trail and read it, but neither change nor remove it
-- (packages/common/src/database/service-roles.ts): this function removes the oldest rows, and no recent ones.
create function content.prune_audit(days integer, most integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  removed integer;
begin
  if days < 30 then
    raise exception 'the last 30 days of the audit trail stay' using errcode = 'check_violation';
  end if;
  delete from content.audit where (at, id) in (
    select at, id from content.audit where at < clock_timestamp() - make_interval(days => days) order by at, id limit most
  );
  get diagnostics removed = row_count;
  return removed;
end
$$;
