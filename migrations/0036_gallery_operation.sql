-- Deletions, copies and moves that run, and how the last ones went: a request whose answer was lost can be
-- repeated. A new table, so nothing waits for a lock.

create table gallery.operation (
  -- SHA-256 of the Idempotency-Key; without one, of the bucket and the request.
  id bytea primary key check (octet_length(id) = 32),
  -- SHA-256 of the request: a key belongs to one request.
  request bytea not null check (octet_length(request) = 32),
  -- Chosen by the process that runs it; waiting requests use it to find the outcome.
  run uuid,
  -- Renewed while it runs; once it has passed, the process is gone.
  leased_until timestamptz(3),
  -- The answer of the last successful run; null before the first.
  outcome jsonb,
  -- Whether that answer was completely sent to a client that was still connected.
  delivered boolean not null default false,
  changed_at timestamptz(3) not null default clock_timestamp()
);

create index operation_by_age on gallery.operation (changed_at);
