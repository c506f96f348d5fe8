-- The gallery administration: sessions, the login throttle and settings; and what changes files: batches,
-- multipart uploads and archives.

create schema gallery;

create table gallery.session (
  -- SHA-256 of the cookie's value; only the browser knows the value itself.
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  -- Fingerprint of the account that logged in: changing the password ends existing sessions.
  account bytea not null check (octet_length(account) = 32),
  created_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3) not null default clock_timestamp()
);

-- Both ends of a session's life, so that expired sessions are found without reading the others.
create index session_by_use on gallery.session (last_used_at);
create index session_by_age on gallery.session (created_at);

create table gallery.login_failure (
  -- HMAC-SHA-256 under SETTINGS_KEY of what is counted: a client address and a username, an address, or a
  -- device. People type passwords into the wrong field.
  source bytea primary key check (octet_length(source) = 32),
  failures integer not null check (failures >= 0),
  -- The first failure of the window.
  window_started_at timestamptz(3) not null default clock_timestamp()
);

create index login_failure_by_window on gallery.login_failure (window_started_at);

create table gallery.setting (
  key text primary key check (char_length(key) between 1 and 255),
  value jsonb not null,
  updated_at timestamptz(3) not null default clock_timestamp()
);

-- Addresses from which somebody has logged in, so that a flood of logins from others cannot lock out the
-- people who work there.
create table gallery.known_address (
  -- HMAC-SHA-256 of the client address (IPv6: its /64) under SETTINGS_KEY: addresses are few enough to be
  -- guessed.
  address bytea primary key check (octet_length(address) = 32),
  last_login_at timestamptz(3) not null default clock_timestamp()
);

create index known_address_by_age on gallery.known_address (last_login_at);

-- Deletions, copies and moves. A client asks how far one has come, on any replica, repeats a request whose
-- answer was lost, and finishes one whose process ended.
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
  -- Whether it was answered at once, is listed, and can be resumed; else the request waits for its outcome.
  background boolean not null default true,
  -- Whether the answer with the outcome was completely sent to a client that was still connected.
  delivered boolean not null default false,
  state text not null default 'running' check (state in ('running', 'done', 'failed')),
  -- Chosen by the process that runs it.
  run uuid,
  -- Renewed while it runs; once it has passed, the batch is interrupted.
  leased_until timestamptz(3),
  -- The sources and destinations of a copy or move, from its first copy on: its copies at the destination are
  -- distinguished from the objects of others when it is resumed.
  transfers jsonb,
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

-- The same request finds its batch.
create index batch_by_fingerprint on gallery.batch (fingerprint);

-- Awaited ones are forgotten after a day.
create index batch_awaited_by_age on gallery.batch (changed_at) where not background;

-- When what has been moved or renamed was written: a store dates a copy by when it was made.
create table gallery.original_date (
  -- SHA-256 of the bucket and the key.
  id bytea primary key check (octet_length(id) = 32),
  -- The store's date of the object at the key, in seconds, by which another object there is known.
  stored_at timestamptz(0) not null,
  modified_at timestamptz(3) not null
);

-- Multipart uploads that have been, or are being, completed: a client that missed the answer asks again and
-- gets it, although stores forget an upload once it is completed.
create table gallery.completed_upload (
  -- SHA-256 of bucket, key, upload and the named parts.
  id bytea primary key check (octet_length(id) = 32),
  -- The entity tag that identifies the object: first the one that S3 computes from the parts, then the one
  -- returned by the store.
  etag text not null check (char_length(etag) <= 255),
  -- In bytes.
  size bigint not null check (size >= 0),
  begun_at timestamptz(3) not null default clock_timestamp()
);

create index completed_upload_by_age on gallery.completed_upload (begun_at);

-- What archives contain: a browser asks for one by an address, which holds no thousand paths.
create table gallery.archive (
  id uuid primary key,
  bucket_id text not null,
  bucket_name text not null,
  paths jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp()
);

create index archive_by_age on gallery.archive (created_at);

-- What a picture looks like from afar: the desk shows it until the thumbnail is there.
create table gallery.look (
  -- SHA-256 of the bucket, the key and the entity tag: another file at the key has another look.
  id bytea primary key check (octet_length(id) = 32),
  -- ThumbHash.
  thumbhash bytea not null check (octet_length(thumbhash) between 5 and 25),
  seen_at timestamptz(0) not null default now()
);

create index look_by_age on gallery.look (seen_at);

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: dc96aa6aa5a6f3b60dc2dd3f9d3c6e4ab9fc77b25451d79f2572872e9b22d860
