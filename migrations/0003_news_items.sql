-- News items, with the indexes of their lists and searches.

-- What a search compares: without case in any script, and full-width letters as the ordinary ones (NFKC).
create function news.fold(value text) returns text language sql immutable strict parallel safe as $$
  select casefold(normalize(value, NFKC) collate "pg_unicode_fast") collate "C"
$$;

create table news.item (
  -- A segment of a path: visible ASCII characters other than the slash, and none of the two that mean a
  -- folder.
  id text collate "C" primary key default uuidv7()::text
    check (id ~ '^[!-.0-~]{1,128}$' and id not in ('.', '..')),
  title text not null check (title <> ''),
  original_title text,
  summary text,
  source_name text not null check (source_name <> ''),
  -- The source is the one that the news is about: its own blog, its own announcement.
  source_first_party boolean not null default false,
  -- The link as it was given, and the form by which the same article is recognised.
  original_url text not null,
  canonical_url text collate "C" not null constraint item_canonical_url_key unique
    check (octet_length(canonical_url) between 1 and 2048),
  published_at timestamptz(3) not null,
  discovered_at timestamptz(3) not null default clock_timestamp(),
  -- Where the item stands in the timeline: one that was back-filled more than 72 hours after its publication
  -- keeps the time of that, all others have the time at which they were received.
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
  -- A withdrawn item is shown nowhere.
  withdrawn_at timestamptz(3),
  in_selected_set boolean not null generated always as (selected and withdrawn_at is null) stored,
  search_text text collate "C" not null generated always as (
    news.fold(title || E'\n' || coalesce(original_title, '') || E'\n' || coalesce(summary, ''))
  ) stored,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

-- The windows of /items: by either time, all items or the selected ones, id breaking ties. A search, a
-- category or a direction reads its window from these and no more: trigrams cannot find two Chinese
-- characters.
create index item_by_timeline on news.item (timeline_at desc, id desc) where withdrawn_at is null;
create index item_by_publication on news.item (published_at desc, id desc) where withdrawn_at is null;
create index item_selected_by_timeline on news.item (timeline_at desc, id desc) where in_selected_set;
create index item_selected_by_publication on news.item (published_at desc, id desc) where in_selected_set;
-- The pages of the snapshot.
create index item_selected on news.item (id) where in_selected_set;
-- The reports of a story; also for its deletion.
create index item_by_story on news.item (story, published_at desc, id desc) where story is not null;
