-- What people at the desk say to each other about an article; no reader sees any of it.

create table content.article_comment (
  id integer generated always as identity primary key,
  -- No foreign key: with a deleted article it can be restored.
  article_id integer not null,
  -- What a reply answers.
  parent_id integer references content.article_comment on delete cascade,
  text text not null check (char_length(text) between 1 and 2000),
  -- Where in the text it stands: exact, prefix, suffix, block; null for the whole article.
  anchor jsonb check (jsonb_typeof(anchor) = 'object'),
  created_at timestamptz(3) not null default clock_timestamp(),
  created_by text collate "C" not null,
  edited_at timestamptz(3),
  resolved_at timestamptz(3),
  resolved_by text collate "C",
  -- The Idempotency-Key with which it was made.
  request text collate "C",
  unique (article_id, created_by, request)
);

create index article_comment_by_article on content.article_comment (article_id, id);
create index article_comment_by_parent on content.article_comment (parent_id);
