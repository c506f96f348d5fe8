-- Deletions, copies and moves that run, and how the last ones went: a request whose answer was lost can be
-- repeated. A table of its own: nothing waits for it.

create table gallery.operation (
  -- SHA-256 of the Idempotency-Key; without one, of the bucket and what was asked.
  id bytea primary key check (octet_length(id) = 32),
  -- SHA-256 of what was asked: a key belongs to one request.
  request bytea not null check (octet_length(request) = 32),
  -- Chosen by whoever runs it: those who wait for a run know its outcome by it.
  run uuid,
  -- Renewed while it runs; when it has passed, whoever ran it is gone.
  leased_until timestamptz(3),
  -- What the last run that succeeded answered; null before the first.
  outcome jsonb,
  -- Whether the whole of that answer was handed to a client that was still there.
  delivered boolean not null default false,
  changed_at timestamptz(3) not null default clock_timestamp()
);

create index operation_by_age on gallery.operation (changed_at);
