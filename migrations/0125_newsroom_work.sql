-- The newsroom's work was kept twice: in the rows of sources, entries and schedules, and in the queues of a
-- library. The rows decide, so a worker now takes them directly, with leases that end by themselves. The
-- altered tables are small, and no column has a default that is computed, so nothing waits for long.

drop schema if exists newsroom_jobs cascade;

alter table news.source
  drop column queued_until,
  -- Until when a worker has it in hand, by the database's clock; renewed while it does.
  add column lease_until timestamptz(3);

alter table news.schedule
  drop column queued_until,
  add column lease_until timestamptz(3),
  -- The failures since the last success, and when it is tried again after them, by the database's clock.
  add column failures integer not null default 0,
  add column retry_at timestamptz(3);

-- What an editor or a hub asks for begins at once. Polls plan the next one ahead, so that they announce
-- nothing: commits that announce something wait for each other.
create function news.announce_due_source() returns trigger language plpgsql as $$
begin
  perform pg_notify('newsroom_due', '');
  return null;
end
$$;

create trigger announce_due after insert or update of next_poll_at, state on news.source
  for each row when (new.state = 'active' and new.next_poll_at <= clock_timestamp())
  execute function news.announce_due_source();
