-- The archive: every item that is kept, by time, source and all that a query can restrict.

create index item_by_source on news.item (source_name, published_at desc, id desc) where withdrawn_at is null;
-- For the stories with the newest reports.
create index item_in_story_by_publication on news.item (published_at desc, id desc)
  where story is not null and withdrawn_at is null;
create index story_settled on news.story (public_id) where status = 'settled' and merged_into is null;

-- Items that have left every window keep their terms, behind the month of their publication: a search reads
-- the terms of one month after another, and stops when its page is full. Terms of items that are in a window
-- have no month.
alter table news.recent_item rename to item_terms;
alter index news.recent_item_pkey rename to item_terms_pkey;
alter index news.recent_item_by_term rename to item_terms_by_term;
alter table news.item_terms rename constraint recent_item_item_id_fkey to item_terms_item_id_fkey;
alter table news.item_terms add column archived boolean not null default false;
alter table news.item_terms alter column archived drop default;
drop index news.recent_item_by_time;
create index item_terms_recent_by_time on news.item_terms (latest_at) where not archived;
-- A search looks through all that waits to be indexed, once for every month.
alter index news.item_terms_by_term set (gin_pending_list_limit = 256);

create function news.archived_terms(published_at timestamptz, source_name text, terms text[]) returns text[]
language sql stable strict parallel safe as $$
  select array_agg(to_char(published_at at time zone 'UTC', 'YYYYMM') || term)
  from unnest(terms || array[' source ' || source_name]) as term
$$;

create or replace function news.recent_since() returns timestamptz language sql stable as $$
  select case when max(latest_at) is null then '-infinity' else least(clock_timestamp(), max(latest_at)) - interval '8 days' end
  from news.item_terms where not archived
$$;

-- An item is written with the terms of a window or of the archive. Time alone brings no item back into a
-- window; `archiveLeftItems` archives what has left.
create or replace function news.keep_recent_item() returns trigger language plpgsql as $$
declare
  latest constant timestamptz := greatest(new.timeline_at, new.published_at);
  is_archived constant boolean := latest <= news.recent_since();
begin
  insert into news.item_terms as kept (item_id, latest_at, archived, terms)
  values (new.id, latest, is_archived, case when is_archived
    then news.archived_terms(new.published_at, new.source_name, news.item_terms(new))
    else news.item_terms(new)
  end)
  on conflict (item_id) do update
  set latest_at = excluded.latest_at, archived = excluded.archived, terms = excluded.terms;
  return null;
end
$$;

alter function news.keep_recent_item() rename to keep_item_terms;
alter trigger keep_recent_insert on news.item rename to keep_terms_insert;
drop trigger keep_recent_update on news.item;
create trigger keep_terms_update after update on news.item
  for each row when (
    (old.search_text, old.category, old.directions, old.in_selected_set, old.timeline_at, old.published_at, old.source_name)
    is distinct from
    (new.search_text, new.category, new.directions, new.in_selected_set, new.timeline_at, new.published_at, new.source_name)
  ) execute function news.keep_item_terms();

insert into news.item_terms (item_id, latest_at, archived, terms)
select id, greatest(timeline_at, published_at), true,
  news.archived_terms(published_at, source_name, news.item_terms(item))
from news.item where not exists (select from news.item_terms where item_id = item.id);
