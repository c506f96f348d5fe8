-- Addresses from which somebody has logged in, so that strangers who flood the login cannot lock out the
-- people who work there. A new table, so nothing waits for a lock.

create table gallery.known_address (
  -- HMAC-SHA-256 of the client address (IPv6: its /64) under SETTINGS_KEY: addresses are few enough to be
  -- guessed.
  address bytea primary key check (octet_length(address) = 32),
  last_login_at timestamptz(3) not null default clock_timestamp()
);

create index known_address_by_age on gallery.known_address (last_login_at);

comment on column gallery.login_failure.source is
  'HMAC-SHA-256 under SETTINGS_KEY of the counted subject: a client address and a username, an address, or a device';
