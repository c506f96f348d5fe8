-- The ledger of the selected set: docs/ledger.md says why nothing is lost.

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

-- For each item that ever was in the set, the number of its latest change. Whether that is an upsert or a
-- removal is what the item is at the time of reading.
create table news.ledger_entry (
  item_id text collate "C" primary key,
  seq bigint not null constraint ledger_entry_seq_key unique,
  changed_at timestamptz(3) not null
) with (autovacuum_vacuum_scale_factor = 0.05);

-- What a mirror has seen must survive a crash, whatever the server's default is: a change that is lost would
-- stay in its copy.
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

-- A transaction that keeps its first snapshot would overlook members that were committed after it, and
-- mirrors would keep them. A read committed one holds the table's lock by now and sees them all.
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

-- Gives numbers to committed changes that have none, the oldest `batch` of them, and returns how many it
-- took. One caller works at a time and the others wait, so numbers are committed in the order in which they
-- are given.
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

-- Declares the history broken, after a restore for instance: every cursor is refused from now on, so no entry
-- is needed any more.
create function news.start_ledger_epoch() returns uuid language sql as $$
  update news.ledger set epoch = gen_random_uuid(), head_at = clock_timestamp();
  delete from news.ledger_entry;
  select epoch from news.ledger;
$$;
