-- The people of the desk, and the invitations with which they choose a password.

create table gallery.person (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 200),
  -- In lower case: what a person logs in with.
  email text not null check (char_length(email) between 3 and 254 and email = lower(email)),
  role text not null check (role in ('owner', 'editor', 'writer', 'photographer', 'reader')),
  language text,
  time_zone text,
  active boolean not null default true,
  -- argon2id as a PHC string; null until the person has chosen one.
  password_hash text,
  -- Sessions carry the stamp that was there when they began: another one ends them.
  stamp bytea not null check (octet_length(stamp) = 32),
  -- The author of content whose articles are this person's.
  author_id integer unique,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- What a removed person did keeps the name.
  removed_at timestamptz(3)
);

create unique index person_email_key on gallery.person (email) where removed_at is null;

create table gallery.invitation (
  -- One a person: a new one ends the one before.
  person_id uuid primary key references gallery.person on delete cascade,
  -- SHA-256 of the token in the link.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  expires_at timestamptz(3) not null
);

alter table gallery.session
  add column id uuid not null default gen_random_uuid() unique,
  -- Null for the account of the environment.
  add column person_id uuid references gallery.person on delete cascade,
  add column address text,
  add column device text check (char_length(device) <= 500);

create index session_by_person on gallery.session (person_id);
