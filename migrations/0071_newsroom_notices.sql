-- Notices of what a site's operators are to know: each event once, until it was sent.

create table news.notice (
  id bigint generated always as identity primary key,
  -- Such as source.dead.
  type text not null,
  -- What tells the event from others, so that it is noticed once.
  key text collate "C" not null unique,
  at timestamptz(3) not null default clock_timestamp(),
  data jsonb not null,
  attempts integer not null default 0,
  -- When it is to be sent; while it is being sent, the end of the lease. Null: it was sent, or given up.
  due_at timestamptz(3) default clock_timestamp(),
  sent_at timestamptz(3),
  last_error text
);

create index notice_due on news.notice (due_at, id) where due_at is not null;
