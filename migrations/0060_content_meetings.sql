-- Where publication at a time, the trash, the trail and hooks meet.

-- Brings an article back as it was, but for the columns in `differing` and a slug that was not kept and is
-- taken, and returns whether it was there to be restored. That is a revision too.
create or replace function content.restore_article(deleted integer, differing jsonb default '{}') returns boolean
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
    select deleted, revision, coalesce(revised_at, updated_at), revised_by,
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

-- The trail (0037) has the other half of what it tells.
create trigger audit_restored after insert on content.article for each row
  when (new.revision > 1)
  execute function content.audit_row('article.restored', 'slug', 'title', 'is_published');
create trigger audit_resumed after update on content.hook for each row
  when (old.paused_at is not null and new.paused_at is null)
  execute function content.audit_row('hook.resumed', 'id');

-- Locks the hooks, so that a write waits for the removal of one, and then does without it.
create or replace function content.queue_deliveries() returns trigger language plpgsql as $$
begin
  insert into content.delivery (event_id, hook_id, subject)
    select new.id, hook.id, new.subject from content.hook where content.wants(hook, new) for key share of hook;
  if found then
    perform pg_notify('content_hooks_due', '');
  end if;
  return null;
end
$$;
