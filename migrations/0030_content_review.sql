-- What people at the desk decide about drafts before readers see them, and who works on which.

create table content.review (
  -- A draft that is deleted, or published, is under review no longer.
  article_id integer primary key references content.article on delete cascade,
  state text collate "C" not null check (state in ('submitted', 'returned', 'approved')),
  -- How it came to be so, the latest last: state, comment, at, key.
  steps jsonb not null check (jsonb_typeof(steps) = 'array'),
  changed_at timestamptz(3) not null,
  changed_by text collate "C"
);

create index review_by_state on content.review (state, article_id);

create table content.assignment (
  -- No foreign key: with a deleted article it can be restored.
  article_id integer primary key,
  author_id integer not null references content.author on delete cascade,
  assigned_at timestamptz(3) not null default clock_timestamp(),
  assigned_by text collate "C"
);

create index assignment_by_author on content.assignment (author_id, article_id);
