-- Rankings of the hot topics; the daily, weekly and monthly reports; and reset tracking (docs/spec/wire.md,
-- "Reset tracking").

-- A ranking and its entries are written in one transaction, so a partial ranking is never visible. The latest
-- ranking has the largest id.
create table news.ranking (
  id bigint generated always as identity primary key,
  published_at timestamptz(3) not null default clock_timestamp(),
  -- The parameters of the formula, in addition to the inputs of the entries.
  parameters jsonb not null default '{}'
);

create table news.ranking_entry (
  ranking_id bigint not null references news.ranking on delete cascade,
  -- Null: the list of all directions.
  direction text,
  rank integer not null check (rank > 0),
  item_id text collate "C" not null references news.item on delete cascade,
  source_count integer not null,
  signal_count integer not null,
  participant_count integer,
  source_names text[] not null,
  latest_at timestamptz(3) not null,
  -- All inputs of the rank, so that it can be explained.
  inputs jsonb not null,
  unique nulls not distinct (ranking_id, direction, rank)
);

create index ranking_entry_by_item on news.ranking_entry (item_id);

create table news.daily (
  -- The calendar date in the site's time zone.
  date date primary key,
  generated_at timestamptz(3) not null,
  window_start timestamptz(3) not null,
  window_end timestamptz(3) not null check (window_end > window_start),
  -- The content of the report. It names each quoted item by id, so that items withdrawn later can be left
  -- out.
  report jsonb not null,
  item_ids text[] collate "C" not null,
  -- A report of the current day may be corrected.
  corrected_at timestamptz(3)
);

create table news.weekly (like news.daily including all);
alter table news.weekly add constraint weekly_is_of_a_monday check (extract(isodow from date) = 1);

create table news.monthly (like news.daily including all);
alter table news.monthly add constraint monthly_is_of_a_first check (extract(day from date) = 1);

-- The reports that quote an item, for its page.
create index daily_by_item on news.daily using gin (item_ids);
create index weekly_by_item on news.weekly using gin (item_ids);
create index monthly_by_item on news.monthly using gin (item_ids);

create table news.reset_event (
  id text collate "C" primary key check (id ~ '^[!-~]{1,128}$'),
  type text not null check (type in ('direct_reset', 'reset_credit')),
  label text not null check (label in ('全员重置', '发重置卡')),
  display_label text not null,
  status text not null check (status in ('announced', 'confirmed')),
  title text not null,
  scope text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  confirmed_at timestamptz(3),
  occurred_on date,
  confirmation_basis text check (confirmation_basis in ('source_post', 'receipt_review')),
  -- As the API shows them (docs/spec/wire.md, "Reset tracking"); the presentation's status is derived on
  -- reading.
  schedule jsonb,
  presentation jsonb,
  estimate jsonb,
  url text not null
);

create index reset_event_by_update on news.reset_event (updated_at desc, id desc);
create index reset_event_waiting on news.reset_event (updated_at desc, id desc) where status = 'announced';

create table news.reset_post (
  event_id text collate "C" not null references news.reset_event on delete cascade,
  id text collate "C" not null check (id ~ '^[!-~]{1,128}$'),
  published_at timestamptz(3) not null,
  stage text not null,
  text text not null,
  original_text text not null,
  full_text text,
  full_original_text text,
  context jsonb not null default '[]',
  url text not null,
  primary key (event_id, id)
);

create index reset_post_by_publication on news.reset_post (event_id, published_at desc, id desc);

create table news.reset_activity (
  id text collate "C" primary key check (id ~ '^[!-~]{1,128}$'),
  published_at timestamptz(3) not null,
  -- The events may no longer exist.
  event_ids text[] collate "C" not null default '{}',
  kind text not null check (kind in ('event_update', 'related')),
  text text,
  original_text text not null,
  context jsonb not null default '[]',
  status_changed boolean not null,
  action text check (action in ('announce', 'confirm', 'amend', 'withdraw')),
  url text not null
);

create index reset_activity_by_publication on news.reset_activity (published_at desc, id desc);

create table news.reset_outage (
  post_id text collate "C" primary key check (post_id ~ '^[!-~]{1,128}$'),
  published_at timestamptz(3) not null,
  text text,
  original_text text not null,
  recovered_at timestamptz(3),
  reset_event_id text collate "C",
  url text not null
);

create index reset_outage_by_publication on news.reset_outage (published_at desc);

-- One row once there is a monitor.
create table news.reset_monitor (
  singleton boolean primary key default true check (singleton),
  status text not null default 'unknown' check (status in ('healthy', 'delayed', 'attention', 'unknown')),
  checked_at timestamptz(3),
  last_attempt_at timestamptz(3),
  last_collected_at timestamptz(3),
  last_verified_at timestamptz(3),
  held_window_count integer not null default 0 check (held_window_count >= 0),
  pending_count integer not null default 0 check (pending_count >= 0),
  review_count integer not null default 0 check (review_count >= 0)
);

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: 6b7e01299490ae3d7e244bcdb1389d9b365959f25bf705d9d936f44192f8bfe5
