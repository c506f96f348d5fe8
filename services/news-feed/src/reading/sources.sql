-- Triggers of sources.

-- A request of an editor or a hub is served at once. Polls plan the next one ahead, and announce nothing:
-- commits that announce something wait for each other.
create or replace function news.announce_due_source() returns trigger language plpgsql as $$
begin
  perform pg_notify('newsroom_due', '');
  return null;
end
$$;

create or replace trigger announce_due after insert on news.source
  for each row when (new.state = 'active' and new.next_poll_at <= clock_timestamp())
  execute function news.announce_due_source();
create or replace trigger announce_due_again after update of next_poll_at, state on news.source
  for each row when (
    new.state = 'active' and new.next_poll_at <= clock_timestamp()
    and (new.next_poll_at, new.state) is distinct from (old.next_poll_at, old.state)
  )
  execute function news.announce_due_source();
