-- The schema of the news feed; its items, with all that finds them, and the stories that they tell.

create schema news;

create table news.story (
  public_id text collate "C" primary key
    check (public_id ~ '^[A-Za-z0-9._~-]{1,128}$' and public_id not in ('.', '..')),
  title text not null check (title <> ''),
  status text not null default 'active' check (status in ('active', 'settled')),
  digest text,
  digest_updated_at timestamptz(3) check ((digest is null) = (digest_updated_at is null)),
  -- Who wrote the digest; null is a person, whose text the newsroom leaves alone.
  digest_by text check (digest_by in ('rules', 'model')),
  -- The story that this one has become; its own id redirects there.
  merged_into text collate "C" constraint story_merged_into_fkey references news.story,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

-- The stories whose digest the rules have written last, which a model may rewrite.
create index story_by_rules_digest on news.story (digest_updated_at) where digest_by = 'rules';
create index story_by_survivor on news.story (merged_into) where merged_into is not null;
create index story_settled on news.story (public_id) where status = 'settled' and merged_into is null;

-- Merges wait for each other here: two merges that are valid separately must not form a cycle together. This
-- is a row, not an advisory lock, so that a transaction with an old snapshot fails (40001) instead of missing
-- the other merge.
create table news.story_merge (
  singleton boolean primary key default true check (singleton),
  merges bigint not null
);
insert into news.story_merge (merges) values (0);

-- The references of a story: other stories of its storyline and related ones, in display order.
create table news.story_reference (
  story text collate "C" not null references news.story on delete cascade,
  kind text not null check (kind in ('storyline', 'related')),
  neighbor text collate "C" not null references news.story on delete cascade check (neighbor <> story),
  relation text not null check (relation <> ''),
  position integer not null,
  primary key (story, kind, neighbor)
);

create index story_reference_by_neighbor on news.story_reference (neighbor);

-- Stories that a person has split: the newsroom does not merge them again.
create table news.story_split (
  story text collate "C" not null references news.story on delete cascade,
  other text collate "C" not null references news.story on delete cascade check (other <> story),
  primary key (story, other)
);

create index story_split_by_other on news.story_split (other);

-- What a model has made of a story's reports: it writes the next digest from its previous one and the new
-- reports only.
create table news.story_model_digest (
  story text collate "C" primary key references news.story on delete cascade,
  -- The last digest of the model that was kept; null if none was.
  digest text,
  -- The reports that this digest knows.
  item_ids text[] collate "C" not null default '{}',
  -- The time of the rules' digest for which the model was last asked.
  asked_for timestamptz(3) not null
);

-- Not as text between quotes: pg_dump must know what they call, and restore that first.
create function news.fold(value text) returns text language sql immutable strict parallel safe
return pressroom.fold(value);
create function news.text_pieces(value text) returns text[] language sql immutable strict parallel safe
return pressroom.text_pieces(value);

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
  updated_at timestamptz(3) not null default clock_timestamp(),
  -- {"url", "width"?, "height"?, "alt"?}: the address is public and https. Null where nothing says one.
  image jsonb check (jsonb_typeof(image) = 'object' and image ? 'url'),
  -- Of the original article (BCP 47, in its canonical form); null where nothing says it.
  language text check (language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$')
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
-- The archive of a source.
create index item_by_source on news.item (source_name, published_at desc, id desc) where withdrawn_at is null;
-- For the pages of the snapshot.
create index item_selected on news.item (id) where in_selected_set;
-- For the reports of a story, and for its deletion.
create index item_by_story on news.item (story, published_at desc, id desc) where story is not null;
-- For the stories with the newest reports.
create index item_in_story_by_publication on news.item (published_at desc, id desc)
  where story is not null and withdrawn_at is null;
-- For the list of what was withdrawn, the latest first.
create index item_withdrawn on news.item (withdrawn_at desc, id desc) where withdrawn_at is not null;

-- All items by all that a query can restrict. Without it, a search that finds little would read the whole
-- window. Items that have left every window keep their terms, behind the month of their publication: a search
-- of the archive reads the terms of one month after another, and stops when its page is full.
create table news.item_terms (
  item_id text collate "C" primary key references news.item on delete cascade,
  -- The later of the times by which windows are defined; the item is in no window 7 days after it.
  latest_at timestamptz(3) not null,
  terms text[] collate "C" not null,
  archived boolean not null
) with (autovacuum_vacuum_scale_factor = 0.05);

-- A search looks through all that waits to be indexed, once for every month.
create index item_terms_by_term on news.item_terms using gin (terms) with (gin_pending_list_limit = 256);
create index item_terms_recent_by_time on news.item_terms (latest_at) where not archived;

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: 4b6b1e8959bd00e2caf3001c6142b4f0435133e2ac2f9b01229c6402a5e22b7b
