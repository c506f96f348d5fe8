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

-- The windows of /items: by either time, all items or the selected ones, id breaking ties. A search, a
-- category or a direction also reads its window from these and filters it; trigrams cannot find two Chinese
-- characters.
create index item_by_timeline on news.item (timeline_at desc, id desc) where withdrawn_at is null;
create index item_by_publication on news.item (published_at desc, id desc) where withdrawn_at is null;
create index item_selected_by_timeline on news.item (timeline_at desc, id desc) where in_selected_set;
create index item_selected_by_publication on news.item (published_at desc, id desc) where in_selected_set;
-- For the pages of the snapshot.
create index item_selected on news.item (id) where in_selected_set;
-- For the reports of a story, and for its deletion.
create index item_by_story on news.item (story, published_at desc, id desc) where story is not null;
