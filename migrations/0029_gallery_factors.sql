-- What people log in with besides a password: passkeys, codes of an app, and recovery codes.

create table gallery.passkey (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references gallery.person on delete cascade,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  -- As COSE writes it.
  public_key bytea not null check (octet_length(public_key) <= 8192),
  -- How often the authenticator says that it has signed; it never goes back.
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  name text not null check (char_length(name) between 1 and 100),
  created_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3)
);

create index passkey_by_person on gallery.passkey (person_id);

create table gallery.totp (
  person_id uuid primary key references gallery.person on delete cascade,
  -- Sealed with SETTINGS_KEY; null until a first code has shown that an app has it.
  secret text,
  -- The one that no code has shown yet, sealed too.
  pending text,
  -- The time step of the last code that was taken: none is taken twice.
  last_step bigint,
  created_at timestamptz(3) not null default clock_timestamp()
);

create table gallery.recovery_code (
  person_id uuid not null references gallery.person on delete cascade,
  -- SHA-256 of 120 random bits.
  code_hash bytea not null check (octet_length(code_hash) = 32),
  primary key (person_id, code_hash)
);

-- What an authenticator is to sign, once.
create table gallery.challenge (
  challenge bytea primary key check (octet_length(challenge) = 32),
  purpose text not null check (purpose in ('login', 'confirm', 'register', 'invitation')),
  -- Null where it is not known yet who logs in.
  person_id uuid references gallery.person on delete cascade,
  -- HMAC-SHA-256 of the client address under SETTINGS_KEY: one client holds a few only.
  source bytea not null check (octet_length(source) = 32),
  expires_at timestamptz(3) not null
);

create index challenge_by_source on gallery.challenge (source, expires_at);
create index challenge_by_end on gallery.challenge (expires_at);
create index challenge_by_person on gallery.challenge (person_id);

-- When somebody has shown again who they are; null since the login.
alter table gallery.session add column confirmed_at timestamptz(3);
