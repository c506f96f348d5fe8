-- Reset tracking (docs/spec/wire.md, "Reset tracking").

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
