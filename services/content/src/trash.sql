-- Deleted articles, which can be restored for a while.

-- While an article can be restored, its slug leads nowhere and no other article gets it. The slug of one that
-- was never published is free: nobody knows it.
create or replace function content.keep_deleted_articles() returns trigger language plpgsql as $$
begin
  insert into content.deleted_article (article_id, deleted_by, members, content)
    select id, nullif(current_setting('pressroom.key', true), ''), to_jsonb(removed) - 'content', content from removed;
  insert into content.former_slug (resource, slug, id) select 'article', slug, id from removed where published_at is not null;
  return null;
end
$$;

-- Brings an article back as it was, but for the columns in `differing` and a slug that was not kept and is
-- taken, and returns true if it was there to be restored. The restored article is a new revision.
create or replace function content.restore_article(deleted integer, differing jsonb default '{}') returns boolean
language plpgsql as $$
declare
  kept content.deleted_article;
  columns text;
  free text;
begin
  -- Every writer of a slug locks this first.
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
  -- Plans for it are over, or decided without it.
  differing := differing || coalesce(
    (select jsonb_object_agg(key, null::text) from jsonb_each(kept.members)
      where key in ('publish_at', 'release') and value <> 'null'), '{}');
  -- An article whose end of publication has passed meanwhile stays hidden.
  if (kept.members ->> 'is_published')::boolean
    and (kept.members ->> 'unpublish_at')::timestamptz <= clock_timestamp() then
    differing := differing || '{"is_published": false, "unpublish_at": null}';
  end if;
  -- Its place in a series that is gone is gone too; another one stays until it is in it again.
  perform from content.series where id = (kept.members ->> 'series_id')::integer for key share;
  if not found then
    kept.members := kept.members || '{"series_id": null, "series_position": null}';
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

-- An article that cannot be restored any more has no revisions, no working copy, no assignment, no comments
-- and no idempotency keys, and its slugs are free again. A restored one is known by its revision, which is
-- later than the first.
create or replace function content.forget_deleted_articles() returns trigger language plpgsql as $$
declare
  gone constant integer[] := array(
    select article_id from removed
    where not exists (select from content.article where id = article_id and revision > 1)
  );
begin
  delete from content.article_revision where article_id = any (gone);
  delete from content.working_copy where article_id = any (gone);
  delete from content.assignment where article_id = any (gone);
  delete from content.article_comment where article_id = any (gone);
  delete from content.idempotency_key where article_id = any (gone);
  delete from content.former_slug where resource = 'article' and id = any (gone);
  return null;
end
$$;

create or replace trigger forget_deleted_articles after delete on content.deleted_article
  referencing old table as removed for each statement execute function content.forget_deleted_articles();

-- TRUNCATE leaves nothing to restore.
create or replace function content.forget_revisions() returns trigger language plpgsql as $$
begin
  truncate content.article_revision, content.working_copy, content.article_comment, content.idempotency_key,
    content.deleted_article;
  -- TRUNCATE of the authors, in the same statement, already empties it.
  delete from content.assignment;
  return null;
end
$$;
