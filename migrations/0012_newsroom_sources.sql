-- The sources that the newsroom polls, what it has read from them, its workers, hosts and schedules. The rows
-- decide what is due: a worker takes them directly, with leases that end by themselves.

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
  state text not null default 'active'
    constraint source_state_check
      check (state in ('active', 'paused', 'gone', 'removed') and (state = 'removed') = (removed is not null)),
  created_at timestamptz(3) not null default clock_timestamp(),
  -- For conditional requests, and to notice an answer that has not changed.
  etag text,
  last_modified text,
  body_hash bytea,
  next_poll_at timestamptz(3) not null,
  -- Until when a worker has it in hand, by the database's clock; renewed while it does.
  lease_until timestamptz(3),
  interval_seconds integer not null default 900 check (interval_seconds > 0),
  -- How often the feed says that it changes; null if it does not say.
  update_seconds integer,
  last_polled_at timestamptz(3),
  last_success_at timestamptz(3),
  last_change_at timestamptz(3),
  -- The failures since the last success.
  failures integer not null default 0,
  failing_since timestamptz(3),
  last_error text,
  -- When the day began in which `taken` new entries and `taken_changes` changed ones were kept, so that a
  -- source that floods is held back.
  taken_since timestamptz(3),
  taken integer not null default 0,
  taken_changes integer not null default 0,
  -- Entries of the last feed that was read which cannot be items, and those beyond the most that are read.
  unusable_entries integer not null default 0,
  unread_entries integer not null default 0,
  -- Whether the pictures of its entries are taken.
  takes_images boolean not null default true,
  -- Rules by which its entries are dropped, kept, categorised and scored, in their order.
  rules text[] not null default '{}',
  -- The reads in a row, up to the last one, that found no entry.
  empty_reads integer not null default 0,
  -- The CSS selectors of the list that its page is; 'auto': it is found; null: it is a feed or a sitemap.
  list_selectors text,
  -- What it was before it was removed: {at, url, given_url, state}. It can be brought back for a while, with
  -- its settings and what it has read: without that, old entries of its feed would come as news. It gives its
  -- address away, so that another one may have it.
  removed jsonb
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
  -- When a worker may take it, by the database's clock: after its lease, or the wait after a failure.
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

create index source_entry_pending on news.source_entry (source_id, retry_at) where state = 'pending';
create index source_entry_by_item on news.source_entry (item_id) where item_id is not null;
create index source_entry_by_discovery on news.source_entry (source_id, discovered_at);

-- The addresses that the sitemaps of a source have listed, as the first 64 bits of their SHA-256.
create table news.source_sitemap (
  source_id bigint primary key references news.source on delete cascade,
  known bytea not null
);

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
  -- Until when a worker has it in hand.
  lease_until timestamptz(3),
  -- The failures since the last success, and when it is tried again after them, by the database's clock.
  failures integer not null default 0,
  retry_at timestamptz(3)
);

-- Slots for requests to a host: each open request of a worker holds one.
create table news.host_slot (
  host text collate "C" not null,
  slot smallint not null,
  -- The request that holds it.
  holder uuid not null,
  -- Later than any request may end: the slots of a worker that is gone are free from then on.
  lease_until timestamptz(3) not null,
  primary key (host, slot)
);

-- The workers that run, so that `newsroom status` can tell that there is one.
create table news.worker (
  id uuid primary key,
  host text not null,
  pid integer not null,
  started_at timestamptz(3) not null default clock_timestamp(),
  -- Renewed every ten seconds.
  seen_at timestamptz(3) not null default clock_timestamp()
);

-- Subscriptions at WebSub hubs, by which sources say at once that they have something new.
create table news.websub_subscription (
  -- The last part of the callback's address: whoever does not know it cannot reach the subscription.
  token text collate "C" primary key check (token ~ '^[A-Za-z0-9_-]{43}$'),
  -- Null: its source was removed or names another hub, so the subscription is to be ended at the hub.
  source_id bigint unique references news.source on delete set null,
  hub text not null check (octet_length(hub) between 1 and 2048),
  topic text not null check (octet_length(topic) between 1 and 2048),
  -- The key of the hub's signatures.
  secret text not null,
  -- Until when the hub keeps it; null before the hub has verified it.
  lease_until timestamptz(3),
  -- When the hub is to be asked next, by the database's clock: to subscribe, to renew, or to end it.
  ask_at timestamptz(3) not null,
  attempts integer not null default 0,
  last_notified_at timestamptz(3),
  last_error text
);

create index websub_subscription_by_ask on news.websub_subscription (ask_at);

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: dd1a3071dfdbb23d9f4842d7fb1965d9c8f4c7a9279ec17e0efbdfce340c7856
