-- Batches that run in the background: a client asks how far one has come, on any replica, and finishes one
-- whose process ended. A new table, so nothing waits for a lock.

create table gallery.batch (
  id uuid primary key,
  bucket_id text not null,
  bucket_name text not null,
  -- Action, paths, destination and name, as the batch was asked for.
  request jsonb not null,
  -- SHA-256 of bucket and request: the same request finds the batch while it runs.
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  -- SHA-256 of the Idempotency-Key, if the client gave one.
  idempotency_key bytea unique check (octet_length(idempotency_key) = 32),
  state text not null default 'running' check (state in ('running', 'done', 'failed')),
  -- Chosen by the process that runs it.
  run uuid,
  -- Renewed while it runs; once it has passed, the batch is interrupted.
  leased_until timestamptz(3),
  steps_done bigint not null default 0 check (steps_done >= 0),
  steps_total bigint check (steps_total >= 0),
  -- How it ended: message, code, number of objects, and what takes it back.
  outcome jsonb,
  started_at timestamptz(3) not null default clock_timestamp(),
  changed_at timestamptz(3) not null default clock_timestamp(),
  ended_at timestamptz(3)
);

-- The history is listed from its end, and cut at its beginning.
create index batch_by_start on gallery.batch (started_at desc, id desc);

create index batch_running on gallery.batch (bucket_id, bucket_name) where state = 'running';
