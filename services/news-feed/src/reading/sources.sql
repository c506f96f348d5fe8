-- What writing a source sets off.

-- What an editor or a hub asks for begins at once. Polls plan the next one ahead, so that they announce
-- nothing: commits that announce something wait for each other.
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
