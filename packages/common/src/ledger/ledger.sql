-- The ledger of a set that clients copy: its tables are in the schema of the service. docs/ledger.md
-- explains why nothing is lost.

-- Changes that a mirror has seen must survive a crash, whatever the server's default: a lost change
-- would remain in the mirror's copy.
create or replace function {schema}.commit_durably() returns void language plpgsql as $$
begin
  if current_setting('synchronous_commit') = 'off' then
    perform set_config(
      'synchronous_commit',
      coalesce(nullif(current_setting('{schema}.durable_commit', true), ''), 'local'),
      true
    );
  end if;
end
$$;

-- The trigger's argument is the kind of the item, in a set that has several: `kind:id`.
create or replace function {schema}.record_change() returns trigger language plpgsql as $$
begin
  perform {schema}.commit_durably();
  insert into {schema}.ledger_change (item_id)
  values (coalesce(tg_argv[0] || ':', '') || case when tg_op = 'DELETE' then old.id else new.id end);
  return null;
end
$$;

-- The trigger's arguments are the condition of being in the set, and the kind as above. A transaction
-- that keeps its first snapshot would miss members that were committed after it, and mirrors would keep
-- them. A read committed transaction already holds the table lock here and sees them all.
create or replace function {schema}.record_truncation() returns trigger language plpgsql as $$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception 'TRUNCATE of %.% needs a read committed transaction', tg_table_schema, tg_table_name
      using errcode = 'invalid_transaction_state',
        hint = 'Begin with BEGIN ISOLATION LEVEL READ COMMITTED, or use DELETE.';
  end if;
  perform {schema}.commit_durably();
  execute format(
    'insert into {schema}.ledger_change (item_id) select %L || id from %s where %s',
    coalesce(tg_argv[1] || ':', ''), tg_relid::regclass, tg_argv[0]
  );
  return null;
end
$$;

create or replace function {schema}.refuse_new_id() returns trigger language plpgsql as $$
begin
  raise exception 'the id of a row of %.% never changes', tg_table_schema, tg_table_name
    using errcode = 'check_violation', schema = tg_table_schema, table = tg_table_name,
      constraint = tg_table_name || '_id_is_fixed';
end
$$;

-- Assigns numbers to the oldest `batch` committed changes that do not have one, and returns how many it
-- took. One caller works at a time while the others wait, so numbers are committed in the order in
-- which they are assigned.
create or replace function {schema}.settle_ledger(batch integer) returns integer language plpgsql as $$
declare
  last bigint;
  taken integer;
  numbered integer;
begin
  if not exists (select from {schema}.ledger_change) then
    return 0;
  end if;
  perform {schema}.commit_durably();
  select head into strict last from {schema}.ledger for update;
  -- This statement's snapshot is newer than the lock, so it sees the work of the previous caller.
  with change as (
    delete from {schema}.ledger_change
    where id in (select id from {schema}.ledger_change order by id limit batch)
    returning id, item_id, changed_at
  ), latest as (
    select distinct on (item_id) item_id, id, changed_at from change order by item_id, id desc
  ), entry as (
    insert into {schema}.ledger_entry (item_id, seq, changed_at)
    select item_id, last + row_number() over (order by id), changed_at from latest order by id
    on conflict (item_id) do update set seq = excluded.seq, changed_at = excluded.changed_at
    returning 1
  )
  select (select count(*) from change), (select count(*) from entry) into taken, numbered;
  if numbered > 0 then
    update {schema}.ledger set head = last + numbered, head_at = clock_timestamp();
  end if;
  return taken;
end
$$;

-- Declares the history broken, for example after a restore: every existing cursor is refused from now
-- on, so the old entries are no longer needed.
create or replace function {schema}.start_ledger_epoch() returns uuid language sql as $$
  update {schema}.ledger set epoch = gen_random_uuid(), head_at = clock_timestamp();
  delete from {schema}.ledger_entry;
  select epoch from {schema}.ledger;
$$;
