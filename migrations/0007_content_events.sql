-- Who hears of a change: replicas by notifications, other programs by events, which are written in the
-- transaction of the change and delivered to hooks. While there is no hook, no event is written.

-- Replicas cache finished answers and drop them on this notification, which is sent when the change commits.
-- It names what has changed: the article, its categories before and after, and "articles" for the lists. An
-- empty notification means everything.
create function content.announce_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('content_changed', '');
  return null;
end
$$;

-- The subjects of an article are written as they are announced: none is looked for among the others.
create function content.announced_subjects(id integer, category_id integer) returns text language sql immutable as $$
  select 'article:' || id::text || coalesce(' category:' || category_id::text, '')
$$;

-- A statement that writes very many articles announces everything: no more rows are looked at than could fit.
create function content.announce_articles() returns trigger language plpgsql as $$
declare
  -- A notification holds 8000 bytes; the subjects of a row take 39 at most.
  most constant integer := 200;
  subjects text;
begin
  -- Only what was or is published can be in a cached answer.
  if tg_op = 'INSERT' then
    select case when count(*) > most then '' else string_agg(content.announced_subjects(id, category_id), ' ') end
      into subjects from (select id, category_id from added where is_published limit most + 1) as place;
  elsif tg_op = 'DELETE' then
    select case when count(*) > most then '' else string_agg(content.announced_subjects(id, category_id), ' ') end
      into subjects from (select id, category_id from removed where is_published limit most + 1) as place;
  else
    select case when count(*) > most then '' else string_agg(content.announced_subjects(id, category_id), ' ') end
      into subjects from (
        select id, category_id from removed where is_published
        union select id, category_id from added where is_published limit most + 1
      ) as place;
  end if;
  if subjects is not null then
    perform pg_notify('content_changed', case when subjects = '' then '' else subjects || ' articles' end);
  end if;
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
create trigger announce_change after insert or update or delete or truncate on content.tag
  for each statement execute function content.announce_change();
create trigger announce_change after insert or update or delete or truncate on content.author
  for each statement execute function content.announce_change();

create table content.hook (
  id integer generated always as identity primary key,
  url text not null check (char_length(url) <= 2000),
  -- Types of events, such as article.published, and patterns such as article.*
  events text[] not null check (cardinality(events) > 0),
  -- It gets only events of this category and its articles. No foreign key: when the category is deleted, the
  -- hook must not become one without a restriction.
  category_id integer check (category_id > 0),
  -- Whether it also gets events about what no reader sees.
  drafts boolean not null default false,
  -- Encrypted with CONTENT_HOOKS_KEY.
  secret text not null,
  -- The secret before it, which signs too until then.
  previous_secret text,
  previous_secret_until timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp(),
  -- Failed attempts since the last success; the next is not made before resume_at.
  failures integer not null default 0,
  resume_at timestamptz(3),
  paused_at timestamptz(3),
  pause_reason text,
  check ((paused_at is null) = (pause_reason is null))
);

create table content.event (
  id bigint generated always as identity primary key,
  type text not null,
  -- What it is about, such as article:7. The events of one subject are written one after the other, because
  -- each change locks its row until it is committed.
  subject text not null,
  happened_at timestamptz(3) not null default clock_timestamp(),
  -- Whether it is about something that readers see or saw.
  is_public boolean not null,
  -- The slugs that readers could find it by.
  slug_before text,
  slug_after text,
  category_ids integer[] not null default '{}',
  cache_tags text[] not null default '{}',
  -- For this hook alone: a test.
  hook_id integer,
  -- A cursor of the changes of what is published, from after the change got its number; set with the first
  -- attempt to deliver the event.
  sync_cursor text
);

-- What is yet to be delivered. Deliveries that wait for an earlier one of their subject are put aside by the
-- claim that meets them, so that no later one looks at them again: a claim reads few rows, however many
-- events are about one article.
create table content.delivery (
  event_id bigint not null references content.event on delete cascade,
  hook_id integer not null references content.hook on delete cascade,
  subject text not null,
  attempts integer not null default 0,
  -- While it is being delivered, the end of the lease: another process delivers it then. Null while it is put
  -- aside: `resume_next` makes it due. Whoever puts aside, or deletes what is the first of its subject, holds
  -- the lock of the hook's row.
  due_at timestamptz(3) default clock_timestamp(),
  primary key (event_id, hook_id)
);

create index delivery_by_due on content.delivery (hook_id, due_at, event_id);
create index delivery_by_subject on content.delivery (hook_id, subject, event_id);

create table content.delivery_attempt (
  id bigint generated always as identity primary key,
  event_id bigint not null references content.event on delete cascade,
  hook_id integer not null references content.hook on delete cascade,
  ended_at timestamptz(3) not null default clock_timestamp(),
  duration_ms integer not null,
  -- Null without an answer.
  status integer,
  -- Why it has failed.
  fault text,
  -- The beginning of the answer.
  answer text
);

create index delivery_attempt_by_event on content.delivery_attempt (event_id);
create index delivery_attempt_by_hook on content.delivery_attempt (hook_id, id desc);

-- With a hook goes what waits for it, and nothing is to follow: no delivery looks for its successor among the
-- removed ones.
create function content.resume_next() returns trigger language plpgsql as $$
begin
  if not exists (select from removed join content.hook on hook.id = removed.hook_id) then
    return null;
  end if;
  -- What has been waiting longest goes first.
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

create trigger resume_next after delete on content.delivery
  referencing old table as removed for each statement execute function content.resume_next();

create function content.wants(hook content.hook, event content.event) returns boolean language sql stable as $$
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
create function content.queue_deliveries() returns trigger language plpgsql as $$
begin
  insert into content.delivery (event_id, hook_id, subject)
    select new.id, hook.id, new.subject from content.hook where content.wants(hook, new) for key share of hook;
  if found then
    perform pg_notify('content_hooks_due', '');
  end if;
  return null;
end
$$;

create trigger queue_deliveries after insert on content.event
  for each row execute function content.queue_deliveries();

create type content.article_state as (
  id integer, slug text, category_id integer, tag_ids integer[], author_ids integer[], is_published boolean
);

-- The events of a change of one article: null before it is created, and after it is deleted.
create function content.add_article_events(before content.article_state, after content.article_state)
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

-- Of articles that change or go; `content.follow_inserted_articles` has the new ones.
create function content.note_articles() returns trigger language plpgsql as $$
begin
  if not exists (select from content.hook) then
    return null;
  end if;
  if tg_op = 'DELETE' then
    perform content.add_article_events((id, slug, category_id, tag_ids, author_ids, is_published)::content.article_state, null)
      from removed order by id;
  else
    perform content.add_article_events(
        (r.id, r.slug, r.category_id, r.tag_ids, r.author_ids, r.is_published)::content.article_state,
        (a.id, a.slug, a.category_id, a.tag_ids, a.author_ids, a.is_published)::content.article_state
      )
      from removed as r join added as a using (id) where r *<> a order by id;
  end if;
  return null;
end
$$;

create trigger note_updated after update on content.article
  referencing old table as removed new table as added for each statement execute function content.note_articles();
create trigger note_deleted after delete on content.article
  referencing old table as removed for each statement execute function content.note_articles();

-- The same for what groups articles, of which lists of articles show the names; `plural` is what all are
-- called.
create function content.add_term_event(kind text, plural text, term integer, before text, after text)
returns void language sql as $$
  insert into content.event (type, subject, is_public, slug_before, slug_after, category_ids, cache_tags)
  select kind || case when before is null then '.created' when after is null then '.deleted' else '.updated' end,
    kind || ':' || term, true, before, after,
    case when kind = 'category' then array[term] else '{}' end,
    array[plural, kind || ':' || term] || case when before is null or after is null then '{}' else '{articles}'::text[] end
$$;

create function content.note_terms() returns trigger language plpgsql as $$
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

-- Every change of the table is an event, which `noting` writes.
create procedure content.note_all(of_table regclass, noting text) language plpgsql as $do$
begin
  execute format($triggers$
    create trigger note_inserted after insert on %1$s
      referencing new table as added for each statement execute function %2$s;
    create trigger note_updated after update on %1$s
      referencing old table as removed new table as added for each statement execute function %2$s;
    create trigger note_deleted after delete on %1$s
      referencing old table as removed for each statement execute function %2$s;
  $triggers$, of_table, noting);
end
$do$;

call content.note_all('content.category', $$content.note_terms('categories')$$);
call content.note_all('content.tag', $$content.note_terms('tags')$$);
call content.note_all('content.author', $$content.note_terms('authors')$$);

-- The trail has hooks without their URLs, which may hold secrets of others.
create trigger audit_created after insert on content.hook for each row
  execute function content.audit_row('hook.added', 'id', 'events', 'category_id', 'drafts');
create trigger audit_paused after update on content.hook for each row
  when (old.paused_at is null and new.paused_at is not null)
  execute function content.audit_row('hook.paused', 'id', 'pause_reason');
create trigger audit_resumed after update on content.hook for each row
  when (old.paused_at is not null and new.paused_at is null)
  execute function content.audit_row('hook.resumed', 'id');
create trigger audit_rotated after update on content.hook for each row
  when (old.previous_secret_until is distinct from new.previous_secret_until)
  execute function content.audit_row('hook.rotated', 'id');
create trigger audit_deleted after delete on content.hook for each row
  execute function content.audit_row('hook.removed', 'id');
