-- A search that finds little, and a category or direction with few items, read the whole window of 7 days:
-- the more news a site takes in, the longer. This table has the items that may be in a window, by all that a
-- query can restrict: category, direction, selection, and pieces of the searched text. Writers of items wait
-- while the items of the last days are added, about a second for 2,000.

-- The pieces by which a text is found: three letters of an alphabet in a row, or two characters of which one
-- is of a script without spaces (U+2E80 and above: Chinese, Japanese, Korean). Pieces with a space are left
-- out. A word has no piece that a text with the word lacks, so what lacks one of them need not be read.
create function news.text_pieces(value text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct piece) filter (where strpos(piece, ' ') = 0), '{}') from (
    select case
      when ascii(letter) >= 11904 or ascii(second) >= 11904 then letter || second
      when ascii(third) < 11904 then letter || second || third
    end as piece
    from (
      select letter, lead(letter) over next as second, lead(letter, 2) over next as third
      from unnest(string_to_array(value, null)) with ordinality as letters (letter, position)
      window next as (order by position)
    ) as letters
  ) as pieces
$$;

-- What a query can restrict. Terms that are not pieces of text begin with a space, so they are not mistaken.
create function news.item_terms(item news.item) returns text[] language sql immutable parallel safe as $$
  select news.text_pieces(item.search_text)
    || case when item.category is not null then array[' category ' || item.category] end
    || case when item.in_selected_set then array[' selected'] end
    || array(select ' direction ' || direction from unnest(item.directions) as direction)
$$;

create table news.recent_item (
  item_id text collate "C" primary key references news.item on delete cascade,
  -- The later of the times by which windows are defined; the item is in no window 7 days after it.
  latest_at timestamptz(3) not null,
  terms text[] collate "C" not null
) with (autovacuum_vacuum_scale_factor = 0.05);

create index recent_item_by_term on news.recent_item using gin (terms);
create index recent_item_by_time on news.recent_item (latest_at);

-- Items up to this time have left every window, a day longer than they are shown, so that the clocks of
-- services may differ from the database's. Where all news is older, its last 8 days are kept: a service may
-- be shown as it was then.
create function news.recent_since() returns timestamptz language sql stable as $$
  select case when max(latest_at) is null then '-infinity' else least(clock_timestamp(), max(latest_at)) - interval '8 days' end
  from news.recent_item
$$;

-- An item is added when it is written. Time alone brings no item back into a window. `publishRanking` removes
-- what has left.
create function news.keep_recent_item() returns trigger language plpgsql as $$
declare
  latest constant timestamptz := greatest(new.timeline_at, new.published_at);
begin
  if latest > news.recent_since() then
    insert into news.recent_item as kept (item_id, latest_at, terms)
    values (new.id, latest, news.item_terms(new))
    on conflict (item_id) do update set latest_at = excluded.latest_at, terms = excluded.terms;
  end if;
  return null;
end
$$;

create trigger keep_recent_insert after insert on news.item
  for each row execute function news.keep_recent_item();
create trigger keep_recent_update after update on news.item
  for each row when (
    (old.search_text, old.category, old.directions, old.in_selected_set, old.timeline_at, old.published_at)
    is distinct from
    (new.search_text, new.category, new.directions, new.in_selected_set, new.timeline_at, new.published_at)
  ) execute function news.keep_recent_item();

-- After the triggers, whose locks keep writers out until the end of this migration.
insert into news.recent_item (item_id, latest_at, terms)
select id, greatest(timeline_at, published_at), news.item_terms(item)
from news.item
where timeline_at > clock_timestamp() - interval '8 days' or published_at > clock_timestamp() - interval '8 days';
