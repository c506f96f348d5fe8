-- Changes are announced to the replicas of the news feed.

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
