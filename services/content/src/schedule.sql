-- Publication at a time.

-- An article that is published needs no time for it, whoever published it.
create or replace function content.forget_schedule() returns trigger language plpgsql as $$
begin
  new.publish_at := null;
  new.release := null;
  return new;
end
$$;

-- Wakes the services, which sleep until something is due.
create or replace function content.announce_schedule() returns trigger language plpgsql as $$
begin
  perform pg_notify('content_scheduled', '');
  return null;
end
$$;
