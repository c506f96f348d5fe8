-- Single sign-on: who somebody is at a provider of OpenID Connect, and logins that have begun there.

create table gallery.identity (
  id uuid primary key default gen_random_uuid(),
  issuer text not null check (char_length(issuer) between 1 and 2000),
  subject text not null check (char_length(subject) between 1 and 255),
  person_id uuid not null references gallery.person on delete cascade,
  linked_at timestamptz(3) not null default clock_timestamp(),
  unique (issuer, subject),
  -- An address that the provider has given to somebody else leads to nobody's account.
  unique (person_id, issuer)
);

-- A login between its beginning and the way back from the provider, once.
create table gallery.begun_login (
  -- SHA-256 of the state, and of the cookie of the browser that has begun it.
  state_hash bytea primary key check (octet_length(state_hash) = 32),
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  provider text not null,
  nonce text not null,
  verifier text not null,
  redirect_uri text not null,
  target text not null,
  -- The invitation that it accepts.
  invitation_hash bytea check (octet_length(invitation_hash) = 32),
  -- The session whose person links an account, or shows again who they are.
  session_id uuid references gallery.session (id) on delete cascade,
  confirms boolean not null default false,
  -- A fingerprint of the client's address.
  address bytea not null check (octet_length(address) = 32),
  begun_at timestamptz(3) not null default clock_timestamp()
);

create index begun_login_by_address on gallery.begun_login (address, begun_at);
create index begun_login_by_time on gallery.begun_login (begun_at);
create index begun_login_by_session on gallery.begun_login (session_id);

alter table gallery.session
  -- The way somebody came in: a provider's id, or `proxy`; else null.
  add column way text,
  -- The provider's word, sealed: it ends the login there too.
  add column id_token text;
