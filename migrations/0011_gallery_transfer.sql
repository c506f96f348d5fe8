-- Copies and moves that have begun and not finished. A new table, so nothing waits for a lock.

create table gallery.unfinished_transfer (
  -- SHA-256 of bucket, action, source and destination: an interrupted transfer that is sent again is
  -- recognized, and its copies at the destination are distinguished from the objects of others.
  id bytea primary key check (octet_length(id) = 32),
  started_at timestamptz(3) not null default clock_timestamp()
);

create index unfinished_transfer_by_age on gallery.unfinished_transfer (started_at);
