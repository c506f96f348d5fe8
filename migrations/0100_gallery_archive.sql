-- What archives contain: a browser asks for one by an address, which holds no thousand paths. A new table, so
-- nothing waits for a lock.

create table gallery.archive (
  id uuid primary key,
  bucket_id text not null,
  bucket_name text not null,
  paths jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp()
);

create index archive_by_age on gallery.archive (created_at);
