-- Who hears of a change: replicas by notifications, other programs by events, which are written in the
-- transaction of the change and delivered to hooks. While there is no hook, no event is written.

create table content.hook (
  id integer generated always as identity primary key,
  url text not null check (char_length(url) <= 2000),
  -- Types of events, such as article.published, and patterns such as article.*
  events text[] not null check (cardinality(events) > 0),
  -- It gets only events of this category and its articles. No foreign key: when the category is deleted, the
  -- hook must not become one without a restriction.
  category_id integer check (category_id > 0),
  -- Whether it also gets events about what no reader sees.
  drafts boolean not null default false,
  -- Encrypted with CONTENT_HOOKS_KEY.
  secret text not null,
  -- The secret before it, which signs too until then.
  previous_secret text,
  previous_secret_until timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp(),
  -- Failed attempts since the last success; the next is not made before resume_at.
  failures integer not null default 0,
  resume_at timestamptz(3),
  paused_at timestamptz(3),
  pause_reason text,
  check ((paused_at is null) = (pause_reason is null))
);

create table content.event (
  id bigint generated always as identity primary key,
  type text not null,
  -- What it is about, such as article:7. The events of one subject are written one after the other, because
  -- each change locks its row until it is committed.
  subject text not null,
  happened_at timestamptz(3) not null default clock_timestamp(),
  -- Whether it is about something that readers see or saw.
  is_public boolean not null,
  -- The slugs that readers could find it by.
  slug_before text,
  slug_after text,
  category_ids integer[] not null default '{}',
  cache_tags text[] not null default '{}',
  -- For this hook alone: a test.
  hook_id integer,
  -- A cursor of the changes of what is published, from after the change got its number; set with the first
  -- attempt to deliver the event.
  sync_cursor text
);

-- What is yet to be delivered. Deliveries that wait for an earlier one of their subject are put aside by the
-- claim that meets them, so that no later one looks at them again: a claim reads few rows, however many
-- events are about one article.
create table content.delivery (
  event_id bigint not null references content.event on delete cascade,
  hook_id integer not null references content.hook on delete cascade,
  subject text not null,
  attempts integer not null default 0,
  -- While it is being delivered, the end of the lease: another process delivers it then. Null while it is put
  -- aside: `resume_next` makes it due. Whoever puts aside, or deletes what is the first of its subject, holds
  -- the lock of the hook's row.
  due_at timestamptz(3) default clock_timestamp(),
  primary key (event_id, hook_id)
);

create index delivery_by_due on content.delivery (hook_id, due_at, event_id);
create index delivery_by_subject on content.delivery (hook_id, subject, event_id);

create table content.delivery_attempt (
  id bigint generated always as identity primary key,
  event_id bigint not null references content.event on delete cascade,
  hook_id integer not null references content.hook on delete cascade,
  ended_at timestamptz(3) not null default clock_timestamp(),
  duration_ms integer not null,
  -- Null without an answer.
  status integer,
  -- Why it has failed.
  fault text,
  -- The beginning of the answer.
  answer text
);

create index delivery_attempt_by_event on content.delivery_attempt (event_id);
create index delivery_attempt_by_hook on content.delivery_attempt (hook_id, id desc);

create type content.article_state as (
  id integer, slug text, category_id integer, tag_ids integer[], author_ids integer[], is_published boolean
);

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: 5828df6726b604bfcca842644439868195ea17d5b7fb5dcafc4a3c2cd1214fc3
