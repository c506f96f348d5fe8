-- One ledger for every set that clients copy, and how replicas of the news feed hear of changes.

-- The selected set of the news feed, and what the content service publishes. docs/ledger.md explains why
-- nothing is lost.

do $do$
declare
  of_schema text;
begin
  foreach of_schema in array array['news', 'content'] loop
    execute format($ledger$
      -- A single row. Only the transaction that holds its lock numbers changes.
      create table %1$s.ledger (
        singleton boolean primary key default true check (singleton),
        -- Names this history: cursors of other histories are refused.
        epoch uuid not null default gen_random_uuid(),
        -- The largest number assigned.
        head bigint not null default 0,
        -- When it was assigned. A snapshot shows this time, so that the snapshot does not change while the
        -- set does not.
        head_at timestamptz(3) not null default clock_timestamp()
      ) with (fillfactor = 10);
      insert into %1$s.ledger default values;

      -- Changes that do not have a number yet, written by triggers in the transaction of the change itself.
      create table %1$s.ledger_change (
        id bigint generated always as identity primary key,
        item_id text collate "C" not null,
        changed_at timestamptz(3) not null default clock_timestamp()
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

      -- For each item that was ever in the set, the number of its latest change. Whether that is an upsert or
      -- a removal depends on the item at the time of reading.
      create table %1$s.ledger_entry (
        item_id text collate "C" primary key,
        seq bigint not null constraint ledger_entry_seq_key unique,
        changed_at timestamptz(3) not null
      ) with (autovacuum_vacuum_scale_factor = 0.05);
    $ledger$, of_schema);
  end loop;
end
$do$;

-- Counts changes that are not announced. A sequence rather than a table: it is never rolled back, does not
-- belong to a snapshot, does not cause conflicts, and does not grow while a transaction stays open.
create sequence news.quiet_change;
-- Consumes the first number, because drawing it does not change the readable value of a sequence.
select nextval('news.quiet_change');

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: c5275ec19aa1eaf371b5dd73d26a1aab967eed01bf94ecac2f92bd1f0a69ca4f
