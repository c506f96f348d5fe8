-- Replicas of the news feed cache finished answers and drop them when they hear of a change. docs/ledger.md,
-- "How replicas hear of a change", has the proof; the comments below refer to its invariants by number.

-- Transactions that notify commit one after the other, so only one at a time notifies. The others hold a
-- shared lock until they have ended, and count. 1852143475 is "news" in ASCII; 1 is the right to notify, 2
-- the shared lock.
create or replace function news.announce_change() returns trigger language plpgsql as $$
begin
  if pg_try_advisory_xact_lock(1852143475, 1) then
    perform pg_notify('news_changed', '');
  else
    -- In this order, so that a reader that sees the number also sees the lock until the transaction has ended
    -- (A2).
    perform pg_advisory_xact_lock_shared(1852143475, 2);
    perform nextval('news.quiet_change');
  end if;
  return null;
end
$$;

-- The watermark that a replica compares between two heartbeats: the number, and the transactions that hold
-- the shared lock. Volatile and in two statements, so that the number is read first (A3).
create or replace function news.change_watermark() returns text language plpgsql volatile as $$
declare
  number bigint;
  writers text;
begin
  select last_value into strict number from news.quiet_change;
  select string_agg(virtualtransaction, ' ' order by virtualtransaction) into writers
    from pg_locks
    where locktype = 'advisory' and classid = 1852143475 and objid = 2 and objsubid = 2
      and database = (select oid from pg_database where datname = current_database());
  return concat_ws(' ', number, writers);
end
$$;

-- The worker need not wait for the disk: what a crash takes back, it makes again, because the entries are
-- then pending again. Changes of the selected set still wait, for as much as the server asks of other
-- commits; if its default is `off`, for the local disk. To be called before any change.
create or replace function news.commit_later() returns void language plpgsql as $$
begin
  if current_setting('synchronous_commit') <> 'off' then
    perform set_config('news.durable_commit', current_setting('synchronous_commit'), true),
      set_config('synchronous_commit', 'off', true);
  end if;
end
$$;

-- For every table that answers show; those of items, stories and reports are with their other triggers.
create or replace trigger announce_change after insert or update or delete or truncate on news.story_reference
  for each statement execute function news.announce_change();
create or replace trigger announce_change after insert or update or delete or truncate on news.ranking
  for each statement execute function news.announce_change();
create or replace trigger announce_change after insert or update or delete or truncate on news.ranking_entry
  for each statement execute function news.announce_change();
create or replace trigger announce_change after insert or update or delete or truncate on news.reset_event
  for each statement execute function news.announce_change();
create or replace trigger announce_change after insert or update or delete or truncate on news.reset_post
  for each statement execute function news.announce_change();
create or replace trigger announce_change after insert or update or delete or truncate on news.reset_activity
  for each statement execute function news.announce_change();
create or replace trigger announce_change after insert or update or delete or truncate on news.reset_outage
  for each statement execute function news.announce_change();
create or replace trigger announce_change after insert or update or delete or truncate on news.reset_monitor
  for each statement execute function news.announce_change();

create or replace trigger announce_change after update on news.ledger
  for each statement execute function news.announce_change();
