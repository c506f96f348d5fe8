-- The ledger of the selected set; docs/ledger.md explains why nothing is lost.

-- A single row. Only the transaction that holds its lock numbers changes.
create table news.ledger (
  singleton boolean primary key default true check (singleton),
  -- Names this history: cursors of other histories are refused.
  epoch uuid not null default gen_random_uuid(),
  -- The largest number assigned.
  head bigint not null default 0,
  -- When it was assigned. A snapshot shows this time, so that the snapshot does not change while the set does
  -- not.
  head_at timestamptz(3) not null default clock_timestamp()
) with (fillfactor = 10);
insert into news.ledger default values;

-- Changes that do not have a number yet, written by the triggers below in the transaction of the change
-- itself.
create table news.ledger_change (
  id bigint generated always as identity primary key,
  item_id text collate "C" not null,
  changed_at timestamptz(3) not null default clock_timestamp()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- For each item that was ever in the set, the number of its latest change. Whether that is an upsert or a
-- removal depends on the item at the time of reading.
create table news.ledger_entry (
  item_id text collate "C" primary key,
  seq bigint not null constraint ledger_entry_seq_key unique,
  changed_at timestamptz(3) not null
) with (autovacuum_vacuum_scale_factor = 0.05);

-- The worker need not wait for the disk: what a crash takes back, it makes again, because the entries are
-- then pending again. Changes of the selected set still wait, for as much as the server asks of other
-- commits; if its default is `off`, for the local disk. To be called before any change.
create function news.commit_later() returns void language plpgsql as $$
begin
  if current_setting('synchronous_commit') <> 'off' then
    perform set_config('news.durable_commit', current_setting('synchronous_commit'), true),
      set_config('synchronous_commit', 'off', true);
  end if;
end
$$;

-- Changes that a mirror has seen must survive a crash, whatever the server's default: a lost change would
-- remain in the mirror's copy.
create function news.commit_durably() returns void language plpgsql as $$
begin
  if current_setting('synchronous_commit') = 'off' then
    perform set_config(
      'synchronous_commit',
      coalesce(nullif(current_setting('news.durable_commit', true), ''), 'local'),
      true
    );
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

-- A transaction that keeps its first snapshot would miss members that were committed after it, and mirrors
-- would keep them. A read committed transaction already holds the table lock here and sees them all.
create function news.record_truncation() returns trigger language plpgsql as $$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception 'TRUNCATE of news.item needs a read committed transaction'
      using errcode = 'invalid_transaction_state',
        hint = 'Begin with BEGIN ISOLATION LEVEL READ COMMITTED, or use DELETE.';
  end if;
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
-- Every column that items in snapshots and changes show is compared here.
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

-- Assigns numbers to the oldest `batch` committed changes that do not have one, and returns how many it took.
-- One caller works at a time while the others wait, so numbers are committed in the order in which they are
-- assigned.
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
  -- This statement's snapshot is newer than the lock, so it sees the work of the previous caller.
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

-- Declares the history broken, for example after a restore: every existing cursor is refused from now on, so
-- the old entries are no longer needed.
create function news.start_ledger_epoch() returns uuid language sql as $$
  update news.ledger set epoch = gen_random_uuid(), head_at = clock_timestamp();
  delete from news.ledger_entry;
  select epoch from news.ledger;
$$;
