-- What the newsroom's editor keeps: why an item has its score, how many items were selected on a day, what a
-- model has answered and cost, and the index by which it finds the story of a new item; what people have
-- changed, and what operators are told.

create table news.item_judgement (
  item_id text collate "C" primary key references news.item on delete cascade,
  judged_at timestamptz(3) not null,
  category text,
  score double precision,
  selected boolean not null,
  reason text,
  -- [{name, points, note}] that add up to the score.
  terms jsonb not null
);

-- One row for each article that took a place in the quota of a day, whichever worker judged it, however
-- often.
create table news.editorial_slot (
  day date not null,
  article text collate "C" not null,
  -- The source for which it took its place: one source gets a part of the quota.
  source bigint not null,
  primary key (day, article)
);

-- What a model was asked for on a day.
create table news.editorial_budget (
  day date primary key,
  requests integer not null default 0,
  tokens bigint not null default 0
);

-- Parts of `news.editorial_budget`, by who has used them.
create table news.editorial_share (
  day date not null,
  -- `source ID`, or `digests`.
  spender text collate "C" not null,
  requests integer not null,
  tokens bigint not null,
  primary key (day, spender)
);

-- Valid answers of a model, by what it was asked.
create table news.editorial_answer (
  hash bytea primary key,
  answer jsonb not null,
  answered_at timestamptz(3) not null
);

create index editorial_answer_by_time on news.editorial_answer (answered_at);

-- For each item its terms, and for each term its items. pg_trgm is not needed, and could not compare Chinese
-- with English.
create table news.report_terms (
  -- Numbers grow with time, so the largest of a term are its newest.
  number bigint generated always as identity primary key,
  item_id text collate "C" not null unique references news.item on delete cascade,
  published_at timestamptz(3) not null,
  -- What is compared (newsroom/stories/report-terms.ts): terms with their weights, marks, language.
  report jsonb not null,
  terms text[] collate "C" not null
);

create table news.term_report (
  term text collate "C" not null,
  number bigint not null,
  primary key (term, number)
);

-- Edits: who has changed what, and how it was before. Triggers keep them in the transaction of the change, so
-- that no command, import or statement gets by; what the worker does by itself is none, except merges and
-- splits.
create sequence news.edit_number;

-- One row for each thing that an edit has changed.
create table news.edit (
  id bigint generated always as identity primary key,
  -- What was changed together has the same number, and is undone together.
  number bigint not null,
  at timestamptz(3) not null default clock_timestamp(),
  -- Who; null if nobody said.
  actor text,
  -- What was connected: a command, the worker, or a person's own program.
  program text not null default current_setting('application_name'),
  -- Such as `item edit`.
  action text not null,
  -- The number of the edit that this one undoes.
  undoes bigint,
  kind text collate "C" not null check (kind in ('item', 'story', 'daily', 'weekly', 'monthly')),
  -- The key of its row.
  subject text collate "C" not null,
  -- The columns that it changed.
  before jsonb not null,
  after jsonb not null
);

create index edit_by_subject on news.edit (kind, subject, id desc);
create index edit_by_number on news.edit (number);
create index edit_by_undone on news.edit (undoes) where undoes is not null;

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

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: 79596f9ae61fcd06b92a838de9c1f1dc9879ac001b0ca3f3ab1596b23eba09f7
