-- The news feed: items, stories, rankings, daily reports, reset tracking, and the ledger of the selected set. A new
-- schema: nothing waits for it.

do $$
begin
  if current_setting('server_version_num')::integer < 180000 then
    raise exception 'PostgreSQL % is too old: the news feed needs version 18 or later (casefold, uuidv7)',
      current_setting('server_version');
  end if;
end
$$;

create schema news;

-- What a search compares: without case in any script, and full-width letters as the ordinary ones (NFKC).
create function news.fold(value text) returns text language sql immutable strict parallel safe as $$
  select casefold(normalize(value, NFKC) collate "pg_unicode_fast") collate "C"
$$;

-- Commits that no replica has been told of: see below.
create table news.unannounced (
  id bigint generated always as identity primary key
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Replicas keep finished answers in memory and drop them when they hear this, which is when the change commits.
-- Transactions that notify commit one after the other, so only one at a time does. The others leave a row, which the
-- replicas' heartbeat finds a quarter of a second later. Whoever notifies speaks for all rows that it can see, and
-- takes them away; not with a snapshot of its transaction's begin, which may show rows that are gone.
create function news.announce_change() returns trigger language plpgsql as $$
begin
  if pg_try_advisory_xact_lock(hashtextextended('news_changed', 0)) then
    if current_setting('transaction_isolation') = 'read committed' then
      delete from news.unannounced;
    end if;
    perform pg_notify('news_changed', '');
  else
    insert into news.unannounced default values;
  end if;
  return null;
end
$$;

-- Stories ---------------------------------------------------------------------------------------------------------

create table news.story (
  public_id text collate "C" primary key check (public_id ~ '^[A-Za-z0-9._~-]{1,128}$'),
  title text not null check (title <> ''),
  status text not null default 'active' check (status in ('active', 'settled')),
  digest text,
  digest_updated_at timestamptz(3) check ((digest is null) = (digest_updated_at is null)),
  -- The story that this one has become; its own id redirects there.
  merged_into text collate "C" constraint story_merged_into_fkey references news.story,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

create index story_by_survivor on news.story (merged_into) where merged_into is not null;

-- Merges wait for each other here: two that are right by themselves must not close a circle together. A row and not
-- an advisory lock, so that a transaction with an old snapshot fails (40001) instead of overlooking the other merge.
create table news.story_merge (
  singleton boolean primary key default true check (singleton),
  merges bigint not null
);
insert into news.story_merge (merges) values (0);

create function news.refuse_merge_circle() returns trigger language plpgsql as $$
declare
  survivor text := new.merged_into;
begin
  update news.story_merge set merges = merges + 1;
  while survivor is not null loop
    if survivor = new.public_id then
      raise exception 'merging story % into % would close a circle', new.public_id, new.merged_into
        using errcode = 'check_violation', schema = 'news', table = 'story', constraint = 'story_merge_circle';
    end if;
    select merged_into into survivor from news.story where public_id = survivor;
  end loop;
  return new;
end
$$;

create trigger refuse_merge_circle before insert or update of merged_into, public_id on news.story
  for each row when (new.merged_into is not null) execute function news.refuse_merge_circle();

-- What a story points to: others of its storyline, and related ones, in the order in which they are shown.
create table news.story_reference (
  story text collate "C" not null references news.story on delete cascade,
  kind text not null check (kind in ('storyline', 'related')),
  neighbor text collate "C" not null references news.story on delete cascade check (neighbor <> story),
  relation text not null check (relation <> ''),
  position integer not null,
  primary key (story, kind, neighbor)
);

create index story_reference_by_neighbor on news.story_reference (neighbor);

-- Items -----------------------------------------------------------------------------------------------------------

create table news.item (
  id text collate "C" primary key default uuidv7()::text check (id ~ '^[!-~]{1,128}$'),
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
  -- Where the item stands in the timeline: one that was back-filled more than 72 hours after its publication keeps
  -- the time of that, all others have the time at which they were received.
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

-- The windows of /items: by either time, all items or the selected ones, id breaking ties. A search, a category or a
-- direction reads its window from these and no more: trigrams cannot find two Chinese characters.
create index item_by_timeline on news.item (timeline_at desc, id desc) where withdrawn_at is null;
create index item_by_publication on news.item (published_at desc, id desc) where withdrawn_at is null;
create index item_selected_by_timeline on news.item (timeline_at desc, id desc) where in_selected_set;
create index item_selected_by_publication on news.item (published_at desc, id desc) where in_selected_set;
-- The pages of the snapshot.
create index item_selected on news.item (id) where in_selected_set;
-- The reports of a story; also for its deletion.
create index item_by_story on news.item (story, published_at desc, id desc) where story is not null;

-- The ledger of the selected set (docs/ledger.md) -----------------------------------------------------------------

-- One row. Whoever holds its lock is the only one who numbers changes.
create table news.ledger (
  singleton boolean primary key default true check (singleton),
  -- Names this history: cursors of another one are refused.
  epoch uuid not null default gen_random_uuid(),
  -- The largest number given.
  head bigint not null default 0,
  -- When that was. A snapshot shows it, so that it stays the same while the set does.
  head_at timestamptz(3) not null default clock_timestamp()
) with (fillfactor = 10);
insert into news.ledger default values;

-- Changes that have no number yet, written by the triggers below in the transaction of the change itself.
create table news.ledger_change (
  id bigint generated always as identity primary key,
  item_id text collate "C" not null,
  changed_at timestamptz(3) not null default clock_timestamp()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- For each item that ever was in the set, the number of its latest change. Whether that is an upsert or a removal is
-- what the item is at the time of reading.
create table news.ledger_entry (
  item_id text collate "C" primary key,
  seq bigint not null constraint ledger_entry_seq_key unique,
  changed_at timestamptz(3) not null
) with (autovacuum_vacuum_scale_factor = 0.05);

-- What a mirror has seen must survive a crash, whatever the server's default is: a change that is lost would stay in
-- its copy.
create function news.commit_durably() returns void language plpgsql as $$
begin
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'local', true);
  end if;
end
$$;

create function news.record_change() returns trigger language plpgsql as $$
begin
  perform news.commit_durably();
  insert into news.ledger_change (item_id) values (case when tg_op = 'DELETE' then old.id else new.id end);
  return null;
end
$$;

create function news.record_truncation() returns trigger language plpgsql as $$
begin
  perform news.commit_durably();
  insert into news.ledger_change (item_id) select id from news.item where in_selected_set;
  return null;
end
$$;

create function news.refuse_new_id() returns trigger language plpgsql as $$
begin
  raise exception 'the id of an item never changes' using errcode = 'check_violation',
    schema = 'news', table = 'item', constraint = 'item_id_is_fixed';
end
$$;

create trigger refuse_new_id before update of id on news.item
  for each row when (old.id <> new.id) execute function news.refuse_new_id();

create trigger record_insert after insert on news.item
  for each row when (new.in_selected_set) execute function news.record_change();
-- Every column that the item of a snapshot or a change shows is compared here.
create trigger record_update after update on news.item
  for each row when (
    (old.in_selected_set or new.in_selected_set) and (
      old.in_selected_set, old.title, old.original_title, old.summary, old.source_name, old.original_url,
      old.published_at, old.discovered_at, old.category, old.score, old.directions
    ) is distinct from (
      new.in_selected_set, new.title, new.original_title, new.summary, new.source_name, new.original_url,
      new.published_at, new.discovered_at, new.category, new.score, new.directions
    )
  ) execute function news.record_change();
create trigger record_delete after delete on news.item
  for each row when (old.in_selected_set) execute function news.record_change();
create trigger record_truncation before truncate on news.item
  for each statement execute function news.record_truncation();

-- Gives numbers to committed changes that have none, the oldest `batch` of them, and returns how many it took. One
-- caller works at a time and the others wait, so numbers are committed in the order in which they are given.
create function news.settle_ledger(batch integer) returns integer language plpgsql as $$
declare
  last bigint;
  taken integer;
  numbered integer;
begin
  if not exists (select from news.ledger_change) then
    return 0;
  end if;
  perform news.commit_durably();
  select head into strict last from news.ledger for update;
  -- This statement's snapshot is newer than the lock: it sees what the previous caller did.
  with change as (
    delete from news.ledger_change where id in (select id from news.ledger_change order by id limit batch)
    returning id, item_id, changed_at
  ), latest as (
    select distinct on (item_id) item_id, id, changed_at from change order by item_id, id desc
  ), entry as (
    insert into news.ledger_entry (item_id, seq, changed_at)
    select item_id, last + row_number() over (order by id), changed_at from latest order by id
    on conflict (item_id) do update set seq = excluded.seq, changed_at = excluded.changed_at
    returning 1
  )
  select (select count(*) from change), (select count(*) from entry) into taken, numbered;
  if numbered > 0 then
    update news.ledger set head = last + numbered, head_at = clock_timestamp();
  end if;
  return taken;
end
$$;

-- Declares the history broken, after a restore for instance: every cursor is refused from now on, so no entry is
-- needed any more.
create function news.start_ledger_epoch() returns uuid language sql as $$
  update news.ledger set epoch = gen_random_uuid(), head_at = clock_timestamp();
  delete from news.ledger_entry;
  select epoch from news.ledger;
$$;

-- Rankings --------------------------------------------------------------------------------------------------------

-- A ranking and its entries are written in one transaction, so one that failed half-way is never seen. The latest
-- is the one with the largest id.
create table news.ranking (
  id bigint generated always as identity primary key,
  published_at timestamptz(3) not null default clock_timestamp(),
  -- What the formula was given beside the inputs of the entries.
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
  -- Everything that the rank was computed from, so that it can be explained.
  inputs jsonb not null,
  unique nulls not distinct (ranking_id, direction, rank)
);

create index ranking_entry_by_item on news.ranking_entry (item_id);

-- Daily reports ---------------------------------------------------------------------------------------------------

create table news.daily (
  -- The calendar day in Shanghai.
  date date primary key,
  generated_at timestamptz(3) not null,
  window_start timestamptz(3) not null,
  window_end timestamptz(3) not null check (window_end > window_start),
  -- What the report says; each quoted item is named by its id, so that one that is withdrawn later is left out.
  report jsonb not null,
  item_ids text[] collate "C" not null
);

create function news.refuse_past_report() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    if not exists (select from news.daily where date < (clock_timestamp() at time zone 'Asia/Shanghai')::date) then
      return null;
    end if;
  elsif old.date >= (clock_timestamp() at time zone 'Asia/Shanghai')::date then
    return case when tg_op = 'DELETE' then old else new end;
  end if;
  raise exception 'the report of a past day cannot be changed' using errcode = 'check_violation',
    schema = 'news', table = 'daily', constraint = 'daily_past_is_fixed';
end
$$;

create trigger refuse_past_report before update or delete on news.daily
  for each row execute function news.refuse_past_report();
create trigger refuse_past_truncation before truncate on news.daily
  for each statement execute function news.refuse_past_report();

-- Reset tracking --------------------------------------------------------------------------------------------------

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
  -- As the API shows them (docs/spec/wire.md, "Reset tracking"); the presentation's status is derived when it is read.
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
  -- Events that may be gone by now.
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

-- Changes are announced -------------------------------------------------------------------------------------------

create trigger announce_change after insert or update or delete or truncate on news.item
  for each statement execute function news.announce_change();
create trigger announce_change after insert or update or delete or truncate on news.story
  for each statement execute function news.announce_change();
create trigger announce_change after insert or update or delete or truncate on news.story_reference
  for each statement execute function news.announce_change();
create trigger announce_change after update on news.ledger
  for each statement execute function news.announce_change();
create trigger announce_change after insert or update or delete or truncate on news.ranking
  for each statement execute function news.announce_change();
create trigger announce_change after insert or update or delete or truncate on news.ranking_entry
  for each statement execute function news.announce_change();
create trigger announce_change after insert or update or delete or truncate on news.daily
  for each statement execute function news.announce_change();
create trigger announce_change after insert or update or delete or truncate on news.reset_event
  for each statement execute function news.announce_change();
create trigger announce_change after insert or update or delete or truncate on news.reset_post
  for each statement execute function news.announce_change();
create trigger announce_change after insert or update or delete or truncate on news.reset_activity
  for each statement execute function news.announce_change();
create trigger announce_change after insert or update or delete or truncate on news.reset_outage
  for each statement execute function news.announce_change();
create trigger announce_change after insert or update or delete or truncate on news.reset_monitor
  for each statement execute function news.announce_change();
