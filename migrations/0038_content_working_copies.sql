-- Changes of published articles that no reader sees before they are published.

create table content.working_copy (
  -- No foreign key: with a deleted article it can be restored.
  article_id integer primary key,
  -- The revision of the article that it is meant to change.
  revision integer not null,
  -- As a PATCH of the article takes them.
  changes jsonb not null,
  saved_at timestamptz(3) not null default clock_timestamp(),
  saved_by text collate "C"
);
