-- The sources that the newsroom's worker polls, what it has read from them, and when each schedule last ran.
-- New tables only, so nothing waits for a lock.

create table news.source (
  id bigint generated always as identity primary key,
  -- The address that is polled; a permanent redirect, or the feed that a page names, replaces it.
  url text collate "C" not null constraint source_url_key unique check (octet_length(url) between 1 and 2048),
  -- The address as the editor gave it.
  given_url text not null,
  name text not null check (name <> ''),
  -- Whether an editor chose the name; else the feed's own title is taken.
  is_named boolean not null default false,
  category text,
  directions text[] not null default '{}',
  first_party boolean not null default false,
  weight double precision not null default 1 check (weight between 0 and 10),
  -- When its items are selected: auto, all, none, or a least score.
  select_rule text not null default 'auto' check (select_rule ~ '^(auto|all|none|score>=[0-9]{1,3}(\.[0-9]+)?)$'),
  reads_pages boolean not null default false,
  state text not null default 'active' check (state in ('active', 'paused', 'gone')),
  created_at timestamptz(3) not null default clock_timestamp(),
  -- For conditional requests, and to notice an answer that has not changed.
  etag text,
  last_modified text,
  body_hash bytea,
  next_poll_at timestamptz(3) not null,
  -- Until when a job for the next poll is taken to be on its way.
  queued_until timestamptz(3),
  interval_seconds integer not null default 900 check (interval_seconds > 0),
  -- How often the feed says that it changes; null if it does not say.
  update_seconds integer,
  last_polled_at timestamptz(3),
  last_success_at timestamptz(3),
  last_change_at timestamptz(3),
  -- The failures since the last success.
  failures integer not null default 0,
  failing_since timestamptz(3),
  last_error text
);

create index source_by_poll on news.source (next_poll_at) where state = 'active';

-- What a source's feed holds, by the key that the feed gives each entry (guid, id, else the address).
create table news.source_entry (
  source_id bigint not null references news.source on delete cascade,
  key text collate "C" not null check (octet_length(key) between 1 and 2048),
  -- SHA-256 of the entry as read, so that an edit at the source is noticed.
  hash bytea not null check (octet_length(hash) = 32),
  entry jsonb not null,
  -- pending: to be made an item, or to change one; done; refused: it cannot be an item.
  state text not null default 'pending' check (state in ('pending', 'done', 'refused')),
  reason text,
  attempts integer not null default 0,
  retry_at timestamptz(3) not null,
  discovered_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  item_id text collate "C" references news.item on delete set null,
  -- Whether this entry made the item: an article that several sources carry is changed by the first alone.
  owns_item boolean not null default false,
  -- The members of the item as last written, so that an editor's change is recognised and kept.
  written jsonb,
  primary key (source_id, key)
);

create index source_entry_pending on news.source_entry (retry_at) where state = 'pending';
create index source_entry_by_item on news.source_entry (item_id) where item_id is not null;
create index source_entry_by_discovery on news.source_entry (source_id, discovered_at);

-- When a request to a host may begin, so that any number of workers keep the distance between two.
create table news.host_turn (
  host text collate "C" primary key,
  next_at timestamptz(3) not null
);

create table news.schedule (
  name text collate "C" primary key,
  -- The latest occurrence that was carried out.
  done_through timestamptz(3),
  last_run_at timestamptz(3),
  last_error text,
  last_error_at timestamptz(3),
  queued_until timestamptz(3)
);
