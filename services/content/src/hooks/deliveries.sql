-- Events for other programs: written in the transaction of the change, and delivered to hooks. While there is
-- no hook, no event is written.

create or replace function content.wants(hook content.hook, event content.event) returns boolean language sql stable as $$
  select case
    when event.hook_id is not null then event.hook_id = hook.id
    else (event.is_public or hook.drafts)
      and (hook.category_id is null or hook.category_id = any(event.category_ids))
      and exists (
        select from unnest(hook.events) as pattern
        where pattern = event.type or pattern like '%.*' and starts_with(event.type, left(pattern, -1))
      )
  end
$$;

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

create or replace trigger queue_deliveries after insert on content.event
  for each row execute function content.queue_deliveries();

-- A removed hook takes its deliveries along: none of them looks for its successor.
create or replace function content.resume_next() returns trigger language plpgsql as $$
begin
  if not exists (select from removed join content.hook on hook.id = removed.hook_id) then
    return null;
  end if;
  -- The oldest event goes first.
  update content.delivery as next set due_at = event.happened_at
  from removed
  cross join lateral (
    select event_id from content.delivery as later
    where later.hook_id = removed.hook_id and later.subject = removed.subject and later.event_id > removed.event_id
    order by event_id limit 1
  ) as follower
  join content.event on event.id = follower.event_id
  where next.hook_id = removed.hook_id and next.event_id = follower.event_id and next.due_at is null;
  return null;
end
$$;

create or replace trigger resume_next after delete on content.delivery
  referencing old table as removed for each statement execute function content.resume_next();

-- The events of a change of one article: null before it is created, and after it is deleted.
create or replace function content.add_article_events(before content.article_state, after content.article_state)
returns void language plpgsql as $$
declare
  article constant integer := coalesce(after.id, before.id);
  was constant boolean := coalesce(before.is_published, false);
  is_now constant boolean := coalesce(after.is_published, false);
  categories constant integer[] := array(
    select distinct id from unnest(array[before.category_id, after.category_id]) as id where id is not null order by id
  );
begin
  insert into content.event (type, subject, is_public, slug_before, slug_after, category_ids, cache_tags)
  select 'article.' || what, 'article:' || article, was or is_now,
    case when was then before.slug end, case when is_now then after.slug end, categories,
    case when was or is_now then
      array['articles', 'article:' || article]
      || array(select 'category:' || id from unnest(categories) as id)
      || array(select distinct 'tag:' || id from unnest(before.tag_ids || after.tag_ids) as id)
      || array(select distinct 'author:' || id from unnest(before.author_ids || after.author_ids) as id)
      || array(select distinct 'series:' || id from unnest(array[before.series_id, after.series_id]) as id where id is not null)
    else '{}' end
  from unnest(case
    when before.id is null then case when is_now then array['created', 'published'] else array['created'] end
    when after.id is null then array['deleted']
    when was = is_now then array['updated']
    when is_now then array['published']
    else array['unpublished']
  end) with ordinality as happened (what, place)
  order by place;
end
$$;

-- Events of changed and deleted articles; `content.follow_inserted_articles` writes those of new ones.
create or replace function content.note_articles() returns trigger language plpgsql as $$
begin
  if not exists (select from content.hook) then
    return null;
  end if;
  if tg_op = 'DELETE' then
    perform content.add_article_events((id, slug, category_id, tag_ids, author_ids, is_published, series_id)::content.article_state, null)
      from removed order by id;
  else
    perform content.add_article_events(
        (r.id, r.slug, r.category_id, r.tag_ids, r.author_ids, r.is_published, r.series_id)::content.article_state,
        (a.id, a.slug, a.category_id, a.tag_ids, a.author_ids, a.is_published, a.series_id)::content.article_state
      )
      from removed as r join added as a using (id) where r *<> a order by id;
  end if;
  return null;
end
$$;

-- Events of categories, tags, authors and series: lists of articles show their names, so a change names
-- `articles` too. `plural` names all of the kind.
create or replace function content.add_term_event(kind text, plural text, term integer, before text, after text)
returns void language sql as $$
  insert into content.event (type, subject, is_public, slug_before, slug_after, category_ids, cache_tags)
  select kind || case when before is null then '.created' when after is null then '.deleted' else '.updated' end,
    kind || ':' || term, true, before, after,
    case when kind = 'category' then array[term] else '{}' end,
    array[plural, kind || ':' || term] || case when before is null or after is null then '{}' else '{articles}'::text[] end
$$;

create or replace function content.note_terms() returns trigger language plpgsql as $$
begin
  if not exists (select from content.hook) then
    return null;
  end if;
  if tg_op = 'INSERT' then
    perform content.add_term_event(tg_table_name, tg_argv[0], id, null, slug) from added order by id;
  elsif tg_op = 'DELETE' then
    perform content.add_term_event(tg_table_name, tg_argv[0], id, slug, null) from removed order by id;
  else
    perform content.add_term_event(tg_table_name, tg_argv[0], a.id, r.slug, a.slug)
      from removed as r join added as a using (id) where r *<> a order by a.id;
  end if;
  return null;
end
$$;

-- The trail has hooks without their URLs, which may hold secrets of others.
create or replace trigger audit_created after insert on content.hook for each row
  execute function content.audit_row('hook.added', 'id', 'events', 'category_id', 'drafts');
create or replace trigger audit_paused after update on content.hook for each row
  when (old.paused_at is null and new.paused_at is not null)
  execute function content.audit_row('hook.paused', 'id', 'pause_reason');
create or replace trigger audit_resumed after update on content.hook for each row
  when (old.paused_at is not null and new.paused_at is null)
  execute function content.audit_row('hook.resumed', 'id');
create or replace trigger audit_rotated after update on content.hook for each row
  when (old.previous_secret_until is distinct from new.previous_secret_until)
  execute function content.audit_row('hook.rotated', 'id');
create or replace trigger audit_deleted after delete on content.hook for each row
  execute function content.audit_row('hook.removed', 'id');
