-- Replicas cache finished answers, and drop them when they hear of a change.

-- Replicas cache finished answers and drop them on this notification, which is sent when the change commits.
-- It names what has changed: the article, its categories before and after, and "articles" for the lists. An
-- empty notification means everything.
create or replace function content.announce_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('content_changed', '');
  return null;
end
$$;

-- The subjects of an article are written as they are announced: none is looked for among the others.
create or replace function content.announced_subjects(id integer, category_id integer) returns text language sql immutable as $$
  select 'article:' || id::text || coalesce(' category:' || category_id::text, '')
$$;

-- A statement that writes very many articles announces everything: no more rows are looked at than could fit.
create or replace function content.announce_articles() returns trigger language plpgsql as $$
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

-- Cached answers have cursors, which end with their epoch. Numbering a change needs no announcement: the
-- change was announced itself.
create or replace trigger announce_change after update of epoch on content.ledger
  for each statement execute function content.announce_change();
