-- The workers of the newsroom that run, so that `newsroom status` can tell that there is one. A new table, so
-- nothing waits for a lock.

create table news.worker (
  id uuid primary key,
  host text not null,
  pid integer not null,
  started_at timestamptz(3) not null default clock_timestamp(),
  -- Renewed every ten seconds.
  seen_at timestamptz(3) not null default clock_timestamp()
);
