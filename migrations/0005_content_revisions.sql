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

create function content.keep_revision() returns trigger language plpgsql as $$
declare
  -- What follows from other columns, or is no part of what somebody wrote.
  unkept constant text[] :=
    array['content', 'updated_at', 'title_words', 'slug_is_given', 'revision', 'revised_at', 'revised_by', 'revised_in'];
  before content.article := old;
  after content.article := new;
  is_now jsonb;
  replaced jsonb;
  body text;
begin
  new.revision := old.revision;
  new.revised_at := old.revised_at;
  new.revised_by := old.revised_by;
  new.revised_in := old.revised_in;
  before.content := '';
  after.content := '';
  is_now := to_jsonb(after);
  select jsonb_object_agg(key, value) into replaced
    from jsonb_each(to_jsonb(before)) where value <> is_now -> key and key <> all (unkept);
  if old.content <> new.content then
    body := old.content;
  end if;
  if replaced is null and body is null then
    return new;
  end if;
  replaced := coalesce(replaced, '{}');
  if old.revised_in = pg_current_xact_id() and old.revised_at = transaction_timestamp() then
    update content.article_revision set members = replaced || members, content = coalesce(content, body)
      where article_id = old.id and number = old.revision - 1;
    return new;
  end if;
  insert into content.article_revision (article_id, number, created_at, created_by, members, content)
    values (old.id, old.revision, old.revised_at, old.revised_by, replaced, body);
  new.revision := old.revision + 1;
  new.revised_at := transaction_timestamp();
  new.revised_by := nullif(current_setting('pressroom.key', true), '');
  new.revised_in := pg_current_xact_id();
  return new;
end
$$;

-- The last by its name, so that it sees what other triggers make of the row.
create trigger zz_keep_revision before update on content.article
  for each row when (old.* is distinct from new.*) execute function content.keep_revision();

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

-- While an article can be restored, its slug leads to nothing, and to nothing else either; but nobody knows
-- the slug of what was never published.
create function content.keep_deleted_articles() returns trigger language plpgsql as $$
begin
  insert into content.deleted_article (article_id, deleted_by, members, content)
    select id, nullif(current_setting('pressroom.key', true), ''), to_jsonb(removed) - 'content', content from removed;
  insert into content.former_slug (resource, slug, id) select 'article', slug, id from removed where published_at is not null;
  return null;
end
$$;

create trigger keep_deleted_articles after delete on content.article
  referencing old table as removed for each statement execute function content.keep_deleted_articles();

-- Brings an article back as it was, but for the columns in `differing` and a slug that was not kept and is
-- taken, and returns whether it was there to be restored. That is a revision too.
create function content.restore_article(deleted integer, differing jsonb default '{}') returns boolean
language plpgsql as $$
declare
  kept content.deleted_article;
  columns text;
  free text;
begin
  -- What every writer of a slug locks first.
  perform pg_advisory_xact_lock('content.article'::regclass::oid::integer, 0);
  select * into kept from content.deleted_article where article_id = deleted for update;
  if not found then
    return false;
  end if;
  delete from content.former_slug where resource = 'article' and slug = kept.members ->> 'slug' and id = deleted;
  free := content.free_slug('content.article', kept.members ->> 'slug');
  if free <> kept.members ->> 'slug' then
    differing := differing || jsonb_build_object('slug', free);
  end if;
  -- What it was planned for is over, or decided without it.
  differing := differing || coalesce(
    (select jsonb_object_agg(key, null::text) from jsonb_each(kept.members)
      where key in ('publish_at', 'release') and value <> 'null'), '{}');
  -- Nobody sees again what would have been taken back meanwhile.
  if (kept.members ->> 'is_published')::boolean
    and (kept.members ->> 'unpublish_at')::timestamptz <= clock_timestamp() then
    differing := differing || '{"is_published": false, "unpublish_at": null}';
  end if;
  insert into content.article_revision (article_id, number, created_at, created_by, members)
    select deleted, revision, revised_at, revised_by,
      coalesce((select jsonb_object_agg(key, members -> key) from jsonb_object_keys(differing) as key), '{}')
    from jsonb_populate_record(null::content.article, kept.members), (select kept.members) as was (members);
  -- Columns that were added after the deletion take their defaults.
  select string_agg(quote_ident(attname), ', ') into columns from pg_attribute
    where attrelid = 'content.article'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      and (kept.members ? attname or attname = 'content');
  execute format(
    'insert into content.article (%1$s) overriding system value
      select %1$s from jsonb_populate_record(null::content.article, $1)', columns)
    using kept.members || differing || jsonb_build_object(
      'content', kept.content,
      'updated_at', greatest(clock_timestamp(), (kept.members ->> 'updated_at')::timestamptz + interval '1 millisecond'),
      'revision', (kept.members ->> 'revision')::integer + 1,
      'revised_at', transaction_timestamp(),
      'revised_by', nullif(current_setting('pressroom.key', true), ''),
      'revised_in', pg_current_xact_id()::text);
  delete from content.deleted_article where article_id = deleted;
  return true;
end
$$;

-- What cannot be restored any more has no revisions and no working copy, and its slugs are free again. What
-- is restored is a later revision than the first.
create function content.forget_deleted_articles() returns trigger language plpgsql as $$
declare
  gone constant integer[] := array(
    select article_id from removed
    where not exists (select from content.article where id = article_id and revision > 1)
  );
begin
  delete from content.article_revision where article_id = any (gone);
  delete from content.working_copy where article_id = any (gone);
  delete from content.former_slug where resource = 'article' and id = any (gone);
  return null;
end
$$;

create trigger forget_deleted_articles after delete on content.deleted_article
  referencing old table as removed for each statement execute function content.forget_deleted_articles();

-- TRUNCATE empties: nothing of it can be restored.
create function content.forget_revisions() returns trigger language plpgsql as $$
begin
  truncate content.article_revision, content.working_copy, content.deleted_article;
  return null;
end
$$;

create trigger forget_revisions after truncate on content.article
  for each statement execute function content.forget_revisions();
