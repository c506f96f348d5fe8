-- Copies and moves that have begun and not finished. A table of its own: nothing waits for it.

create table gallery.unfinished_transfer (
  -- SHA-256 of bucket, action, source and destination: an interrupted transfer that is sent again finds itself, and
  -- what it has left at its destination is told from what others have put there.
  id bytea primary key check (octet_length(id) = 32),
  started_at timestamptz(3) not null default clock_timestamp()
);

create index unfinished_transfer_by_age on gallery.unfinished_transfer (started_at);
