-- Sessions, the login throttle and the settings of the gallery administration.

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

-- Replicas cache the active bucket and reload it on this notification, which is sent when the change commits.
create function gallery.announce_setting() returns trigger language plpgsql as $$
begin
  perform pg_notify('gallery_setting_changed', '');
  return null;
end
$$;

create trigger announce_setting after insert or update or delete or truncate on gallery.setting
  for each statement execute function gallery.announce_setting();

-- Addresses from which somebody has logged in, so that a flood of logins from others cannot lock out the
-- people who work there.
create table gallery.known_address (
  -- HMAC-SHA-256 of the client address (IPv6: its /64) under SETTINGS_KEY: addresses are few enough to be
  -- guessed.
  address bytea primary key check (octet_length(address) = 32),
  last_login_at timestamptz(3) not null default clock_timestamp()
);

create index known_address_by_age on gallery.known_address (last_login_at);
