-- News items, with the indexes of their lists and searches.

-- The text that searches compare: case-folded in every script, with full-width letters as ordinary ones
-- (NFKC).
create function news.fold(value text) returns text language sql immutable strict parallel safe as $$
  select casefold(normalize(value, NFKC) collate "pg_unicode_fast") collate "C"
$$;

create table news.item (
  -- A path segment: visible ASCII characters except the slash, and not one of the two names for a folder.
  id text collate "C" primary key default uuidv7()::text
    check (id ~ '^[!-.0-~]{1,128}$' and id not in ('.', '..')),
  title text not null check (title <> ''),
  original_title text,
  summary text,
  source_name text not null check (source_name <> ''),
  -- Whether the source is the subject of the news, as with its own blog or announcement.
  source_first_party boolean not null default false,
  -- The link as given, and the canonical form by which the same article is recognised.
  original_url text not null,
  canonical_url text collate "C" not null constraint item_canonical_url_key unique
    check (octet_length(canonical_url) between 1 and 2048),
  published_at timestamptz(3) not null,
  discovered_at timestamptz(3) not null default clock_timestamp(),
  -- The item's position in the timeline: the publication time if the item was received more than 72 hours
  -- after that, else the time at which it was received.
  timeline_at timestamptz(3) not null generated always as (
    case when discovered_at - published_at > interval '72 hours' then published_at else discovered_at end
  ) stored,
  category text,
  score double precision check (score between 0 and 100),
  selected boolean not null default false,
  -- Why it was selected; shown on /items only.
  reason text,
  directions text[] not null default '{}' check (array_position(directions, null) is null),
  story text collate "C" constraint item_story_fkey references news.story on delete set null,
  -- A withdrawn item is not shown anywhere.
  withdrawn_at timestamptz(3),
  in_selected_set boolean not null generated always as (selected and withdrawn_at is null) stored,
  search_text text collate "C" not null generated always as (
    news.fold(title || E'\n' || coalesce(original_title, '') || E'\n' || coalesce(summary, ''))
  ) stored,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

-- The windows of /items: by either time, all items or the selected ones, id breaking ties, and the same
-- within a category.
create index item_by_timeline on news.item (timeline_at desc, id desc) where withdrawn_at is null;
create index item_by_publication on news.item (published_at desc, id desc) where withdrawn_at is null;
create index item_selected_by_timeline on news.item (timeline_at desc, id desc) where in_selected_set;
create index item_selected_by_publication on news.item (published_at desc, id desc) where in_selected_set;
create index item_by_category on news.item (category, timeline_at desc, id desc) where withdrawn_at is null;
create index item_by_category_publication on news.item (category, published_at desc, id desc)
  where withdrawn_at is null;
create index item_selected_by_category on news.item (category, timeline_at desc, id desc) where in_selected_set;
create index item_selected_by_category_publication on news.item (category, published_at desc, id desc)
  where in_selected_set;
-- For the pages of the snapshot.
create index item_selected on news.item (id) where in_selected_set;
-- For the reports of a story, and for its deletion.
create index item_by_story on news.item (story, published_at desc, id desc) where story is not null;

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

-- The items that may be in a window, by all that a query can restrict: category, direction, selection, and
-- pieces of the searched text. Without it, a search that finds little would read the whole window. Trigrams
-- of an extension cannot find two Chinese characters.
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
