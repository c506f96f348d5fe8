-- Who did what at the desk, and who logged in: the service may add to it and read it (trail.sql prunes it).
create table gallery.trail (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default clock_timestamp(),
  -- The name that the person had; null where nobody was logged in.
  person text,
  person_id uuid,
  action text not null check (char_length(action) between 1 and 100),
  object jsonb not null,
  address text,
  request_id text
);

create index trail_by_person on gallery.trail (person_id, id);
create index trail_by_action on gallery.trail (action, id);
create index trail_by_time on gallery.trail (at);
